from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState, Ints
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._prediction import (
    encode,
    measure_unexplained,
    split_episodes,
    standardise_columns,
)
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_EPISODES = 500, 8
WIDEST = 32  # columns of an observation that is written by hand
MOST_STILL = 3  # of them that never change: more are padding
HIDDEN = 0.5  # of the variance of an attribute, left open by all that is seen
DECIDES, CLOSED = 0.1, 0.7  # of the variance of the reward: what it must explain, and the share of what is left open
MOST_NUMBERS = 8  # of an attribute


class _HiddenCause(NamedTuple):
    """An attribute that nothing shows, and the share of the reward that is left open without and with it."""

    name: str
    alone: float
    known: float


@rule(
    "OBS124",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "action", "held"),
    leads_to=("OBS102", "OBS108", "OBS110", "REW103", "TSK102", "TSK103"),
)
def unfilled_column(survey: Survey) -> Answer:
    """A column of the observation never changes, and what decides the reward stands in none.

    ## What it sees
    One to three columns that are the same in every observation of random play, in an observation of up to 32 numbers.
    And an attribute of the environment that changes, that all other columns, those of the episode's first observation
    and the action leave open by half or more, and that is there before the step: knowing it, a fit on held-out episodes
    explains a tenth of the reward more, and leaves open less than 70 % of what is open without it.

    ## Why it is bad
    The place for it is there, and the number is not: the policy cannot know what it is paid for.

    ## What to do
    1. Look at how the column is filled: an index or a name of another line, an attribute that nothing sets.
    2. If the attribute is meant to be hidden, leave the empty column out.

    ## How to prove it
    Put the attribute into the column and run `weaklink preflight ENV` again: a search earns more.

    ## When it is wrong
    A column that is fixed in this version of the task, beside something that is hidden by design. What an episode shows
    at its start, to be remembered, is not hidden.

    ## References
    Kaelbling, Littman and Cassandra, Planning and Acting in Partially Observable Stochastic Domains, 1998; practice.
    """
    held = survey.held
    if held is None or len(held.rewards) < FEWEST_STEPS or len(held.lengths) < FEWEST_EPISODES:
        return CannotTell(("held",), f"fewer than {FEWEST_STEPS} steps of {FEWEST_EPISODES} episodes with attributes")
    still = _find_still(survey, held)
    if not len(still):
        return None
    cause = _find_hidden_cause(survey, held)
    if cause is None:
        return None
    columns = join_names(survey.labels[column] for column in still.tolist())
    value = float(held.observations[0, still[0]])
    verb = "is" if len(still) == 1 else "are"
    return Finding(
        message=f"{columns} {verb} {value:.4g} in all {len(held.rewards):,} observations, "
        f"and `{cause.name}` stands in no column: with what is seen and done {cause.alone:.0%} of the reward is left "
        f"open, and {cause.known:.0%} where that is known too.",
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=f"reward explained by {cause.name}", value=cause.alone - cause.known, limit=DECIDES),
        ),
    )


def _find_still(survey: Survey, held: HeldState) -> Ints:
    """The few columns that never change, but for last observations; none where they may be padding or goals."""
    rows = held.observations
    if rows.shape[1] > WIDEST or len(survey.labels) != rows.shape[1] or not np.isfinite(rows).all():
        return np.empty(0, dtype=np.int64)
    still = np.flatnonzero(np.all(rows == rows[:1], axis=0))
    told = any("goal" in survey.labels[column] or survey.column_kinds[column] == "pixel" for column in still.tolist())
    few = len(still) <= MOST_STILL and len(still) < rows.shape[1] - len(still) + 1
    return np.asarray(still if few and not told else still[:0])


def _find_hidden_cause(survey: Survey, held: HeldState) -> _HiddenCause | None:
    """The attribute that explains most of what all that is seen and done leaves open of the reward."""
    half = split_episodes(np.repeat(np.arange(len(held.lengths)), held.lengths))
    paid = held.rewards[:, None]
    if half is None or survey.action is None or not np.isfinite(paid).all() or not np.ptp(paid):
        return None
    seen = standardise_columns(encode(survey.columns, held.observations))
    acted = standardise_columns(encode(survey.action.columns, held.actions))
    present = np.concatenate([acted, seen], axis=1)
    alone = min(float(measure_unexplained(present, paid, half)[0]), 1.0)
    if alone < DECIDES:
        return None
    begins = np.cumsum(held.lengths) - held.lengths
    first = standardise_columns(encode(survey.columns, held.observations[np.repeat(begins, held.lengths)]))
    remembered = np.concatenate([seen, first], axis=1)
    found = []
    for name, columns in held.attributes.items():
        hidden = _select_hidden(held, columns[held.finite[columns]], remembered, half)
        if hidden.shape[1]:
            known = float(measure_unexplained(np.concatenate([present, hidden], axis=1), paid, half)[0])
            if known <= min(alone - DECIDES, CLOSED * alone):
                found.append(_HiddenCause(name, alone, known))
    return min(found, key=lambda one: one.known, default=None)


def _select_hidden(held: HeldState, columns: Ints, seen: Array, half: Flags) -> Array:
    """The numbers of an attribute before each step, of which what was seen does not tell half."""
    values = standardise_columns(held.before[:, columns])
    if not 0 < values.shape[1] <= MOST_NUMBERS or not seen.shape[1]:
        return values[:, :0]
    return np.asarray(values[:, measure_unexplained(seen, values, half) >= HIDDEN])
