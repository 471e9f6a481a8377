"""Does the environment keep the contract of reset and step, and does it hand out arrays of their own?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.protocols import BrokenContract, Environment
from weaklink.base.evidence.spaces import Space, sample_space, unflatten_rows
from weaklink.base.evidence.survey import CheckerComplaint
from weaklink.collect.survey.frames import count_equal_frames, holds_frames
from weaklink.collect.survey.session import SurveySession, name_type

STEPS = 128
MOST_CHOICES = 64
SOURCE = "weaklink"


def check_contract(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Steps for a while and looks at the types of everything; each complaint is made once."""
    complaints: dict[str, CheckerComplaint] = {}
    handed: list[tuple[Any, Any]] = []
    given: list[tuple[Any, Any]] = []
    ages, age = [0], 0
    actions = unflatten_rows(environment.action, sample_space(environment.action, STEPS, session.rng))
    call = "reset"
    try:
        observation, info = environment.reset(session.plan.seed)
        complaints.update(_check_reset(environment.observation, observation, info))
        handed.append((observation, copy_values(observation)))
        call = "step"
        for action in actions:
            given.append((action, copy_values(action)))
            result = environment.step(action)
            session.steps += 1
            session.tick()
            complaints.update(_check_step(environment.observation, result))
            handed.append((result[0], copy_values(result[0])))
            age += 1
            ages.append(age)
            if session.over:
                break
            if result[2] or result[3]:
                environment.reset(None)
                age = 0
    except Exception as error:
        session.blame(error, call)
        if call == "step":
            choices = _find_raising_choices(session, environment)
            session.faults[-1] = msgspec.structs.replace(session.faults[-1], choices=choices)
    frames = count_equal_frames([kept for _, kept in handed], ages[: len(handed)])
    return {
        "complaints": tuple(complaints.values()),
        "in_place": _find_change_in_place(handed, "observation"),
        "overwritten": _find_change_in_place(given, "action"),
        "equal_frames": frames,
        "frames_held": holds_frames(environment.inner, frames),
    }


def _find_raising_choices(session: SurveySession, environment: Environment) -> tuple[int, ...]:
    """The choices with which the first step of an episode raises; none where all do, or where there are no choices."""
    space = environment.action
    if space.kind != "discrete" or not 2 <= space.choices[0] <= MOST_CHOICES:
        return ()
    every = range(space.first[0], space.first[0] + space.choices[0])
    raising: list[int] = []
    for choice, action in zip(every, unflatten_rows(space, np.array(every, dtype=float)[:, None]), strict=True):
        try:
            environment.reset(session.plan.seed)
            environment.step(action)
        except Exception:
            raising.append(choice)
        session.tick()
    return tuple(raising) if len(raising) < len(every) else ()


def _check_reset(space: Space, observation: object, info: object) -> Iterator[tuple[str, CheckerComplaint]]:
    if not isinstance(info, Mapping):
        yield _make_complaint(
            f"reset must return an observation and a dict of info; the info is of type {name_type(info)}."
        )
    yield from _check_observation(space, observation, "reset")


def _check_step(space: Space, result: object) -> Iterator[tuple[str, CheckerComplaint]]:
    if not isinstance(result, tuple) or len(result) != 5:
        size = f"{len(result)} values" if isinstance(result, tuple) else name_type(result)
        what = "observation, reward, terminated, truncated and info"
        raise BrokenContract(f"step must return {what}; it returned {size}")
    observation, reward, terminated, truncated, info = result
    for name, flag in (("terminated", terminated), ("truncated", truncated)):
        if not isinstance(flag, bool | np.bool_):
            yield _make_complaint(
                f"{name} must be a bool; it is of type {name_type(flag)}, such as {_format_value(flag)}."
            )
    if not _is_one_number(reward):
        yield _make_complaint(
            f"the reward must be one number; it is of type {name_type(reward)}, such as {_format_value(reward)}."
        )
    if not isinstance(info, Mapping):
        yield _make_complaint(f"the info of step must be a dict; it is of type {name_type(info)}.")
    yield from _check_observation(space, observation, "step")


def _check_observation(space: Space, observation: Any, call: str) -> Iterator[tuple[str, CheckerComplaint]]:
    if space.kind in ("dict", "tuple"):
        yield from _check_parts(space, observation, call)
    elif space.kind in ("box", "multi_discrete", "multi_binary"):
        shape = getattr(observation, "shape", None)
        if shape is None:
            yield _make_complaint(
                f"{call} must return an array as observation; it returned {name_type(observation)}.", "warn"
            )
        elif tuple(shape) != space.shape:
            yield _make_complaint(
                f"{call} returned an observation of shape {tuple(shape)}; its space says {space.shape}."
            )
        elif np.dtype(observation.dtype).kind != np.dtype(space.dtype).kind:
            told = f"{call} returned an observation of dtype {observation.dtype}; its space says {space.dtype}."
            yield _make_complaint(told, "warn")
    elif space.kind == "discrete" and not isinstance(observation, int | np.integer | np.ndarray):
        yield _make_complaint(
            f"{call} must return a whole number as observation; it returned {name_type(observation)}."
        )


def _check_parts(space: Space, observation: object, call: str) -> Iterator[tuple[str, CheckerComplaint]]:
    if space.kind == "dict":
        if not isinstance(observation, Mapping) or set(observation) != set(space.parts):
            has = sorted(map(str, observation)) if isinstance(observation, Mapping) else name_type(observation)
            yield _make_complaint(f"{call} must return a dict with the keys {sorted(space.parts)}; it returned {has}.")
            return
        pairs = [(part, observation[key]) for key, part in space.parts.items()]
    elif not isinstance(observation, tuple) or len(observation) != len(space.parts):
        yield _make_complaint(
            f"{call} must return a tuple of {len(space.parts)}; it returned {name_type(observation)}."
        )
        return
    else:
        pairs = list(zip(space.parts.values(), observation, strict=True))
    for part, value in pairs:
        yield from _check_observation(part, value, call)


def _make_complaint(text: str, level: str = "error") -> tuple[str, CheckerComplaint]:
    return text, CheckerComplaint(source=SOURCE, level=level, text=text)


def _is_one_number(value: object) -> bool:
    return isinstance(value, bool | int | float | np.integer | np.floating) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def _format_value(value: object) -> str:
    return repr(value)[:40]


def copy_values(values: object) -> Any:
    """An observation or an action with arrays of its own."""
    if isinstance(values, np.ndarray):
        return values.copy()
    if isinstance(values, Mapping):
        return {key: copy_values(value) for key, value in values.items()}
    return tuple(map(copy_values, values)) if isinstance(values, tuple) else values


def _find_change_in_place(handed: list[tuple[Any, Any]], label: str) -> str | None:
    """What has changed in an observation or action after it was handed over; None where too few were."""
    if len(handed) < 2:
        return None
    for given, copy in handed:
        changed = _find_difference(given, copy, label)
        if changed:
            return changed
    return ""


def _find_difference(given: Any, copy: Any, label: str) -> str:
    if isinstance(given, Mapping):
        return next(filter(None, (_find_difference(given[key], copy[key], f"{key}") for key in copy)), "")
    if isinstance(given, tuple):
        pairs = enumerate(zip(given, copy, strict=True))
        return next(filter(None, (_find_difference(a, b, f"{label}.{place}") for place, (a, b) in pairs)), "")
    if not isinstance(given, np.ndarray) or given.shape != copy.shape:
        return ""
    different = np.flatnonzero((given != copy) & ~((given != given) & (copy != copy)))
    return f"{label}[{different[0]}]" if len(different) else ""
