"""Gymnasium vector environments, and their first member seen as an environment of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from weaklink.adapters.described import describe_space
from weaklink.adapters.gymnasium.autoreset import FINALS, read_autoreset
from weaklink.adapters.gymnasium.environment import read_facts
from weaklink.base.evidence.protocols import Stepped, VectorEnvironment
from weaklink.base.evidence.spaces import make_flattener, sample_space, unflatten


class GymnasiumVector:
    """All members together."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.count = int(env.num_envs)
        self.framework = "gymnasium"
        self.autoreset = read_autoreset(env)
        self.observation = describe_space(env.single_observation_space)
        self.action = describe_space(env.single_action_space)
        self._flat = make_flattener(self.observation)

    def reset(self, seed: int | None = None) -> Any:
        """Begins an episode in every member."""
        observations, _ = self.env.reset(seed=seed)
        return self.rows(observations)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[Mapping[str, Any]]]:
        """Steps every member with its flattened action."""
        observations, rewards, terminated, truncated, infos = self.env.step(self.batch(actions))
        ended = np.asarray(terminated) | np.asarray(truncated)
        if self.autoreset == "disabled" and ended.any():
            self.env.reset(options={"reset_mask": ended})
        told: list[Mapping[str, Any]] = [self._info(infos, member) for member in range(self.count)]
        return self.rows(observations), rewards, terminated, truncated, told

    def rows(self, observations: Any) -> Any:
        """A flattened row for each member."""
        members = split(observations, self.count)
        return np.array([np.asarray(self._flat(one), dtype=float).reshape(-1) for one in members])

    def batch(self, actions: Any) -> Any:
        """Flattened actions as the vector wants them."""
        return join_values([unflatten(self.action, row) for row in actions])

    def _info(self, infos: Mapping[str, Any], member: int) -> dict[str, Any]:
        for key in FINALS:
            finals = infos.get(key)
            if finals is not None and infos.get(f"_{key}", [True] * self.count)[member]:
                final = finals[member] if not isinstance(finals, Mapping) else {k: v[member] for k, v in finals.items()}
                if final is not None:
                    return {"final_observation": np.asarray(self._flat(final), dtype=float).reshape(-1)}
        return {}

    def shared(self) -> list[tuple[int, int]]:
        """Pairs of members that are one and the same object, as far as members can be seen at all."""
        return find_shared(getattr(getattr(self.env, "unwrapped", self.env), "envs", None) or ())

    def close(self) -> None:
        """Closes every member."""
        with contextlib.suppress(Exception):
            self.env.close()


class FirstMember:
    """One member of a vector; the others take random actions meanwhile."""

    def __init__(self, vector: GymnasiumVector) -> None:
        self.vector: VectorEnvironment = vector
        self._whole = vector
        self.observation, self.action = vector.observation, vector.action
        self.inner = vector.env
        self.facts = read_facts(vector.env) | {"framework": "gymnasium", "members": vector.count, "standard": True}
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode in every member."""
        self._rng = np.random.default_rng(0 if seed is None else seed)
        observations, _ = self._whole.env.reset(seed=seed)
        return split(observations, self._whole.count)[0], {}

    def step(self, action: Any) -> Stepped:
        """Steps every member; the first one's outcome, its last observation where its episode ended."""
        others = sample_space(self.action, self._whole.count - 1, self._rng)
        actions = join_values([action, *(unflatten(self.action, row) for row in others)])
        observations, rewards, terminated, truncated, infos = self._whole.env.step(actions)
        observation = split(observations, self._whole.count)[0]
        for key in FINALS:
            finals = infos.get(key)
            if finals is not None and not isinstance(finals, Mapping) and finals[0] is not None:
                observation = finals[0]
        if self._whole.autoreset == "disabled":
            self._begin_others(np.asarray(terminated) | np.asarray(truncated))
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def _begin_others(self, ended: Any) -> None:
        """Starts the other members anew where nobody else does; the first waits for its own reset."""
        ended[0] = False
        if ended.any():
            self._whole.env.reset(options={"reset_mask": ended})

    def raw_rewards(self) -> list[float] | None:
        """Not looked for inside of a vector."""
        return None

    def close(self) -> None:
        """Closes every member."""
        self._whole.close()


def environment(env: Any) -> FirstMember:
    """The first member of a vector environment."""
    return FirstMember(GymnasiumVector(env))


def split(values: Any, count: int) -> list[Any]:
    """A batch of values taken apart, one for each member."""
    if isinstance(values, Mapping):
        parts = {key: split(part, count) for key, part in values.items()}
        return [{key: parts[key][member] for key in parts} for member in range(count)]
    if isinstance(values, tuple) and not hasattr(values, "shape"):
        pieces = [split(part, count) for part in values]
        return [tuple(piece[member] for piece in pieces) for member in range(count)]
    return [values[member] for member in range(count)]


def join_values(values: list[Any]) -> Any:
    """Values of each member as one batch."""
    first = values[0]
    if isinstance(first, Mapping):
        return {key: join_values([value[key] for value in values]) for key in first}
    if isinstance(first, tuple):
        return tuple(join_values([value[place] for value in values]) for place in range(len(first)))
    return np.stack([np.asarray(value) for value in values])


def find_shared(members: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of members whose innermost environment is one and the same object."""
    inner = [getattr(member, "unwrapped", member) for member in members]
    return [(one, other) for one, other in combinations(range(len(inner)), 2) if inner[one] is inner[other]]
