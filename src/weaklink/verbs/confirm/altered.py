"""A target with one variable changed: what the user wrote is called as ever, and one thing is other than it asked."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from importlib import import_module, util
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.proving import Change
from weaklink.verbs.debug.target import LoadedTarget

REWARD_SCALE, NORMALISE = "reward_scale", "normalise_observations"
OF_ENVIRONMENT = (REWARD_SCALE, NORMALISE)

ALSO_CALLED = {
    "learning_rate": ("lr", "actor_lr", "policy_lr"),
    "ent_coef": ("entropy_coef", "entropy_coefficient", "ent_weight", "entropy_weight"),
    "clip_range_vf": ("value_clip", "clip_value"),
    "target_kl": ("kl_target",),
}
"""What arguments of a user's own `train` are called besides."""


class MadeParts:
    """What the user's functions made, and why they could not be given something else."""

    def __init__(self) -> None:
        self.model: Any = None
        self.agent: Any = None
        self.unusable = ""


def alter_target(thing: LoadedTarget, change: Change | None, seed: int) -> tuple[LoadedTarget, MadeParts]:
    """The parts of a target with a change; the seed of a model is always the one given here."""
    kept = MadeParts()
    setting = None if change is None or change.setting in OF_ENVIRONMENT else change
    return (
        msgspec.structs.replace(
            thing,
            make_env=_alter_environments(thing.make_env, change, kept),
            make_model=None if thing.make_model is None else _alter_models(thing.make_model, setting, seed, kept),
            train=None if thing.train is None else _alter_training(thing.train, thing.config, setting, kept),
        ),
        kept,
    )


def _remember_refusal(kept: MadeParts, work: Callable[..., Any]) -> Callable[..., Any]:
    """Remembers that something cannot be used: whoever calls may take it for a failure of the training."""

    @functools.wraps(work)
    def done(*args: object, **options: object) -> Any:
        try:
            return work(*args, **options)
        except UsageError as error:
            kept.unusable = str(error)
            raise

    return done


def _alter_environments(make: Callable[[], Any], change: Change | None, kept: MadeParts) -> Callable[[], Any]:
    if change is None or change.setting not in OF_ENVIRONMENT:
        return make

    def make_env() -> Any:
        adapter = import_module("weaklink.adapters.gymnasium.changed")
        if change.setting == NORMALISE:
            return adapter.normalised(make())
        return adapter.scaled(make(), change.times)

    return _remember_refusal(kept, make_env)


def _alter_models(make: Callable[..., Any], change: Change | None, seed: int, kept: MadeParts) -> Callable[..., Any]:
    def make_model(*environment: object) -> Any:
        if util.find_spec("stable_baselines3") is None:
            _refuse_setting(change)
            kept.model = make(*environment)
            return kept.model
        turns: dict[str, Callable[[Any], Any]] = {"seed": lambda _: seed}
        if change is not None:
            turns[change.setting] = functools.partial(apply_change, change)
        with import_module("weaklink.adapters.sb3.changed").change_arguments(turns) as told:
            kept.model = make(*environment)
        if change is not None:
            told.required(change.setting)
        return kept.model

    return _remember_refusal(kept, make_model)


def _refuse_setting(change: Change | None) -> None:
    if change is not None:
        raise UsageError(f"{change.setting} can be changed in models of Stable-Baselines3, which is not installed.")


def _alter_training(
    train: Callable[..., Any], config: dict[str, Any], change: Change | None, kept: MadeParts
) -> Callable[..., Any]:
    @functools.wraps(train)
    def trained(*args: object, **options: object) -> Any:
        given = {} if change is None else _find_keyword(train, config, change)
        kept.agent = train(*args, **{**options, **given})
        return kept.agent

    return _remember_refusal(kept, trained)


def _find_keyword(train: Callable[..., Any], config: dict[str, Any], change: Change) -> dict[str, Any]:
    """The argument by which a user's `train` is told, with its new value."""
    names = (change.setting, *ALSO_CALLED.get(change.setting, ()))
    parameters = inspect.signature(train).parameters
    name = next((each for each in names if each in parameters), "")
    if not name:
        raise UsageError(
            f"train takes no {change.setting}, so the experiment cannot change it. Add it as an argument with its "
            f"usual value: def train(make_env, steps, seed, {change.setting}=...)."
        )
    default = parameters[name].default
    stated = next((config[each] for each in names if each in config), None)
    return {name: apply_change(change, stated if default in (inspect.Parameter.empty, None) else default)}


def apply_change(change: Change, value: object) -> Any:
    """The value, changed: a number or a schedule multiplied (a count stays a count), or another value altogether."""
    factor = change.times
    if factor is None:
        return change.to
    if callable(value):
        return lambda *left: factor * value(*left)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(
            f"{change.setting} is {value!r}, which cannot be multiplied by {factor:g}: give it as a number."
        )
    return max(1, round(value * factor)) if isinstance(value, int) and value else value * factor
