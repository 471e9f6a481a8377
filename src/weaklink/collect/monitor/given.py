"""What the author of a loop hands over, as the parts of a look: arrays, tensors and numbers under plain names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.base.evidence.rollout import (
    Array,
    Estimates,
    Minibatch,
    Pairing,
    RolloutActions,
    SampleAges,
    Storage,
    Targets,
    Temperature,
)
from weaklink.base.evidence.update import Tape

NUMBERS = {
    "kl": "policy.kl",
    "approx_kl": "policy.kl",
    "clip_fraction": "policy.clip_fraction",
    "clipfrac": "policy.clip_fraction",
    "policy_loss": "policy.loss",
    "actor_loss": "policy.loss",
    "value_loss": "value.loss",
    "critic_loss": "value.q_loss",
    "q_loss": "value.q_loss",
    "q_mean": "value.q_mean",
    "q2_mean": "value.q2_mean",
    "explained_variance": "value.explained_variance",
    "entropy": "exploration.entropy",
    "alpha": "exploration.temperature",
    "epsilon": "exploration.epsilon",
    "loss": "optimizer.loss",
    "learning_rate": "optimizer.learning_rate",
    "gradient_norm": "optimizer.gradient_norm",
    "grad_norm": "optimizer.gradient_norm",
}
"""Short names of numbers, and what they are in the vocabulary; other names are kept and understood like a log's."""

MOST_NUMBERS = 4_000_000
"""Numbers of observations that are looked at for nothing but resets."""

TEMPERATURE, ENTROPY, TARGET_ENTROPY = "exploration.temperature", "exploration.entropy", "target_entropy"

OF_ROLLOUT = frozenset((
    "observations", "next_observations", "actions", "sampled_actions", "executed_actions", "rewards", "values",
    "log_probs", "dones", "last_done", "starts", "last_start", "terminated", "truncated", "last_value", "final_values",
    "advantages", "returns", "gamma", "lam", "normalised", "ages", "policy", "modules", "optimizers", "clip_range",
    "epochs", "loss",
))  # fmt: skip
OF_UPDATE = frozenset((
    "log_probs", "ratios", "targets", "rewards", "next_values", "own_values", "terminated", "truncated", "gamma",
    "values", "minibatch", "online", "target", "modules", "optimizers",
))  # fmt: skip
"""What may be handed over with an update that is no number over time."""


def to_array(thing: Any) -> Array:
    """Numbers as an array, wherever they came from."""
    if isinstance(thing, list | tuple) and thing and torch_arrays.is_tensor(thing[0]):
        return np.stack([torch_arrays.to_array(each) for each in thing])
    return torch_arrays.to_array(thing) if torch_arrays.is_tensor(thing) else np.asarray(thing)


def collect_numbers(given: Mapping[str, Any]) -> dict[str, float]:
    """The numbers among what was handed over, by their names in the vocabulary."""
    return {NUMBERS.get(name, name): _to_number(value) for name, value in given.items() if value is not None}


def _to_number(value: Any) -> float:
    return float(value.detach() if torch_arrays.is_tensor(value) else value)


def flatten_rows(thing: Any, rewards: Any) -> Any:
    """Rows of time and environments as one long list of rows; tensors stay tensors."""
    lead = np.ndim(rewards) if not torch_arrays.is_tensor(rewards) else rewards.dim()
    lead = 1 if lead < 2 else 2
    held = thing if hasattr(thing, "reshape") else to_array(thing)
    return held.reshape(-1, *held.shape[lead:]) if lead == 2 else held


def read_estimates(given: Mapping[str, Any]) -> Estimates | None:
    """Rewards, values and what was made of them."""
    if "rewards" not in given:
        return None
    rewards = to_array(given["rewards"])
    if rewards.ndim == 3 and rewards.shape[-1] == 1:
        rewards = rewards[..., 0]

    def shaped(name: str) -> Array | None:
        found = given.get(name)
        if found is None:
            return None
        held = to_array(found)
        return held.reshape(rewards.shape) if held.size == rewards.size else held

    terminated, truncated = read_ends(given, rewards.shape)
    return Estimates(
        rewards=rewards,
        values=shaped("values"),
        terminated=terminated,
        truncated=truncated,
        last_value=_read_last_value(given, rewards.shape),
        final_values=shaped("final_values"),
        gamma=given.get("gamma"),
        lam=given.get("lam"),
        advantages=shaped("advantages"),
        returns=shaped("returns"),
        normalised=bool(given.get("normalised", False)),
    )


def _read_last_value(given: Mapping[str, Any], shape: tuple[int, ...]) -> Any:
    if given.get("last_value") is None:
        return None
    held = to_array(given["last_value"]).reshape(-1)
    return held.reshape(shape[1:]) if held.size == int(np.prod(shape[1:], initial=1)) else held


def read_ends(given: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[Array | None, Array | None]:
    """Where episodes ended, by terminals and by time limits; the second is None where the two are not told apart.

    `starts[t]` says that observation t begins an episode, so the end lies one step earlier. `dones` together with
    `last_done` are starts: that is how loops after the fashion of CleanRL keep them.
    """

    def flags(name: str) -> Array:
        return to_array(given[name]).reshape(shape).astype(bool)

    if "terminated" in given:
        return flags("terminated"), flags("truncated") if "truncated" in given else None
    begins = "starts" if "starts" in given else "dones" if "last_done" in given else ""
    if begins:
        last = given.get("last_start", given.get("last_done", False))
        closing = np.broadcast_to(to_array(last).reshape(-1).astype(bool), shape[1:] or (1,))
        following = flags(begins)[1:]
        return np.concatenate([following, closing.reshape(1, *shape[1:])]), None
    return (flags("dones"), None) if "dones" in given else (None, None)


def read_ages(given: Mapping[str, Any]) -> SampleAges | None:
    """How old the samples are, where that was handed over."""
    return SampleAges(updates=to_array(given["ages"]).reshape(-1), tolerated=0.0) if "ages" in given else None


def read_actions(given: Mapping[str, Any]) -> RolloutActions | None:
    """The actions at their three places, where more than the stored one was handed over."""
    sampled, executed = (
        to_array(given[name]) if name in given else None for name in ("sampled_actions", "executed_actions")
    )
    if "actions" not in given or (sampled is None and executed is None):
        return None
    return RolloutActions(stored=to_array(given["actions"]), sampled=sampled, executed=executed)


def read_pairing(given: Mapping[str, Any]) -> Pairing | None:
    """Stored observations, and beside them the stored next ones where these are there."""
    if not {"observations", "rewards"} <= set(given) or isinstance(given["observations"], Mapping):
        return None
    if "next_observations" not in given and _count(given["observations"]) > MOST_NUMBERS:
        return None
    shape = to_array(given["rewards"]).shape[:2]
    terminated, truncated = read_ends(given, shape)
    ended = terminated if truncated is None or terminated is None else terminated | truncated
    lead = (*shape, 1)[:2]

    def columns(name: str) -> Array:
        return to_array(given[name]).reshape(*lead, -1)

    return Pairing(
        observations=columns("observations"),
        next_observations=columns("next_observations") if "next_observations" in given else None,
        ended=None if ended is None else ended.reshape(lead),
    )


def add_tape(pairing: Pairing, given: Mapping[str, Any], tape: Tape) -> Pairing:
    """What was stored, with what the environments gave for the same steps.

    As it is where these are not the same steps, and where some of them only reset a member: rules know such steps by
    what was stored.
    """
    rewards = to_array(given["rewards"])
    lead = (tape.times, tape.members)
    stored = pairing.observations
    if stored is None or stored.shape != (*lead, tape.observations.shape[1]) or rewards.size != tape.rows:
        return pairing
    if tape.fillers.any():
        return pairing
    seen, last = (each.reshape(*lead, -1) for each in (tape.observations, tape.next_observations))
    return replace(
        pairing,
        given_observations=np.concatenate([seen[1:], last[-1:]]),
        rewards=rewards.reshape(lead),
        given_rewards=tape.rewards.reshape(lead),
        ended=(tape.terminated | tape.truncated).reshape(lead),
    )


def copy_estimates(given: Mapping[str, Any]) -> dict[str, Array]:
    """The returns and advantages that were handed over, by time and environment, kept beyond the trainer's use."""
    if "rewards" not in given:
        return {}
    shape = (*to_array(given["rewards"]).shape, 1)[:2]
    found = {name: to_array(given[name]) for name in ("returns", "advantages") if given.get(name) is not None}
    return {name: each.reshape(shape).copy() for name, each in found.items() if each.size == shape[0] * shape[1]}


def _count(thing: Any) -> int:
    """How many numbers there are, without moving any."""
    several = isinstance(thing, list | tuple) and len(thing) > 0
    shape = np.shape(thing[0]) if several else np.shape(thing)
    return int(np.prod(shape)) * (len(thing) if several else 1)


def check_storage(given: Mapping[str, Any]) -> Storage | None:
    """Whether rows that should be apart lie in one memory; only a list of rows can show it."""
    kept = given.get("observations")
    if not isinstance(kept, Sequence) or len(kept) < 2 or not hasattr(kept[0], "shape"):
        return None
    return Storage(shared=("observations",) if _one_memory(kept) else (), rows=len(kept))


def _one_memory(kept: Sequence[Any]) -> bool:
    if torch_arrays.is_tensor(kept[0]):
        return len({each.data_ptr() for each in kept}) < len(kept)
    return any(np.shares_memory(one, other) for one, other in pairwise(kept))


def read_targets(parts: Mapping[str, Any]) -> Targets | None:
    """One-step targets beside what they are made of."""
    if not {"targets", "rewards", "next_values", "terminated", "gamma"} <= set(parts):
        return None

    def row(name: str) -> Array:
        return to_array(parts[name]).reshape(-1)

    return Targets(
        rewards=row("rewards"),
        terminated=row("terminated").astype(bool),
        truncated=row("truncated").astype(bool) if "truncated" in parts else None,
        next_values=row("next_values"),
        own_values=row("own_values") if "own_values" in parts else None,
        targets=row("targets"),
        gamma=float(parts["gamma"]),
    )


def match_minibatch(parts: Mapping[str, Any], given: Mapping[str, Any]) -> Minibatch | None:
    """A minibatch beside the rows of the rollout with the same log-probabilities, where these tell rows apart."""
    drawn = parts.get("minibatch")
    if not isinstance(drawn, Mapping) or "log_probs" not in drawn or "log_probs" not in given:
        return None
    stored = to_array(given["log_probs"]).reshape(-1)
    order = np.argsort(stored)
    wanted = to_array(drawn["log_probs"]).reshape(-1)
    if len(np.unique(stored)) < len(stored):
        return None
    places = order[np.clip(np.searchsorted(stored[order], wanted), 0, len(stored) - 1)]
    columns = {}
    for name in ("advantages", "returns", "values", "actions"):
        if name in drawn and name in given:
            whole = to_array(given[name]).reshape(len(stored), -1)
            columns[name] = to_array(drawn[name]).reshape(len(wanted), -1), whole[places]
    return Minibatch(columns=columns) if columns else None


def read_temperature(told: Mapping[str, float], config: Mapping[str, Any], before: float | None) -> Temperature | None:
    """The temperature of a soft algorithm beside that of the update before, where the entropy is told with it."""
    target, now = told.get(TARGET_ENTROPY, config.get(TARGET_ENTROPY)), told.get(TEMPERATURE)
    if now is None or before is None or min(now, before) <= 0.0 or ENTROPY not in told:
        return None
    if not isinstance(target, int | float) or isinstance(target, bool):
        return None
    return Temperature(
        before=float(np.log(before)),
        after=float(np.log(now)),
        entropy_excess=told[ENTROPY] - float(target),
        target_entropy=float(target),
    )
