"""Stacks of Stable-Baselines3 vector environments, and models saved by it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.adapters.described import describe_space
from weaklink.adapters.gymnasium.vector import find_shared, join_values, split
from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Stepped, VectorEnvironment
from weaklink.base.evidence.spaces import make_flattener, sample_space, unflatten

WARM_UP = 200
"""Steps with which a normaliser is set before it is held still: a survey looks at the environment alone."""


STATISTICS = ("obs_rms", "ret_rms", "returns", "training")


class VecEnvStack:
    """A VecEnv with its wrappers, all members together."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.count = int(env.num_envs)
        self.framework = "sb3"
        self.autoreset = "same_step"
        self.observation = describe_space(env.observation_space)
        self.action = describe_space(env.action_space)
        self.flat = make_flattener(self.observation)

    def reset(self, seed: int | None = None) -> Any:
        """Begins an episode in every member."""
        if seed is not None:
            self.env.seed(seed)
        return self.rows(self.env.reset())

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[Mapping[str, Any]]]:
        """Steps every member with its flattened action."""
        observations, rewards, dones, infos = self.env.step(
            join_values([unflatten(self.action, row) for row in actions])
        )
        cut = np.array([bool(info.get("TimeLimit.truncated", False)) for info in infos])
        told: list[Mapping[str, Any]] = [self._info(info) for info in infos]
        return self.rows(observations), rewards, np.asarray(dones) & ~cut, np.asarray(dones) & cut, told

    def rows(self, observations: Any) -> Any:
        """A flattened row for each member."""
        members = split(observations, self.count)
        return np.array([np.asarray(self.flat(one), dtype=float).reshape(-1) for one in members])

    def _info(self, info: Mapping[str, Any]) -> dict[str, Any]:
        final = info.get("terminal_observation")
        return {} if final is None else {"final_observation": np.asarray(self.flat(final), dtype=float).reshape(-1)}

    def shared(self) -> list[tuple[int, int]]:
        """Pairs of members that are one and the same object, as far as members can be seen at all."""
        return find_shared(getattr(list(_list_layers(self.env))[-1], "envs", None) or ())

    def close(self) -> None:
        """Closes every member."""
        with contextlib.suppress(Exception):
            self.env.close()


class FirstMember:
    """The first member of a stack; the others take random actions meanwhile."""

    def __init__(self, stack: VecEnvStack) -> None:
        self.vector: VectorEnvironment = stack
        self._stack = stack
        self.observation, self.action = stack.observation, stack.action
        self.inner = _find_innermost(stack.env)
        self.facts = _read_facts(stack.env)
        self._rng = np.random.default_rng(0)
        self._paid: list[float] | None = None
        self._before: dict[str, Any] = {}
        self._normaliser: Any = next((one for one in _list_layers(stack.env) if _is(one, "VecNormalize")), None)
        if self._normaliser is not None:
            self._hold_still()

    def _hold_still(self) -> None:
        """Sets the normaliser by a short random play unless it is set already, then stops it."""
        normaliser = self._normaliser
        self._before = {name: deepcopy(getattr(normaliser, name)) for name in STATISTICS if hasattr(normaliser, name)}
        if getattr(getattr(normaliser, "ret_rms", None), "count", 0) < WARM_UP and normaliser.training:
            self._stack.reset(0)
            for _ in range(WARM_UP):
                self._stack.step(sample_space(self.action, self._stack.count, self._rng))
        normaliser.training = False

    def reset(self, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """Begins an episode in every member."""
        self._rng = np.random.default_rng(0 if seed is None else seed)
        if seed is not None:
            self._stack.env.seed(seed)
        return split(self._stack.env.reset(), self._stack.count)[0], {}

    def step(self, action: Any) -> Stepped:
        """Steps every member; the first one's outcome, its last observation where its episode ended."""
        others = sample_space(self.action, self._stack.count - 1, self._rng)
        actions = join_values([action, *(unflatten(self.action, row) for row in others)])
        observations, rewards, dones, infos = self._stack.env.step(actions)
        info = infos[0]
        if self._paid is not None:
            self._paid.append(float(self._normaliser.get_original_reward()[0]))
        cut = bool(info.get("TimeLimit.truncated", False))
        ended = bool(dones[0])
        observation = info.get("terminal_observation") if ended else None
        if observation is None:
            observation = split(observations, self._stack.count)[0]
        kept = {key: value for key, value in info.items() if key not in ("terminal_observation", "episode")}
        return observation, float(rewards[0]), ended and not cut, ended and cut, kept

    def raw_rewards(self) -> list[float] | None:
        """Collects what is paid before the normaliser changes it."""
        if self._normaliser is not None and self._normaliser.norm_reward:
            self._paid = []
        return self._paid

    def release(self) -> None:
        """Puts back the normaliser of a stack that is somebody else's."""
        for name, value in self._before.items():
            setattr(self._normaliser, name, value)

    def close(self) -> None:
        """Closes every member."""
        self._stack.close()


def environment(env: Any) -> FirstMember:
    """The first member of a stack."""
    return FirstMember(VecEnvStack(env))


def _list_layers(env: Any) -> Iterator[Any]:
    while env is not None:
        yield env
        env = getattr(env, "venv", None)


def _is(layer: Any, name: str) -> bool:
    return any(ancestor.__name__ == name for ancestor in type(layer).__mro__)


def _find_innermost(env: Any) -> Any:
    base = list(_list_layers(env))[-1]
    members = getattr(base, "envs", None)
    return getattr(members[0], "unwrapped", members[0]) if members else base


def _read_facts(env: Any) -> dict[str, Any]:
    layers = list(_list_layers(env))
    names = tuple(type(layer).__name__ for layer in layers)
    facts: dict[str, Any] = {"framework": "sb3", "wrappers": names, "members": int(env.num_envs), "standard": True}
    normaliser = next((layer for layer in layers if _is(layer, "VecNormalize")), None)
    if normaliser is not None:
        facts["normalises_observations"] = bool(normaliser.norm_obs)
        facts["normalises_rewards"] = bool(normaliser.norm_reward)
        if normaliser.norm_reward:
            facts["clip_reward"] = float(normaliser.clip_reward)
    members = getattr(layers[-1], "envs", None)
    spec = getattr(members[0], "spec", None) if members else None
    for name in ("max_episode_steps", "reward_threshold"):
        value = getattr(spec, name, None)
        if value is not None:
            facts[name] = value
    return facts


def load_model(file: str, algorithm: str) -> Any:
    """A model from a zip that the user said to trust: `PPO`, `sb3:PPO`, `sb3_contrib:TQC`."""
    package, _, name = algorithm.rpartition(":")
    homes = {"": ("stable_baselines3", "sb3_contrib"), "sb3": ("stable_baselines3",), "sb3_contrib": ("sb3_contrib",)}
    for home in homes.get(package, (package,)):
        with contextlib.suppress(ImportError):
            kind = getattr(import_module(home), name, None)
            if kind is not None:
                return kind.load(file, device="cpu")
    raise UsageError(f"Neither stable_baselines3 nor sb3_contrib, as installed here, has an algorithm '{name}'.")
