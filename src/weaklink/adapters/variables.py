"""What the user's own code holds in its variables while it runs: hyper-parameters, and networks by name."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from types import FrameType, SimpleNamespace
from typing import Any

from weaklink.base.evidence.config import find_canonical_name
from weaklink.base.outside.own_code import is_own

BOUNDS = {"gamma": (0.1, 1.0), "gae_lambda": (0.0, 1.0), "clip_range": (0.01, 1.0)}
"""The settings that are looked for, with the least and the largest number that can be one of them. Epochs are not: that
word stands for passes over a rollout in one script and for the whole training in the next."""

OTHER_MEANINGS = frozenset(["gae", "lambda", "epsilon", "clip", "e_clip", "discount"])
"""Names that stand for these settings in a configuration and for many other things among the variables of a loop: an
advantage, the rate of random actions, the limit of a gradient, the mask of one step."""

HOLDERS = frozenset(
    ("args", "c", "cfg", "conf", "config", "flags", "hp", "hparams", "hps", "opt", "options", "opts", "p", "params")
)
"""Names of variables that hold settings, where their type does not say so."""

TARGETS = ("targ", "tgt")
"""What the names of target networks hold: `target_net`, `q1_targ`, `tgt_q`."""

MOST_NAMES, DEEPEST = 2_000, 2
"""Variables of one frame that are looked at, and how deep in objects that hold settings."""


def read_settings(frame: FrameType | None) -> dict[str, float]:
    """The settings that the functions of the user's code which are being run have in their variables.

    Looked at are variables, the object that a method belongs to, and objects that hold settings. One of which two
    different numbers are found is left out: either may be meant.

    Args:
        frame: the innermost function that is being run.
    """
    found: dict[str, set[float]] = {}
    for key, value in _list_variables(frame):
        name = None if type(value) not in (int, float) or key.lower() in OTHER_MEANINGS else find_canonical_name(key)
        low, high = BOUNDS.get(name or "", (1.0, 0.0))
        if name is not None and low <= value <= high:
            found.setdefault(name, set()).add(float(value))
    return {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1}


def find_targets(frame: FrameType | None) -> dict[str, Any]:
    """What the same functions call a target, by the names of its variables: a network, or anything else."""
    return {key: value for key, value in _list_variables(frame) if any(word in key.lower() for word in TARGETS)}


def _list_variables(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """The variables of all functions of the user's code that are being run, with what the objects in them hold."""
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            for variables in ({**frame.f_locals}, frame.f_globals):
                yield from _list_held(variables)
        frame = frame.f_back


def _list_held(variables: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Variables or attributes, with those of the objects among them that hold settings."""
    for key, value in list(variables.items())[:MOST_NAMES]:
        yield key, value
        if depth < DEEPEST and type(value) not in (int, float):
            yield from _list_held(_read_held(key, value), depth + 1)


def _read_held(key: str, value: Any) -> Mapping[str, Any]:
    """What an object holds, if it is one that holds settings; no property is asked, since that may do anything."""
    if isinstance(value, type) and is_dataclass(value):
        return {}  # defaults, which an instance may have replaced
    holds = key.lower() in HOLDERS or isinstance(value, (Namespace, SimpleNamespace)) or is_dataclass(value)
    if type(value) is dict:
        return value if holds else {}
    if key != "self" and not holds:
        return {}
    if isinstance(value, tuple):
        return dict(zip(getattr(value, "_fields", ()), value, strict=False))
    kind = value if isinstance(value, type) else type(value)
    constants = vars(kind) if _is_own_class(kind) else {}
    return {**constants, **getattr(value, "__dict__", {})}


def _is_own_class(kind: type) -> bool:
    """Whether a class is none of Python's or of a large library, whose attributes mean something else."""
    return kind.__module__.partition(".")[0] not in ("builtins", "torch", "numpy", "gymnasium", "argparse", "types")
