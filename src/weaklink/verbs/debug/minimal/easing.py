"""Which versions of the task there are, easiest first, and how each is made. Runs where the target is loaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.survey import Play
from weaklink.base.outside.named import load_module, load_named
from weaklink.verbs.debug.minimal.evidence import TaskVersion
from weaklink.verbs.debug.target import CaseTarget, LoadedTarget

AS_IT_IS = "the task as it is"
LONG, SHORTER = 200, 200
"""Episodes longer than this are cut, where rewards come often enough that a piece of one can be learnt from."""

OFTEN = 0.1
"""The share of steps that pay something else than usual."""

KNOWN_ARGUMENTS: dict[str, dict[str, Any]] = {
    "FrozenLake": {"is_slippery": False},
    "CliffWalking": {"is_slippery": False},
}
"""What makes well-known environments easier: their own arguments."""

OFFERED = "easy_envs", "easier", "easiest"


def read_offer(target: CaseTarget) -> dict[str, Any]:
    """What a target offers by itself: `easy_envs` or `easier()`, and `easiest`, arguments of its `make_env`."""
    if not target.module:
        return {}
    word = f"{target.module}:{target.attribute}"
    holder = load_named(word, "The target") if target.attribute else load_module(target.module, "The target")
    return {name: getattr(holder, name) for name in OFFERED if getattr(holder, name, None) is not None}


def find_easy_environments(target: CaseTarget) -> dict[str, Callable[[], Any]]:
    """The easy environments that a target makes itself, by name."""
    found = read_offer(target)
    thing = found.get("easy_envs", found.get("easier"))
    if callable(thing) and not isinstance(thing, Mapping):
        thing = thing()
    if thing is None:
        return {}
    if isinstance(thing, Mapping):
        made = {str(name): make for name, make in thing.items()}
    elif isinstance(thing, Sequence) and not isinstance(thing, str):
        made = {_name_environment(make, place): make for place, make in enumerate(thing, 1)}
    else:
        made = {"easier": thing}
    wrong = [name for name, make in made.items() if not callable(make) and not isinstance(make, str)]
    if wrong:
        raise UsageError(
            f"easy_envs of {target.word} names functions that each make an environment; '{wrong[0]}' is none."
        )
    return made


def _name_environment(make: object, place: int) -> str:
    return str(getattr(make, "__name__", "")).replace("<lambda>", "").replace("_", " ").strip() or f"easy {place}"


def list_tasks(target: CaseTarget, play: Play | None, seed: int = 0) -> tuple[TaskVersion, ...]:
    """The easier versions: the target's own where it offers any, else what can be made easier in any environment."""
    own = [TaskVersion(name=name, told=(name,), given=name) for name in find_easy_environments(target)]
    arguments = read_offer(target).get("easiest") or _find_known_arguments(target)
    if isinstance(arguments, Mapping) and arguments:
        words = tuple(f"{name}={value}" for name, value in arguments.items())
        own.append(TaskVersion(name=", ".join(words), told=words, arguments={str(k): v for k, v in arguments.items()}))
    if own:
        return tuple(own)
    horizon = _pick_horizon(play)
    told = ["every episode begins in the same state"]
    told += [f"episodes end after {horizon} steps"] if horizon else []
    return (
        TaskVersion(
            name="one start" + (", short episodes" if horizon else ""),
            told=tuple(told),
            one_start=True,
            start=seed,
            horizon=horizon,
        ),
    )


def _find_known_arguments(target: CaseTarget) -> dict[str, Any]:
    return next((known for name, known in KNOWN_ARGUMENTS.items() if target.environment.startswith(name)), {})


def _pick_horizon(play: Play | None) -> int:
    """How long episodes of the easier version are: 0 leaves them, where a goal at their end would get lost."""
    if play is None or not len(play.rewards):
        return 0
    lengths = play.ended_lengths if play.episodes else play.lengths
    usual = float(np.median(play.rewards))
    often = float(np.mean(play.rewards != usual)) > OFTEN
    return SHORTER if often and float(np.median(lengths)) > LONG else 0


def build_maker(task: TaskVersion, target: CaseTarget, thing: LoadedTarget, *, pay_part: bool) -> Callable[[], Any]:
    """A function that makes a version; `pay_part` False leaves the whole reward, to count all of its parts."""
    inner = _build_inner_maker(task, target, thing)
    adapter = import_module("weaklink.adapters.gymnasium.easing")
    part = task.part if pay_part else ""
    return lambda: adapter.eased(
        adapter.single(inner()), horizon=task.horizon, one_start=task.one_start, part=part, seed=task.start
    )


def _build_inner_maker(task: TaskVersion, target: CaseTarget, thing: LoadedTarget) -> Callable[[], Any]:
    made = import_module("weaklink.collect.survey.surveyed").make_environment
    if task.given:
        make = find_easy_environments(target)[task.given]
        return _wrap_maker(make, {}, made)
    if task.arguments and target.environment:
        return lambda: made(target.environment, task.arguments)
    if task.arguments:
        holder = load_named(target.part("make_env") if not target.module else _write_maker_word(target), "The target")
        return _wrap_maker(_check_arguments(holder, task.arguments, target), task.arguments, made)
    return thing.make_env


def _write_maker_word(target: CaseTarget) -> str:
    return f"{target.module}:{f'{target.attribute}.' if target.attribute else ''}make_env"


def _check_arguments(make: Any, arguments: Mapping[str, Any], target: CaseTarget) -> Any:
    if isinstance(make, str):
        return make
    try:
        inspect.signature(make).bind(**arguments)
    except TypeError as error:
        raise UsageError(f"easiest of {target.word} are arguments of its make_env: {error}.") from None
    return make


def _wrap_maker(make: Any, arguments: Mapping[str, Any], made: Callable[..., Any]) -> Callable[[], Any]:
    """What makes an environment, where it may be an id or return one."""

    def build() -> Any:
        if isinstance(make, str):
            return made(make, arguments)
        thing = make(**arguments)
        return made(thing, {}) if isinstance(thing, str) else thing

    return build
