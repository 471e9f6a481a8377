"""The environment: its spaces and wrappers, what checkers say of it, and what simple policies earn in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.show.allowing import allow_name
from weaklink.show.bugreport.pen import MarkdownPen, fence_lines, fold_lines
from weaklink.show.text import format_number, format_step

MOST_BOUNDS = 8


def write_lines(survey: Survey, pen: MarkdownPen) -> Iterator[str]:
    """What a survey saw."""
    yield from fence_lines(_list_facts(survey, pen), "text")
    yield from _list_complaints(survey, pen)
    yield from _list_faults(survey, pen)
    yield from _list_baselines(survey, pen)


def _list_facts(survey: Survey, pen: MarkdownPen) -> Iterator[str]:
    yield f"environment: {pen.plain(allow_name(survey.name), 80)}"
    for name, space in (("observation space", survey.observation), ("action space", survey.action)):
        if space is not None:
            yield f"{name}: {pen.plain(describe_space(space), 400)}"
    wrappers = survey.facts.get("wrappers")
    if isinstance(wrappers, list | tuple):
        yield f"wrappers, from outside in: {pen.plain(', '.join(allow_name(str(one)) for one in wrappers) or 'none')}"
    for name, told in (("max_episode_steps", "longest episode"), ("reward_threshold", "counts as solved at")):
        if isinstance(survey.facts.get(name), int | float):
            yield f"{told}: {format_number(float(survey.facts[name]))}"
    if survey.members is not None:
        yield f"members: {survey.members.count} ({pen.plain(survey.members.framework, 40)})"
    if survey.timing is not None:
        yield f"speed: {format_step(round(survey.timing.steps_per_second))} steps a second"


def describe_space(space: Space) -> str:
    """A space as people write it down: `Box(-1 to 1, (4,), float32)`."""
    if space.kind == "box":
        return f"Box({_describe_bounds(space)}, {space.shape}, {space.dtype})"
    if space.kind == "discrete":
        return f"Discrete({space.choices[0]})" if space.choices else "Discrete"
    if space.kind == "multi_discrete":
        return f"MultiDiscrete({list(space.choices)})"
    if space.kind == "multi_binary":
        return f"MultiBinary({space.size})"
    if space.parts:
        inside = ", ".join(f"{allow_name(key)}: {describe_space(part)}" for key, part in space.parts.items())
        return f"{space.kind.capitalize()}({inside})"
    return "something that cannot be flattened"


def _describe_bounds(space: Space) -> str:
    if space.low is None or space.high is None or not len(space.low):
        return "no bounds"
    low, high = np.unique(space.low), np.unique(space.high)
    if len(low) == 1 and len(high) == 1:
        return f"{format_number(float(low[0]))} to {format_number(float(high[0]))}"
    if len(space.low) > MOST_BOUNDS:
        return f"{format_number(float(low[0]))} to {format_number(float(high[-1]))}, not the same for all"
    pairs = zip(space.low.tolist(), space.high.tolist(), strict=True)
    return "; ".join(f"{format_number(float(least))} to {format_number(float(most))}" for least, most in pairs)


def _list_complaints(survey: Survey, pen: MarkdownPen) -> Iterator[str]:
    if survey.complaints is None:
        return
    if not survey.complaints:
        yield from ("", "The environment checkers that were asked complain of nothing.")
        return
    told = [
        f"- {pen.prose(allow_name(one.source))} ({one.level}): {pen.prose(one.text)}"
        for one in survey.complaints[: pen.most]
    ]
    yield from ("", "What environment checkers say:", "", *told)
    yield from pen.rest(len(survey.complaints))


def _list_faults(survey: Survey, pen: MarkdownPen) -> Iterator[str]:
    for fault in survey.faults[: pen.most]:
        place = f"{fault.stage}, step {format_step(fault.step)}"
        yield from ("", f"**It {fault.kind}** while {pen.prose(place)}: {pen.prose(fault.message)}")
        if fault.where:
            yield from fence_lines((pen.plain(allow_name(frame)) for frame in fault.where[: pen.most]), "text")


def _list_baselines(survey: Survey, pen: MarkdownPen) -> Iterator[str]:
    rows = [
        (
            pen.name(play.policy),
            format_number(float(play.returns.mean())),
            format_number(float(np.mean(play.ended_lengths))),
            f"{play.episodes:,}",
        )
        for play in survey.plays.values()
        if play.episodes
    ]
    if rows:
        head = ("policy", "mean return", "mean length", "episodes")
        yield from fold_lines("What simple policies earn in it", pen.table(head, rows, right=(1, 2, 3)))
