"""What can be probed: a name such as `sb3:PPO`, `module:train`, or an object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from weaklink.adapters.framework import Framework, list_frameworks
from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Trainer
from weaklink.base.evidence.traits import ACTIONS, FORMS, Traits
from weaklink.base.outside.named import load_named, make_instance

TAKEN = ("make_env", "steps", "seed")
OF_LANGUAGE = ("model", "tokenizer", "reward", "prompts", "settings")
"""The arguments of a function that trains a language model, by which it is known."""

FEW_UPDATES = 24


def find_trainer(thing: object, settings: Mapping[str, Any] | None = None) -> Trainer:
    """The trainer that a word or an object stands for.

    Args:
        thing: `sb3:PPO`, `sb3_contrib:TQC`, `torchrl:PPO`, `trl:GRPO`, `module:train`, `file.py:train`, or the function
            itself; one with the arguments `model, tokenizer, reward, prompts, settings` trains a language model.
        settings: hyper-parameters instead of those made for the ladder; only for trainers given by name.
    """
    if not isinstance(thing, str):
        return _check_trainer(thing, getattr(thing, "__name__", type(thing).__name__))
    package, _, name = thing.partition(":")
    if name and not name.endswith(".py") and (known := find_framework(package)) is not None:
        known.require(thing, known.trainers[package])
        made: Trainer = known.load("trainer").trainer(name, settings)
        return made
    if settings:
        raise UsageError(
            f"--as-configured sets hyper-parameters of trainers given by name, such as sb3:PPO; {thing} has its own."
        )
    return _check_trainer(load_named(thing, "The trainer"), thing)


def find_framework(prefix: str) -> Framework | None:
    """The framework whose trainers are given with this prefix: `sb3` in `sb3:PPO`."""
    return next((known for known in list_frameworks() if prefix in known.trainers), None)


def _check_trainer(thing: object, word: str) -> Trainer:
    """A function that can be called as trainers are, or the message that says why not."""
    made = make_instance(thing, word)
    train: Callable[..., Any] = getattr(made, "train", made)
    if not callable(train):
        raise UsageError(
            f"{word} is no trainer: it must be a function train(make_env, steps, seed) that returns an agent."
        )
    if trains_language(train):
        return train
    try:
        inspect.signature(train).bind(*TAKEN)
    except TypeError as error:
        raise UsageError(f"{word} cannot be called as train(make_env, steps, seed): {error}.") from None
    except ValueError:  # built in: it has no signature to look at
        pass
    return train


def trains_language(train: Callable[..., Any]) -> bool:
    """Whether it asks for a model and prompts and not for an environment."""
    told = getattr(train, "traits", None)
    if isinstance(told, Traits):
        return told.language
    try:
        return set(OF_LANGUAGE) <= set(inspect.signature(train).parameters)
    except (TypeError, ValueError):
        return False


def read_traits(train: Trainer) -> Traits:
    """What it says of itself: its attribute `traits`, or single ones such as `train.actions = ("discrete",)`."""
    told = getattr(train, "traits", None)
    if isinstance(told, Traits):
        return told
    fields = {name: getattr(train, name) for name in Traits.__struct_fields__ if hasattr(train, name)}
    if trains_language(train):
        return Traits(**{"steps": FEW_UPDATES, **fields, "language": True})
    for name in (ACTIONS, FORMS):
        if name in fields:
            fields[name] = tuple([fields[name]] if isinstance(fields[name], str) else fields[name])
    return Traits(**{"guessed": tuple(name for name in (ACTIONS, FORMS) if name not in fields), **fields})
