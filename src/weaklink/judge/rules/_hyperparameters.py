"""Readings of a configuration that several rules share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from weaklink.base.evidence.config import Config, canonical, plain

# trainers that log both a batch (the whole rollout) and a minibatch give the latter one of these names
_MINIBATCH = ("minibatch_size", "sgd_minibatch_size", "mini_batch_size", "ppo_mini_batch_size")

# words for the steps of a rollout that already count every environment, and words for a piece of a rollout
_WHOLE_ROLLOUT = ("steps_per_epoch", "step_per_collect")
_PIECE_OF_ROLLOUT = ("rollout_fragment_length", "time_horizon")


def tail(key: str) -> str:
    """The last part of a nested key, in lower case."""
    return re.split(r"[./]", key.strip().lower())[-1]


def key_of(config: Config, name: str) -> str:
    """The trainer's own word for a canonical hyper-parameter, or the canonical name where that is all there is."""
    for key, value in config.raw.items():
        if value is not None and canonical(key) == name:
            return tail(key)
    return name


def positive(config: Config, name: str) -> float | None:
    """A hyper-parameter that only means something above zero, or None."""
    value = config.number(name)
    return value if value is not None and isfinite(value) and value > 0 else None


def stated(config: Config, *names: str) -> float | None:
    """The first finite number found under one of these names, as a whole key or as the last part of one."""
    for value in _found(config, names):
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            return float(value)
    return None


def declared(config: Config, *names: str) -> bool | None:
    """The first yes or no found under one of these names."""
    return next((value for value in _found(config, names) if isinstance(value, bool)), None)


def rollout(config: Config) -> float | None:
    """How many samples are collected for one update of an on-policy trainer, or None."""
    whole = positive(config, "train_batch_size")
    if whole is not None:
        return whole
    steps, environments = positive(config, "rollout_steps"), positive(config, "environments")
    word = key_of(config, "rollout_steps")
    if steps is None or word in _PIECE_OF_ROLLOUT:
        return None
    if word in _WHOLE_ROLLOUT:
        return steps
    return None if environments is None else steps * environments


def minibatch(config: Config) -> float | None:
    """How many samples one gradient step of an on-policy trainer sees, or None."""
    named = stated(config, *_MINIBATCH)
    if named is not None and named >= 1:
        return named
    count, samples = positive(config, "minibatches"), rollout(config)
    if count is not None:
        return None if samples is None else float(samples // count) or None
    return positive(config, "batch_size")


def _found(config: Config, names: tuple[str, ...]) -> Iterator[Any]:
    yield from (plain(config.values[name]) for name in names if name in config.values)
    yield from (plain(value) for key, value in config.raw.items() if tail(key) in names)
