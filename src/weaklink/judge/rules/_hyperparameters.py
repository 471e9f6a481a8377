"""How rules read a configuration: names of hyper-parameters, their numbers and flags, rollout and minibatch sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from weaklink.base.evidence.config import Config, find_canonical_name, parse_value

# names for the minibatch of trainers that log a batch (the whole rollout) as well
MINIBATCH = ("minibatch_size", "sgd_minibatch_size", "mini_batch_size", "ppo_mini_batch_size")

# algorithms that take one gradient step on the whole rollout
WHOLE_ROLLOUT = ("a2c", "a3c", "vpg", "reinforce")

# algorithms whose policy steps by its own line search; their critic has an optimizer and a loss of its own
NATURAL_GRADIENT = ("trpo", "npg", "acktr")

# learners of a table, which have no network and no optimizer
TABLES = ("q", "qlearning", "doubleqlearning", "sarsa", "expectedsarsa", "sarsalambda", "tdlambda", "montecarlo")

# names for rollout steps that already count every environment
_ALL_ENVIRONMENTS = ("steps_per_epoch", "step_per_collect")

# names for a part of a rollout: how many parts make one update is not known
_PIECE_OF_ROLLOUT = ("rollout_fragment_length", "time_horizon")


def get_last_part(key: str) -> str:
    """The last part of a nested key, in lower case."""
    return re.split(r"[./]", key.strip().lower())[-1]


def find_key(config: Config, name: str) -> str:
    """The trainer's own name for a canonical hyper-parameter; the canonical name where no other is known."""
    for key, value in config.raw.items():
        if value is not None and find_canonical_name(key) == name:
            return get_last_part(key)
    return name


def read_positive(config: Config, name: str) -> float | None:
    """A hyper-parameter that must be above zero to mean anything; None where it is missing, zero or not finite."""
    value = config.number(name)
    return value if value is not None and isfinite(value) and value > 0 else None


def read_number(config: Config, *names: str) -> float | None:
    """The first finite number under one of these names: a whole key, or the last part of a nested one."""
    for value in _find_values(config, names):
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            return float(value)
    return None


def read_flag(config: Config, *names: str) -> bool | None:
    """The first boolean found under one of these names."""
    return next((value for value in _find_values(config, names) if isinstance(value, bool)), None)


def read_rollout_size(config: Config) -> float | None:
    """How many samples an on-policy trainer collects for one update, or None."""
    whole = read_positive(config, "train_batch_size")
    if whole is not None:
        return whole
    steps, environments = read_positive(config, "rollout_steps"), read_positive(config, "environments")
    word = find_key(config, "rollout_steps")
    if steps is None or word in _PIECE_OF_ROLLOUT:
        return None
    if word in _ALL_ENVIRONMENTS:
        return steps
    return None if environments is None else steps * environments


def read_minibatch_size(config: Config) -> float | None:
    """How many samples an on-policy trainer uses for one gradient step, or None."""
    named = read_number(config, *MINIBATCH)
    if named is not None and named >= 1:
        return named
    count, samples = read_positive(config, "minibatches"), read_rollout_size(config)
    if count is not None:
        return None if samples is None else float(samples // count) or None
    return read_positive(config, "batch_size")


def is_table(config: Config) -> bool:
    """Whether values are kept in a table: by the algorithm or the log, and no network or batch is configured."""
    named = config.algorithm in TABLES or config.algorithm.startswith("tabular") or "tabular" in config.values
    return named and not {"network", "batch_size", "buffer_size"} & config.values.keys()


def is_one_step_a_rollout(config: Config) -> bool:
    """Whether the settings say that each rollout is learned from once, in one minibatch."""
    if config.number("epochs") != 1:
        return False
    rollout, minibatch = read_rollout_size(config), read_minibatch_size(config)
    if rollout is not None and minibatch is not None:
        return minibatch >= rollout
    return config.number("minibatches") == 1


def _find_values(config: Config, names: tuple[str, ...]) -> Iterator[Any]:
    yield from (parse_value(config.values[name]) for name in names if name in config.values)
    yield from (parse_value(value) for key, value in config.raw.items() if get_last_part(key) in names)
