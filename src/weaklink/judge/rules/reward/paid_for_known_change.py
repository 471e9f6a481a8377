from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Ints, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import correlate
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 500
FEWEST_IN_ROW = 3  # columns that hand their values on, from one step to the next
WIDEST = 64  # columns that are looked at one by one
MOST_IN_ROW = 6  # of them that are looked at, the newest ones
MOST_CHOICES = 20
MOST_SERIES = 8  # side by side in one window, a row of them for each moment

KNOWN, NEXT = 0.9, 0.5  # the share of the reward that the change already seen must explain, and that the next one may

LARGEST = 1e100  # squares of larger numbers overflow

CENTRED, MEASURED = 0.2, 100  # the mean of changes over their deviation, and how many different ones there must be

FOLLOWS = 0.5  # the correlation of a value with the next one, from which on it may be a price

UNMOVED = 0.05  # the share of a window's newest value that the action may explain: it is a course of events, no body


@rule(
    "REW123",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("REW103", "REW301", "OBS110"),
)
def paid_for_known_change(survey: Survey) -> Answer:
    """The reward pays for a change that the observation has shown before the action.

    ## What it sees
    The observation has a window of values, each of which moves on by one place at every step, and no action moves
    them: prices, loads, a forecast, one series or several side by side. The reward is the action times a change of
    these series, and in random play it is a change between two values seen before the action that explains 90 % of it,
    not the change that comes after. Or the series are of changes, about 0 on average, as returns of a share are, and it
    is a value seen before the action. Where the window shows what comes after that too, it reaches too far, and the
    observation is at fault.

    ## Why it is bad
    Nothing has to be foreseen: who looks at the last change and acts on it earns for sure. Returns are far too good,
    and nothing of it is left where the next value is not known yet.

    ## What to do
    1. Write down which values are known when the action is chosen. The window must end there, and what is paid must
       begin there: `value[t + 1] - value[t]`.
    2. Look for an index that is one too large in the observation, or one too small in the reward.

    ## How to prove it
    Play the sign of the last change seen: with a fair reward it earns nothing for sure.

    ## When it is wrong
    A task of recognising what has just happened.

    ## References
    Bailey et al., Pseudo-Mathematics and Financial Charlatanism, 2014; practice: look-ahead bias.
    """
    play = survey.plays[RANDOM]
    if play.observations is None or play.actions is None or play.kept < FEWEST_STEPS:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_STEPS} steps with observations and actions")
    before, after, rewards = play.observations, np.asarray(play.successors), play.rewards[: play.kept]
    if not all(bool(np.all(np.abs(values) < LARGEST)) for values in (before, after, rewards, play.actions)):
        return None
    choices = _spread_actions(survey, play)
    if choices is None or rewards.std() == 0.0:
        return None
    for window in _find_windows(before, after):
        coming = after[:, window[-1]] - before[:, window[-1]]
        if not np.ptp(coming, axis=0).all() or _is_moved(choices, coming):
            continue
        for case in _list_cases(survey, window[-MOST_IN_ROW:], before, after):
            known, later = (_explain_pay(choices, values, rewards) for values in (case.seen, case.coming))
            if known >= KNOWN and later < NEXT:
                return _describe(case, known, later)
    return _judge_last_changes(survey, play, choices, rewards)


def _judge_last_changes(survey: Survey, play: Play, choices: Array, rewards: Array) -> Finding | None:
    """The finding, if what pays is how a column that no action moves has changed in the step before."""
    before, after = np.asarray(play.observations), np.asarray(play.successors)
    later_steps = np.flatnonzero(play.time[: play.kept] > 0)
    if before.shape[1] > WIDEST or len(later_steps) < FEWEST_STEPS:
        return None
    chosen, paid = choices[later_steps], rewards[later_steps]
    for column in np.flatnonzero(np.ptp(before, axis=0) > 0).tolist():
        coming = (after - before)[later_steps, column : column + 1]
        last = before[later_steps, column : column + 1] - before[later_steps - 1, column : column + 1]
        if len(np.unique(coming)) < MEASURED or _is_moved(chosen, coming) or paid.std() == 0.0:
            continue
        known, later = _explain_pay(chosen, last, paid), _explain_pay(chosen, coming, paid)
        if known >= KNOWN and later < NEXT:
            what = f"last change of {survey.labels[column]}"
            return _describe(_Case(what, "change that follows", last, coming, False), known, later)
    return None


class _Case(NamedTuple):
    """What may be paid for, as it was seen and as it comes; `ahead` where values after it were seen already."""

    what: str
    following: str
    seen: Array
    coming: Array
    ahead: bool


def _list_cases(survey: Survey, window: Ints, before: Array, after: Array) -> Iterator[_Case]:
    """Each change seen in the window and, where the series are of changes, each value.

    A value with others after it may be a price of which a forecast is shown; what hardly follows itself is no price.
    """
    names = [join_names(survey.labels[place] for place in places) for places in window]
    newest, coming = before[:, window[-1]], after[:, window[-1]]
    of_changes = all(map(_is_of_changes, newest.T))
    unlike = all(correlate(one, other) < FOLLOWS for one, other in zip(newest.T, coming.T, strict=True))
    for place in range(len(window) - 1, 0, -1):
        value, last, ahead = before[:, window[place]], before[:, window[place - 1]], place < len(window) - 1
        what = f"change between {names[place - 1]} and {names[place]}"
        yield _Case(what, "change that follows", value - last, coming - newest, ahead)
        if of_changes and (unlike or not ahead):
            yield _Case(f"value of {names[place]}", "value that follows", value, coming, ahead)


def _is_of_changes(values: Array) -> bool:
    """Whether a series goes up and down around 0, as changes do, over many values."""
    return abs(float(values.mean())) < CENTRED * float(values.std()) and len(np.unique(values)) >= MEASURED


def _is_moved(choices: Array, coming: Array) -> bool:
    """Whether the action explains what comes in any of the series: then it is a body, and no course of events."""
    return any(_explain(choices, series) > UNMOVED for series in coming.T)


def _explain_pay(choices: Array, values: Array, rewards: Array) -> float:
    """What the action times each of the series explains of the reward; of shares of a whole, what the shares do."""
    held = [choices]
    if choices.shape[1] > 1 and float(choices.min()) >= 0.0 and float(choices.sum(axis=1).min()) > 0.0:
        held.append(choices / choices.sum(axis=1, keepdims=True))
    return max(_explain((each[:, :, None] * values[:, None, :]).reshape(len(values), -1), rewards) for each in held)


def _describe(case: _Case, known: float, later: float) -> Finding:
    told = "what is paid for is known in advance"
    return Finding(
        message=f"The {case.what} as seen before the action, times the action, explains {known:.0%} of the reward; the "
        f"{case.following} explains {max(later, 0.0):.0%}: {told}"
        f"{', and the window shows what comes after it too.' if case.ahead else '.'}",
        link=Link.OBSERVATION if case.ahead else None,
        confidence=HIGH,
        evidence=(Evidence(metric="reward known in advance", value=known, limit=KNOWN),),
    )


def _find_windows(before: Array, after: Array) -> list[Ints]:
    """The columns of windows that move on at each step, a row for each moment and a column for each series."""
    for series in range(1, MOST_SERIES + 1):
        found = _find_runs(before, after, series)
        if found:
            return found
    return []


def _find_runs(before: Array, after: Array, series: int) -> list[Ints]:
    """The windows of so many series: at each step their values move on by as many places."""
    width = before.shape[1]
    if width < FEWEST_IN_ROW * series:
        return []
    handed = np.all(before[:, series:] == after[:, :-series], axis=0) & (np.ptp(before[:, series:], axis=0) > 0)
    found, length = [], series
    for place in range(series, width + 1):
        if place < width and handed[place - series]:
            length += 1
            continue
        rows = length // series
        if rows >= FEWEST_IN_ROW:
            found.append(np.arange(place - rows * series, place).reshape(rows, series))
        length = series
    return found


def _spread_actions(survey: Survey, play: Play) -> Array | None:
    """The actions as numbers: a column for each choice, or those of a box; None where they are too many."""
    actions = np.asarray(play.actions)[: play.kept]
    if survey.action is None or not actions.shape[1] or actions.shape[1] > MOST_CHOICES:
        return None
    if survey.action.kind != "discrete":
        return actions.astype(float)
    choices = np.unique(actions[:, 0])
    return (actions[:, :1] == choices).astype(float) if len(choices) <= MOST_CHOICES else None


def _explain(features: Array, values: Array) -> float:
    """The share of the variance of the values that a straight fit explains."""
    whole = np.column_stack([features, np.ones(len(values))])
    left = values - whole @ np.linalg.lstsq(whole, values, rcond=None)[0]
    return 1.0 - float(left.var()) / max(float(values.var()), 1e-300)
