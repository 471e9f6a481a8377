"""A trainer made ready to be compared: its own settings or its library's defaults, never those of the ladder."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.protocols import Trainer
from weaklink.collect.probes.trainers import find_framework, find_trainer

GAMMA = 0.99
"""The discount that both are told where the settings have none: the one that libraries begin with."""

SB3 = ("sb3", "sb3_contrib")


class ReadyTrainer(msgspec.Struct, frozen=True):
    """How to call a trainer: `told` are the arguments beyond make_env, steps and seed; `settings` what it was given."""

    train: Trainer
    told: dict[str, Any]
    settings: dict[str, str]
    notes: tuple[str, ...] = ()


def prepare_trainer(thing: Any, settings: Mapping[str, Any] | None = None) -> ReadyTrainer:
    """The trainer that a word or an object stands for, with those of the settings that it takes."""
    given = dict(settings or {})
    package, _, name = thing.partition(":") if isinstance(thing, str) else ("", "", "")
    if package in SB3 and name:
        return _prepare_library_trainer(thing, package, name, given)
    train = find_trainer(thing)
    told, left = _split_settings(train, given)
    notes = [f"it takes no {', '.join(left)}"] if left else []
    if find_framework(package) is not None:
        notes.append("everything else is as it is for probes")
    return ReadyTrainer(train, told, _format_settings(told), tuple(notes))


def _prepare_library_trainer(thing: str, package: str, name: str, given: dict[str, Any]) -> ReadyTrainer:
    find_trainer(thing)  # says what is missing, before anything else is asked of the library
    taken, left = import_module("weaklink.adapters.sb3.reference").translate_settings(package, name, given)
    gamma = taken.pop("gamma", GAMMA)
    notes = [f"it takes no {', '.join(left)}"] if left else []
    notes.append("everything else is the default of the library")
    return ReadyTrainer(
        find_trainer(thing, taken), {"gamma": gamma}, _format_settings({**taken, "gamma": gamma}), tuple(notes)
    )


def _split_settings(train: Trainer, given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The settings that the function has parameters for, and the names of the others."""
    try:
        parameters = inspect.signature(train).parameters
    except (TypeError, ValueError):
        return {}, sorted(given)
    anything = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    told = {word: value for word, value in given.items() if word in parameters or anything}
    if "gamma" in parameters:
        told["gamma"] = Config.of(given).values.get("gamma", GAMMA)
    return told, [word for word in given if word not in told]


def _format_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in settings.items()}
