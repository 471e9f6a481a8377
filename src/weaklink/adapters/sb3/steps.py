"""Steps of a Stable-Baselines3 model as its environment gave them, kept beside what the model stores of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import is_torch, use_quietly
from weaklink.adapters.sb3.rollout import HeldRollout, flatten_observations
from weaklink.base.evidence.rollout import Array, Pairing, RolloutActions, Storage

MOST_BYTES = 32 * 2**20
MOST_STEPS = 4096

COMPONENT_KEYS = "reward"
"""How the name of a reward's component begins in `info`."""

TOO_MUCH_WORK: Any = 10_000
"""Where to give up telling whether two arrays overlap."""


class _FinalObservation(NamedTuple):
    """The last observation of an episode: which step of which environment, and the critic's state there."""

    step: int
    member: int
    observation: Any
    state: Any


class StepCopies:
    """Copies of what `env.step` returned, step by step, as far as memory allows.

    With a `normaliser` observations and rewards are those before it, as replay buffers store them; with `latest` only
    so many steps are kept, the newest.
    """

    def __init__(self, normaliser: Any = None, latest: int | None = None) -> None:
        self._normaliser, self._latest = normaliser, latest
        self.actions: list[Array] = []
        self.executed: list[Array] = []
        self.observations: list[Array] = []
        self.rewards: list[Array] = []
        self.ended: list[Array] = []
        self.truncated: list[Array] = []
        self.places: list[int] = []
        self.finals: list[_FinalObservation] = []
        self.components: dict[str, list[float]] = {}
        self.bytes, self.taken = 0, 0

    def __len__(self) -> int:
        return len(self.rewards)

    def take(self, given: Mapping[str, Any], place: int = 0) -> None:
        """Keeps one step.

        Args:
            given: the local variables of `collect_rollouts` after `env.step`.
            place: where the model will store it.
        """
        if self._latest is None and (self.bytes > MOST_BYTES or len(self) >= MOST_STEPS):
            return
        ended, infos = np.array(given["dones"], dtype=bool), given["infos"]
        new = given["new_obs"] if self._normaliser is None else self._normaliser.old_obs
        self.observations.append(flatten_observations(new, 1).copy())
        self.rewards.append(np.array(given["rewards"] if self._normaliser is None else self._normaliser.old_reward))
        self.ended.append(ended)
        self.truncated.append(np.array([bool(info.get("TimeLimit.truncated", False)) for info in infos]) & ended)
        drawn = given.get("buffer_actions", given["actions"])
        executed = given["actions"] if "buffer_actions" in given else given.get("clipped_actions", given["actions"])
        self.actions.append(np.array(drawn).reshape(len(ended), -1))
        self.executed.append(np.array(executed).reshape(len(ended), -1))
        self.places.append(place)
        for member in np.flatnonzero(ended):
            self._final(int(member), infos[member], given.get("lstm_states"))
        for info in infos:
            self._parts(info)
        self.bytes += self.observations[-1].nbytes + 4 * self.actions[-1].nbytes
        self.taken += 1
        if self._latest is not None and (len(self) > self._latest or self.bytes > MOST_BYTES):
            self._forget()

    def _final(self, member: int, info: Mapping[str, Any], states: Any) -> None:
        observation = info.get("terminal_observation")
        if observation is None:
            return
        kept = copy.deepcopy(observation)
        if self._normaliser is not None:
            kept = self._normaliser.unnormalize_obs(kept)  # with the statistics of this step, as the model does it
        state = None
        if states is not None:
            state = tuple(part[:, member : member + 1, :].clone() for part in states.vf)
        self.finals.append(_FinalObservation(self.taken, member, kept, state))

    def _parts(self, info: Mapping[str, Any]) -> None:
        for key, value in info.items():
            if key.startswith(COMPONENT_KEYS) and isinstance(value, int | float | np.floating):
                self.components.setdefault(key, []).append(float(value))

    def _forget(self) -> None:
        """Lets the earliest step go."""
        self.bytes -= self.observations[0].nbytes + 4 * self.actions[0].nbytes
        for kept in (
            self.actions,
            self.executed,
            self.observations,
            self.rewards,
            self.ended,
            self.truncated,
            self.places,
        ):
            del kept[0]
        gone = self.taken - len(self)
        self.finals = [final for final in self.finals if final.step >= gone]

    def final_observations(self) -> Array | None:
        """The last observations of episodes in their places, zeros elsewhere; None where some end has none."""
        if len(self.finals) != int(np.sum(self.ended)):
            return None
        out = np.zeros((len(self), *self.observations[0].shape), dtype=self.observations[0].dtype)
        first = self.taken - len(self)
        for final in self.finals:
            out[final.step - first, final.member] = flatten_observations(final.observation, 0).reshape(-1)
        return out


def read_given_parts(steps: StepCopies) -> dict[str, Any]:
    """What the environment gave, as parts of a pairing; observations are those that each step returned."""
    ended, truncated = np.stack(steps.ended), np.stack(steps.truncated)
    return {
        "given_observations": np.stack(steps.observations),
        "final_observations": steps.final_observations(),
        "given_rewards": np.stack(steps.rewards),
        "ended": ended,
        "given_terminated": ended & ~truncated,
        "given_truncated": truncated,
    }


def make_pairing(model: Any, rollout: HeldRollout, steps: StepCopies) -> Pairing:
    """A rollout beside what the environment gave."""
    count = len(steps)
    return Pairing(
        observations=flatten_observations(rollout.observations, 2)[:count],
        rewards=rollout.rewards[:count],
        reward_bonus=_compute_bonus(model, rollout, steps),
        stored_ended=rollout.ended[:count],
        **read_given_parts(steps),
    )


def _compute_bonus(model: Any, rollout: HeldRollout, steps: StepCopies) -> Array | None:
    """The discounted values of the last observations at time limits, which Stable-Baselines3 adds to the reward."""
    out = np.zeros((len(steps), rollout.rewards.shape[1]))
    cut = [final for final in steps.finals if steps.truncated[final.step][final.member]]
    if not cut:
        return out
    policy = model.policy
    if not is_torch(policy):
        return None
    with use_quietly(policy):
        for final in cut:
            seen, _ = policy.obs_to_tensor(final.observation)
            more = () if not is_recurrent(policy) else (final.state, torch.zeros(1, device=policy.device))
            out[final.step, final.member] = model.gamma * float(policy.predict_values(seen, *more)[0])
    return out


def compare_actions(model: Any, stored: Array, steps: StepCopies) -> RolloutActions:
    """The actions of some steps as drawn, stored and executed."""
    squashed = bool(getattr(model.policy, "squash_output", False)) and hasattr(model.action_space, "low")
    return RolloutActions(
        stored=np.asarray(stored).reshape(*np.shape(stored)[:2], -1),
        sampled=np.stack(steps.actions),
        executed=np.stack(steps.executed),
        rescaled=squashed or (hasattr(model, "replay_buffer") and hasattr(model.action_space, "low")),
    )


def check_storage(arrays: Mapping[str, Any], observations: Array, given: Array) -> Storage:
    """Which arrays use one memory, and how often stored observations repeat although the environment moved on.

    Args:
        arrays: every array of the store by its name; a dictionary of arrays is looked at part by part.
        observations: stored observations (T, N, D) in the order of time.
        given: what each of these steps returned.
    """
    named = [(name, part) for name, value in arrays.items() for part in _list_parts(value)]
    pairs = [
        f"{name} and {other}"
        for place, (name, first) in enumerate(named)
        for other, second in named[place + 1 :]
        if name != other and _one_memory(first, second)
    ]
    return Storage(
        shared=tuple(dict.fromkeys(pairs)), repeated=_measure_repeated(observations, given), rows=len(observations)
    )


def _list_parts(value: Any) -> list[Array]:
    parts = value.values() if isinstance(value, dict) else [value]
    return [part for part in parts if isinstance(part, np.ndarray) and part.size]


def _one_memory(first: Array, second: Array) -> bool:
    try:
        return bool(np.shares_memory(first, second, max_work=TOO_MUCH_WORK))
    except np.exceptions.TooHardError:
        return False


def _measure_repeated(observations: Array, given: Array) -> float | None:
    if len(observations) < 3:
        return None
    same = (observations[2:] == observations[1:-1]).all(axis=2)
    moved = (given[1:-1] != given[:-2]).any(axis=2)
    return float((same & moved).sum() / max(moved.sum(), 1)) if moved.any() else None
