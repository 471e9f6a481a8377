from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 500
FEWEST_IN_ROW = 3  # columns that hand their values on, from one step to the next
MOST_CHOICES = 20

KNOWN, NEXT = 0.9, 0.5  # the share of the reward that the change already seen must explain, and that the next one may

LARGEST = 1e100  # squares of larger numbers overflow

CENTRED, MEASURED = 0.2, 100  # the mean of changes over their deviation, and how many different ones there must be

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
    them: prices, loads, a forecast. The reward is the action times a change of that series, and in random play it is
    the change between the two newest values seen before the action that explains 90 % of it, not the change that comes
    after. Or the series itself is of changes, about 0 on average, as returns of a share are, and it is the newest one
    seen before the action.

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
    for newest in _find_newest(before, after):
        seen, coming = before[:, newest] - before[:, newest - 1], after[:, newest] - before[:, newest]
        if seen.std() == 0.0 or coming.std() == 0.0 or _explain(choices, coming) > UNMOVED:
            continue
        names = survey.labels[newest - 1 : newest + 1]
        cases = [(f"change between {names[0]} and {names[1]}", "change that follows", seen, coming)]
        if _is_of_changes(before[:, newest]):
            cases.append((f"value of {names[1]}", "value that follows", before[:, newest], after[:, newest]))
        for what, following, old, new in cases:
            known, later = (_explain(choices * values[:, None], rewards) for values in (old, new))
            if known >= KNOWN and later < NEXT:
                return _describe(what, following, known, later)
    return None


def _is_of_changes(values: Array) -> bool:
    """Whether a series goes up and down around 0, as changes do, over many values."""
    return abs(float(values.mean())) < CENTRED * float(values.std()) and len(np.unique(values)) >= MEASURED


def _describe(what: str, following: str, known: float, later: float) -> Finding:
    return Finding(
        message=f"The {what} as seen before the action, times the action, explains {known:.0%} of the reward; the "
        f"{following} explains {max(later, 0.0):.0%}: what is paid for is known in advance.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward known in advance", value=known, limit=KNOWN),),
    )


def _find_newest(before: Array, after: Array) -> list[int]:
    """The last columns of windows whose values move on by one place at each step."""
    handed = np.all(before[:, 1:] == after[:, :-1], axis=0) & (before.std(axis=0)[1:] > 0)
    found, length = [], 1
    for place in range(1, before.shape[1] + 1):
        if place < before.shape[1] and handed[place - 1]:
            length += 1
            continue
        if length >= FEWEST_IN_ROW:
            found.append(place - 1)
        length = 1
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
