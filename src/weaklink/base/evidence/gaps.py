"""Stretches of a run in which a monitor measured nothing, and which of its curves cannot be judged for that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from weaklink.base.evidence.series import Series

BUDGET = "budget"

NEVER_RATIONED = ("reward.episode_return", "task.", "evaluation.")
"""How the names of metrics begin that a monitor records whatever its budget: the trainer has them anyway."""

WIDE = 0.25
"""A hole over this share of the run hides a trend: the course of a return is told from at least four blocks."""

COVERED = 0.5
"""A hole belongs to the gaps that were written down where they make up this share of it; otherwise the curve is merely
logged that seldom."""

MOST_GAPS = 2000
"""More gaps than this are joined in pairs: they fill a recording of any length, and a run is read in bounded memory."""


class Gap(msgspec.Struct, frozen=True):
    """From the step of the last measuring to that of the next: how many updates passed unmeasured, and why.

    `why` is `budget`, or the part of the monitor that failed meanwhile.
    """

    start: float
    end: float
    updates: int = 0
    why: str = BUDGET


def add_gap(gaps: list[Gap], gap: Gap) -> None:
    """Adds a gap, in bounded memory."""
    gaps.append(gap)
    if len(gaps) > MOST_GAPS:
        pairs = zip(gaps[::2], gaps[1::2], strict=False)
        joined = [Gap(one.start, two.end, one.updates + two.updates, one.why) for one, two in pairs]
        gaps[:] = joined + gaps[2 * len(joined) :]


def parse_gap(content: object) -> Gap | None:
    """The gap that a line of a recording holds; None where it is broken."""
    try:
        return msgspec.convert(content, Gap)
    except msgspec.ValidationError:
        return None


def find_holes(series: Mapping[str, Series], gaps: Sequence[Gap]) -> dict[str, Gap]:
    """The series that have a hole too wide to judge across, each with that hole."""
    reach = [one for one in series.values() if len(one)]
    if not gaps or not reach:
        return {}
    first, last = min(one.first_step for one in reach), max(one.last_step for one in reach)
    found = ((name, _find_hole(one, gaps, first, last)) for name, one in series.items() if len(one))
    return {name: hole for name, hole in found if hole is not None}


def _find_hole(series: Series, gaps: Sequence[Gap], first: float, last: float) -> Gap | None:
    """The widest stretch without a point, where it is wide and written down as unmeasured."""
    steps = np.concatenate(([first], series.steps, [last]))
    place = int(np.argmax(np.diff(steps)))
    start, end = float(steps[place]), float(steps[place + 1])
    if end - start <= WIDE * (last - first):
        return None
    rationed = not series.name.startswith(NEVER_RATIONED)
    inside = [gap for gap in gaps if gap.end > start and gap.start < end and (rationed or gap.why != BUDGET)]
    covered = sum(min(gap.end, end) - max(gap.start, start) for gap in inside)
    if covered < COVERED * (end - start):
        return None
    return Gap(start, end, sum(gap.updates for gap in inside), _find_main_reason(inside))


def _find_main_reason(gaps: Iterable[Gap]) -> str:
    """The reason of the widest of these gaps."""
    return max(gaps, key=lambda gap: gap.end - gap.start).why
