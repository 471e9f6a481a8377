"""Replayed targets of several steps: a window of rewards, and the value of what follows it.

Where the networks are asked about observations that lie further ahead than the next one, each window of the tape is
folded into one step: its discounted rewards are the reward, and what follows it is what follows the step. All
that is worked out of targets of one step then holds of these, with the discount to the power of their steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.action_values import OneStepFit, find_moved, fit_one_step
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.next_values import join_next_values, list_next_values
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.weighed_rows import WeighedRows, fit_weighed
from weaklink.collect.monitor.reading.windows import MOST_STEPS, list_windows

FEWEST, MOSTLY = 16, 0.5
"""Rows that must tell how far ahead the networks were asked, and the share of them that agrees: ends cut windows."""

DISCOUNTS = (0.99, 0.95, 0.9, 0.98, 0.97, 0.995, 0.997, 0.999, 1.0)
"""Discounts that are tried beside the one that a trainer was set to."""

MOST_TRIED, CLEARLY = 16, 10.0
"""Discounts that are tried altogether, and how many times better a next value that is discounted once must fit than
one that is discounted as it should be."""

SAME = 2e-3
"""How far the discount of the next value may lie from the power of that of the rewards."""


@dataclass(frozen=True, slots=True, eq=False)
class FoldedReading:
    """An update whose windows are folded.

    Attributes:
        reading: the update, with a tape of windows.
        steps: of a window.
        gamma: the discount of the rewards in it.
        once: whether the next value is discounted once, as after a single step.
    """

    reading: UpdateReading
    steps: int
    gamma: float
    once: bool

    @property
    def discount(self) -> float:
        """That of the value of what follows a window."""
        return self.gamma if self.once else self.gamma**self.steps


def fold_steps(
    reading: UpdateReading,
    calls: Sequence[HeadCall],
    taken: TakenActions,
    gamma: float | None,
    steps: int,
    *,
    through: bool = False,
) -> FoldedReading | None:
    """The update with windows folded, where its targets have several steps; None where no discount fits.

    Args:
        reading: of the update.
        calls: of one head.
        taken: the actions of the tape.
        gamma: as the trainer was set to; None where that is not known.
        steps: of a target.
        through: whether windows run through the ends of episodes.
    """
    if steps < 2:
        return None
    windows = list_windows(reading.tape, steps, through=through)
    placed = _place_windows(reading, calls, windows[-1])
    waiting = [*(() if gamma is None else (gamma,)), *DISCOUNTS]
    found: list[tuple[float, bool, float, UpdateReading]] = []
    for rate in waiting:
        folded = replace(placed, tape=_fold_tape(reading.tape, windows, rate))
        fit = _fit_discount(folded, calls, taken, (rate**steps, rate))
        if fit is None:
            continue
        root = max(fit.gamma, 0.0) ** (1.0 / steps)
        if len(waiting) < MOST_TRIED and not any(abs(root - each) < SAME / steps for each in waiting):
            waiting.append(root)
        apart, once = abs(fit.gamma - rate**steps), abs(fit.gamma - rate)
        if min(apart, once) < SAME:
            found.append((fit.unexplained * (CLEARLY if once < apart else 1.0), once < apart, rate, folded))
    if not found:
        return None
    _, once_alone, rate, folded = min(found, key=lambda each: each[0])
    return FoldedReading(folded, steps, rate, once_alone)


def count_steps_ahead(reading: UpdateReading, calls: Sequence[HeadCall]) -> int:
    """How many steps after the rows of a loss the observations lie that networks were asked about beside it."""
    ahead = [
        (answer.next_rows - call.rows)[(answer.next_rows != UNMATCHED) & (call.rows != UNMATCHED)]
        for call in calls
        for answer in reading.answers
        if answer.step == call.step and len(answer.next_rows) == len(call.rows)
    ]
    lags = np.concatenate(ahead) if ahead else np.zeros(0, np.int64)
    lags = lags[(lags >= 0) & (lags < MOST_STEPS * reading.tape.members)]
    if len(lags) < FEWEST:
        return 0
    numbers, counts = np.unique(lags, return_counts=True)
    best = int(np.argmax(counts))
    return int(numbers[best]) // reading.tape.members + 1 if counts[best] >= MOSTLY * len(lags) else 0


def _fold_tape(tape: Tape, windows: Array, gamma: float) -> Tape:
    """The tape of windows.

    Those that the end of the tape or a time limit cuts are unknown: what follows them is discounted by fewer steps.
    """
    fresh = np.concatenate([np.ones((1, tape.rows), bool), windows[1:] != windows[:-1]])
    rates = gamma ** np.arange(len(windows))[:, None]
    end = windows[-1]
    whole = fresh.all(axis=0) | np.asarray(tape.terminated[end], bool)
    return replace(
        tape,
        rewards=np.sum(tape.rewards[windows] * rates * fresh, axis=0),
        terminated=tape.terminated[end],
        truncated=tape.truncated[end],
        next_observations=tape.next_observations[end],
        known=tape.known[end] & whole,
    )


def _place_windows(reading: UpdateReading, calls: Sequence[HeadCall], ends: Array) -> UpdateReading:
    """The update, with answers about what follows windows placed at their first rows."""
    starts = {(call.step, len(call.rows)): call.rows for call in calls}
    answers = []
    for answer in reading.answers:
        rows = starts.get((answer.step, len(answer.next_rows)))
        if rows is not None and np.any(answer.next_rows != UNMATCHED):
            agree = (rows != UNMATCHED) & (answer.next_rows == ends[rows])
            answer = replace(answer, next_rows=np.where(agree, rows, UNMATCHED))
        answers.append(answer)
    return replace(reading, answers=tuple(answers))


def _fit_discount(
    folded: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, rates: tuple[float, float]
) -> OneStepFit | None:
    """The line that folded rows follow, with the discount of the next value; None where they follow none.

    Rows with weights of their own follow no line: these are tried with two rates.
    """
    joined = join_calls(calls)
    width = joined.outputs.shape[1]
    dimensions = 0 if taken.discrete else taken.table.shape[1]
    alike = [call for call in calls if call.outputs.shape[1] == width]
    ahead = join_next_values([list_next_values(folded, call, 0 if width == 1 else width, dimensions) for call in alike])
    entries = np.zeros(len(joined.rows), np.int64) if width == 1 else find_moved(joined.asked)
    usable = (entries >= 0) & (joined.rows >= 0)
    if usable.sum() < FEWEST or not all(len(each) == len(entries) for each in ahead.right.values()):
        return None
    index, rows = np.flatnonzero(usable), joined.rows[usable]
    weighed = WeighedRows(
        values=joined.outputs[index, entries[usable]],
        asked=joined.asked[index, entries[usable]],
        rewards=folded.tape.rewards[rows],
        ended=np.asarray(folded.tape.terminated | folded.tape.truncated, bool)[rows],
        batches=joined.batches[usable],
    )
    following = {name: each[usable] for name, each in ahead.right.items()}
    fit = fit_one_step(weighed.values, weighed.asked, weighed.rewards, weighed.ended, following)
    return fit or fit_weighed(weighed, following, rates, scales=(1.0, 0.0))
