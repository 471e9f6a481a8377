"""Stable-Baselines3 and sb3-contrib algorithms by their name alone: as trainers that can be probed, or untrained."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from importlib import import_module
from typing import Any

import numpy as np
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import DummyVecEnv

from weaklink.adapters.sb3.agent import make_agent
from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits

NOISE = NormalActionNoise(np.zeros(1), np.full(1, 0.3))
SMALL = {"net_arch": [32, 32]}
IMAGE_RATE, IMAGE_EVERY = 1e-3, 4
ON_POLICY = {"learning_rate": 5e-3, "gae_lambda": 0.95, "policy_kwargs": SMALL}
OFF_POLICY = {"learning_rate": 3e-3, "learning_starts": 100, "buffer_size": 10_000, "policy_kwargs": SMALL}
WITHOUT_TARGET = {**OFF_POLICY, "batch_size": 64, "train_freq": 1, "gradient_steps": 1}
ACTOR_CRITIC = {**WITHOUT_TARGET, "train_freq": 2, "tau": 0.1}
DETERMINISTIC = {
    **WITHOUT_TARGET,
    "tau": 0.05,
    "learning_rate": 1e-3,
    "learning_starts": 400,
    "action_noise": NOISE,
}
VALUE_BASED = {
    **OFF_POLICY,
    "batch_size": 32,
    "train_freq": 2,
    "gradient_steps": 1,
    "target_update_interval": 50,
    "exploration_fraction": 0.5,
    "max_grad_norm": 10.0,
}
CLIPPED = {**ON_POLICY, "learning_rate": 1e-2, "n_steps": 16, "batch_size": 128, "n_epochs": 8, "ent_coef": 0.005}

SETTINGS: dict[str, dict[str, Any]] = {
    "PPO": CLIPPED,
    "MaskablePPO": CLIPPED,
    "RecurrentPPO": {**CLIPPED, "learning_rate": 5e-3, "policy_kwargs": {**SMALL, "lstm_hidden_size": 32}},
    "TRPO": {**ON_POLICY, "n_steps": 16, "batch_size": 64},
    "A2C": {**ON_POLICY, "n_steps": 8, "ent_coef": 0.005},
    "DQN": VALUE_BASED,
    "QRDQN": {**VALUE_BASED, "policy_kwargs": {**SMALL, "n_quantiles": 20}},
    "SAC": {**ACTOR_CRITIC, "ent_coef": "auto_0.1"},
    "TQC": {**ACTOR_CRITIC, "ent_coef": "auto_0.1"},
    "CrossQ": {**WITHOUT_TARGET, "ent_coef": "auto_0.1"},
    "TD3": DETERMINISTIC,
    "DDPG": DETERMINISTIC,
    "ARS": {"n_delta": 8, "learning_rate": 0.05, "delta_std": 0.1},
}
"""Settings with which a right implementation solves the small problems of the ladder fast."""

TRAITS = {
    "DQN": Traits(steps=1500, actions=(DISCRETE,)),
    "QRDQN": Traits(steps=1500, actions=(DISCRETE,)),
    "SAC": Traits(steps=700, actions=(CONTINUOUS,)),
    "TQC": Traits(steps=700, actions=(CONTINUOUS,)),
    "CrossQ": Traits(steps=700, actions=(CONTINUOUS,)),
    # a deterministic actor runs into a bound before it tells two images apart, in one training of three
    "TD3": Traits(steps=1000, actions=(CONTINUOUS,), forms=("dict",)),
    "DDPG": Traits(steps=1000, actions=(CONTINUOUS,), forms=("dict",)),
    "PPO": Traits(steps=1536, scales=False, several=True),
    "A2C": Traits(steps=4096, scales=False, several=True),
    "TRPO": Traits(steps=4096, scales=False, several=True),
    "ARS": Traits(steps=20_000, scales=False),
    "RecurrentPPO": Traits(steps=2048, scales=False, several=True, remembers=True),
    "MaskablePPO": Traits(steps=2048, actions=(DISCRETE,), several=True, masks=True),
}

MEMBERS = dict.fromkeys(("PPO", "A2C", "TRPO", "RecurrentPPO", "MaskablePPO"), 8)


def trainer(name: str, settings: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The trainer of an algorithm by its name; `settings` take the place of those meant for the ladder."""
    algorithm = find_algorithm(name)
    chosen = dict(SETTINGS.get(name, {}) if settings is None else settings)
    members = int(chosen.pop("n_envs", MEMBERS.get(name, 1) if settings is None else 1))
    _check_settings(chosen, algorithm, name)

    def fitted(policy: str) -> dict[str, Any]:
        # algorithms write into their `policy_kwargs`
        return deepcopy(fit_settings(chosen, policy) if settings is None else chosen)

    def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9) -> Any:
        environment = DummyVecEnv([make_env] * members)
        wanted = {"gamma": gamma} if "gamma" in inspect.signature(algorithm).parameters else {}
        policy = pick_policy(environment.observation_space, name)
        model = algorithm(policy, environment, seed=seed, device="cpu", **{**fitted(policy), **wanted})
        model.learn(steps)
        return make_agent(model, gamma)

    def with_own_discount(make_env: Callable[[], Any], steps: int, seed: int) -> Any:
        return train(make_env, steps, seed, float(chosen["gamma"]))

    made: Callable[..., Any] = with_own_discount if "gamma" in chosen else train
    made.traits = TRAITS.get(name, Traits())  # type: ignore[attr-defined]
    made.settings = {"n_envs": MEMBERS.get(name, 1), **SETTINGS.get(name, {})}  # type: ignore[attr-defined]
    return made


def untrained(name: str, environment: Any, settings: Mapping[str, Any]) -> Any:
    """A model of an algorithm by its name, with these settings and otherwise the library's own."""
    policy = pick_policy(environment.observation_space, name)
    return algorithm_with(name, settings)(policy, environment, **deepcopy(dict(settings)))


def algorithm_with(name: str, settings: Mapping[str, Any]) -> Any:
    """The class of an algorithm by its name, where it takes these settings."""
    algorithm = find_algorithm(name)
    _check_settings(settings, algorithm, name)
    return algorithm


def find_algorithm(name: str) -> Any:
    """The class of an algorithm by its name."""
    for candidate in ("stable_baselines3", "sb3_contrib"):
        try:
            module = import_module(candidate)
        except ImportError:
            raise UsageError(f"{name} needs {candidate}: pip install 'weaklink[sb3]'.") from None
        if hasattr(module, name):
            return getattr(module, name)
    raise UsageError(f"Neither stable_baselines3 nor sb3_contrib has '{name}'. Known: {', '.join(sorted(SETTINGS))}.")


def _check_settings(settings: Mapping[str, Any], algorithm: Any, name: str) -> None:
    taken = set(inspect.signature(algorithm).parameters) - {"policy", "env", "seed", "device", "_init_setup_model"}
    for word in settings:
        if word not in taken:
            raise UsageError(f"{name} takes no setting '{word}'. It takes n_envs, {', '.join(sorted(taken))}.")


def pick_policy(space: Any, name: str) -> str:
    """The policy of the library that takes observations of this space."""
    kind = type(space).__name__
    if name == "ARS":
        return "LinearPolicy"
    form = "MultiInput" if kind == "Dict" else "Cnn" if len(space.shape or ()) == 3 else "Mlp"
    return f"{form}LstmPolicy" if name == "RecurrentPPO" else f"{form}Policy"


def fit_settings(settings: dict[str, Any], policy: str) -> dict[str, Any]:
    """Images go through a large network by default; a smaller one with smaller steps does for these."""
    if not policy.startswith("Cnn"):
        return settings
    kwargs = {"features_extractor_kwargs": {"features_dim": 32}, **settings.get("policy_kwargs", {})}
    rarely = {"train_freq": IMAGE_EVERY} if "train_freq" in settings else {}
    return {**settings, **rarely, "learning_rate": IMAGE_RATE, "policy_kwargs": kwargs}
