"""Which of the user's settings an algorithm of Stable-Baselines3 takes under the same meaning."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from weaklink.base.evidence.config import Config, find_canonical_name

SAME_MEANING = frozenset(
    (
        "batch_size",
        "buffer_size",
        "clip_range",
        "entropy_coefficient",
        "environments",
        "epochs",
        "exploration_final_epsilon",
        "exploration_fraction",
        "gae_lambda",
        "gamma",
        "gradient_steps",
        "learning_rate",
        "learning_starts",
        "max_gradient_norm",
        "normalize_advantage",
        "rollout_steps",
        "target_kl",
        "target_update_interval",
        "tau",
        "train_frequency",
        "value_coefficient",
    )
)
"""Hyper-parameters that are counted the same way wherever they occur."""

NO_SETTINGS = frozenset(("algorithm", "environment", "seed", "total_steps", "policy"))
"""What the comparison itself decides."""

MEMBERS = "n_envs"


def translate_settings(package: str, name: str, settings: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings under the names of the library, and the user's names of those that it does not have."""
    parameters = _list_parameters(package, name)
    by_meaning = {find_canonical_name(word): word for word in (*parameters, MEMBERS)}
    taken: dict[str, Any] = {}
    left: list[str] = []
    for word, value in settings.items():
        meaning = find_canonical_name(word)
        if word in parameters:
            taken[word] = value
        elif meaning in SAME_MEANING and meaning in by_meaning:
            taken.setdefault(by_meaning[meaning], Config.of({word: value}).values[meaning])
        elif meaning not in NO_SETTINGS:
            left.append(word)
    return taken, tuple(left)


def _list_parameters(package: str, name: str) -> tuple[str, ...]:
    """The names that the algorithm takes; none where it is not known, which making the trainer then tells."""
    for module in ("stable_baselines3", "sb3_contrib") if package == "sb3" else ("sb3_contrib",):
        try:
            algorithm = getattr(import_module(module), name, None)
        except ImportError:
            return ()
        if algorithm is not None:
            decided = ("policy", "env", "seed", "device", "_init_setup_model", "verbose")
            return tuple(word for word in inspect.signature(algorithm).parameters if word not in decided)
    return ()
