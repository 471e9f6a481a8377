"""The smallest agent that learns at all: a small network, large steps, a large entropy bonus, everything normalised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from weaklink.adapters.sb3.trainer import SETTINGS, SMALL, find_algorithm, fit_settings, pick_policy

USUAL = "PPO"
MEMBERS = 4
RATE, BONUS = 3e-3, 0.02
EDGE = 36
"""Pixels that the library's network for images needs along each edge."""

CLIPPED = {
    "learning_rate": RATE, "ent_coef": BONUS, "n_steps": 128, "batch_size": 128, "n_epochs": 8, "gae_lambda": 0.95,
    "policy_kwargs": SMALL,
}  # fmt: skip
SMALLEST: dict[str, dict[str, Any]] = {
    **SETTINGS,
    "PPO": CLIPPED,
    "MaskablePPO": CLIPPED,
    "RecurrentPPO": {**CLIPPED, "policy_kwargs": {**SMALL, "lstm_hidden_size": 32}},
    "A2C": {**SETTINGS["A2C"], "learning_rate": RATE, "ent_coef": BONUS},
}
"""What changes for each algorithm; where the library's ladder settings are small and fast already, they serve."""

TOLD = ("learning_rate", "ent_coef", "n_steps", "batch_size", "n_epochs")
ON_POLICY = ("PPO", "A2C", "TRPO", "RecurrentPPO", "MaskablePPO")


def known(name: str) -> str:
    """The algorithm to use in place of one: itself where a smallest version of it is known, otherwise PPO."""
    return name if name in SMALLEST and name != "ARS" else USUAL


class Smallest:
    """An untrained agent and its environments.

    Args:
        make_env: makes one environment.
        algorithm: a key of `SMALLEST`.
        seed: of everything.
        gamma: the discount.
    """

    def __init__(self, make_env: Callable[[], Any], algorithm: str, seed: int, gamma: float) -> None:
        members = MEMBERS if algorithm in ON_POLICY else 1
        self.normaliser = _normalise(DummyVecEnv([make_env] * members), gamma)
        space = self.normaliser.observation_space
        policy = pick_policy(space, algorithm)
        if policy.startswith("Cnn") and not _fits_a_network_for_images(space):
            policy = policy.replace("Cnn", "Mlp")
        self.settings = deepcopy(fit_settings(SMALLEST[algorithm], policy))
        kind = find_algorithm(algorithm)
        self.model = kind(policy, self.normaliser, seed=seed, device="cpu", gamma=gamma, **deepcopy(self.settings))

    @property
    def told(self) -> dict[str, Any]:
        """What makes it small, for people to read."""
        network = self.settings.get("policy_kwargs", {}).get("net_arch")
        return {"network": network, **{name: self.settings[name] for name in TOLD if name in self.settings}}

    @property
    def plain(self) -> Any:
        """Its environments as they are, without the normaliser."""
        return self.normaliser.venv

    def learn(self, steps: int, going: Callable[[int], bool]) -> int:
        """Trains until there are enough steps, or `going` (given those made so far) says no; the steps made."""
        self.model.learn(steps, callback=lambda inner, outer: going(int(self.model.num_timesteps)))
        return int(self.model.num_timesteps)

    def player(self, masks: Callable[[], Any] | None = None) -> Callable[[Any], Any]:
        """The trained policy for one episode: draws actions as in training, remembers where it can."""
        state: Any = None
        start = np.ones((1,), dtype=bool)
        frozen = self.normaliser

        def act(observation: Any) -> Any:
            nonlocal state
            shown = frozen.normalize_obs(_make_batch(observation))
            masked = {} if masks is None else {"action_masks": np.asarray(masks())[None]}
            action, state = self.model.predict(shown, state=state, episode_start=start, deterministic=False, **masked)
            start[:] = False
            return action[0]

        return act

    def close(self) -> None:
        """Closes the environments."""
        self.normaliser.close()


def masks_of(env: Any, algorithm: str) -> Callable[[], Any] | None:
    """What says which actions are allowed, for an algorithm that asks."""
    if algorithm != "MaskablePPO":
        return None
    found: Callable[[], Any] = env.get_wrapper_attr("action_masks")
    return found


def _make_batch(observation: Any) -> Any:
    if isinstance(observation, Mapping):
        return {key: np.asarray(value)[None] for key, value in observation.items()}
    return np.asarray(observation)[None]


def _normalise(inner: Any, gamma: float) -> Any:
    """Rewards always, observations where they are numbers and not pixels."""
    space = inner.observation_space
    if isinstance(space, gymnasium.spaces.Dict):
        keys = [key for key, part in space.spaces.items() if _is_numbers(part)]
        return VecNormalize(inner, norm_obs=bool(keys), norm_obs_keys=keys or None, gamma=gamma)
    return VecNormalize(inner, norm_obs=_is_numbers(space), gamma=gamma)


def _is_numbers(space: Any) -> bool:
    return isinstance(space, gymnasium.spaces.Box) and not is_image_space(space)


def _fits_a_network_for_images(space: Any) -> bool:
    return bool(is_image_space(space)) and min(sorted(space.shape)[-2:]) >= EDGE
