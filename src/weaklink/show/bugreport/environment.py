"""The environment: its spaces and wrappers, what checkers say of it, and what simple policies earn in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.show.bugreport.pen import Pen, fenced, folded
from weaklink.show.text import number, step

MOST_BOUNDS = 8


def lines(survey: Survey, pen: Pen) -> Iterator[str]:
    """What a survey saw."""
    yield from fenced(_facts(survey, pen), "text")
    yield from _complaints(survey, pen)
    yield from _faults(survey, pen)
    yield from _baselines(survey, pen)


def _facts(survey: Survey, pen: Pen) -> Iterator[str]:
    yield f"environment: {pen.plain(survey.name, 80)}"
    for name, space in (("observation space", survey.observation), ("action space", survey.action)):
        if space is not None:
            yield f"{name}: {pen.plain(described(space), 400)}"
    wrappers = survey.facts.get("wrappers")
    if isinstance(wrappers, list | tuple):
        yield f"wrappers, from outside in: {pen.plain(', '.join(map(str, wrappers)) or 'none')}"
    for name, told in (("max_episode_steps", "longest episode"), ("reward_threshold", "counts as solved at")):
        if isinstance(survey.facts.get(name), int | float):
            yield f"{told}: {number(float(survey.facts[name]))}"
    if survey.members is not None:
        yield f"members: {survey.members.count} ({pen.plain(survey.members.framework, 40)})"
    if survey.timing is not None:
        yield f"speed: {step(round(survey.timing.steps_per_second))} steps a second"


def described(space: Space) -> str:
    """A space as people write it down: `Box(-1 to 1, (4,), float32)`."""
    if space.kind == "box":
        return f"Box({_bounds(space)}, {space.shape}, {space.dtype})"
    if space.kind == "discrete":
        return f"Discrete({space.choices[0]})" if space.choices else "Discrete"
    if space.kind == "multi_discrete":
        return f"MultiDiscrete({list(space.choices)})"
    if space.kind == "multi_binary":
        return f"MultiBinary({space.size})"
    if space.parts:
        inside = ", ".join(f"{key}: {described(part)}" for key, part in space.parts.items())
        return f"{space.kind.capitalize()}({inside})"
    return "something that cannot be flattened"


def _bounds(space: Space) -> str:
    if space.low is None or space.high is None or not len(space.low):
        return "no bounds"
    low, high = np.unique(space.low), np.unique(space.high)
    if len(low) == 1 and len(high) == 1:
        return f"{number(float(low[0]))} to {number(float(high[0]))}"
    if len(space.low) > MOST_BOUNDS:
        return f"{number(float(low[0]))} to {number(float(high[-1]))}, not the same for all"
    pairs = zip(space.low.tolist(), space.high.tolist(), strict=True)
    return "; ".join(f"{number(float(least))} to {number(float(most))}" for least, most in pairs)


def _complaints(survey: Survey, pen: Pen) -> Iterator[str]:
    if survey.complaints is None:
        return
    if not survey.complaints:
        yield from ("", "The environment checkers that were asked complain of nothing.")
        return
    told = [f"- {pen.prose(one.source)} ({one.level}): {pen.prose(one.text)}" for one in survey.complaints[: pen.most]]
    yield from ("", "What environment checkers say:", "", *told)
    yield from pen.rest(len(survey.complaints))


def _faults(survey: Survey, pen: Pen) -> Iterator[str]:
    for fault in survey.faults[: pen.most]:
        place = f"{fault.stage}, step {step(fault.step)}"
        yield from ("", f"**It {fault.kind}** while {pen.prose(place)}: {pen.prose(fault.message)}")
        if fault.where:
            yield from fenced((pen.plain(frame) for frame in fault.where[: pen.most]), "text")


def _baselines(survey: Survey, pen: Pen) -> Iterator[str]:
    rows = [
        (
            pen.code(play.policy),
            number(float(play.returns.mean())),
            number(float(np.mean(play.ended_lengths))),
            f"{play.episodes:,}",
        )
        for play in survey.plays.values()
        if play.episodes
    ]
    if rows:
        head = ("policy", "mean return", "mean length", "episodes")
        yield from folded("What simple policies earn in it", pen.table(head, rows, right=(1, 2, 3)))
