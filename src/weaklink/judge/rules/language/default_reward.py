from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Flags, Ints, Samples
from weaklink.judge.rules._draws import add_columns, select_complete
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 60
"""Rows with a reward: with fewer the values of a scale are not known."""

FEWEST_OTHERS, FINE = 20, 0.3
"""Rows with another reward, and the share of different values among them from which on rewards are a fine scale, on
which no value is met twice by much."""

INSIDE = 0.02
"""The share of the other rewards that must lie on each side of the value: at an end of the scale it is a limit, such as
that of a clipped score, or nothing earned."""

DEFAULT = "default reward"

EXPLAINED = 1e-3
"""The share of the variance of rewards that their parts may leave unexplained."""

TRAITS, MOSTLY = ("refusal", "blank", "truncated", "other_language"), 0.9
"""What a text may be that has a fixed price, and the share of rows with the value that must be so."""

KINDS, FEWEST_ALIKE = ("opening", "template"), 3
"""What says that texts are of one kind, and from how many of them on: a default is given to any text."""


@rule(
    "LLM330",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward",),
    leads_to=("LLM301", "LLM308", "LLM312"),
)
def default_reward(samples: Samples, *, most: float = 0.15) -> Answer:
    """Many rows have one and the same reward in the middle of an otherwise fine scale: a default, not a grade.

    ## What it sees
    Rewards are fine-grained (of those beside the commonest value, three in ten or more are different from each other),
    and yet more than 0.15 of all rows have exactly one value that lies inside of their range, with other rewards above
    and below it. Where nearly all of these rows are refusals, blank or cut off, or begin or are built as only rows with
    this reward do, it is the price of that and no default; nor is it one where rewards are a sum of several parts that
    rows give.

    ## Why it is bad
    A judge that timed out, an answer of it that could not be parsed, or a cache that returned nothing was replaced by a
    constant. These rows pull towards nothing in particular, better ones beside them look worse than they are, and the
    mean of the reward says little.

    ## What to do
    1. Look at the rows with this value: what did the judge answer?
    2. Count its errors and time-outs, and try again or leave the row out of the loss.
    3. Never return a number where there is no grade: return nothing, and handle that.

    ## How to prove it
    Grade ten of these rows again by hand or by a patient judge: their grades must differ from the value and from each
    other.

    ## When it is wrong
    A scale with one grade that really is common, such as "as good as the reference" among graded preferences.

    ## References
    Zheng et al., Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, 2023 (ties and answers that cannot be parsed).
    """
    rows = select_complete(samples, "reward")
    if len(rows) < FEWEST:
        return CannotTell(("reward",), f"fewer than {FEWEST} rows with a reward")
    reward = rows["reward"]
    values, counts = np.unique(reward, return_counts=True)
    value, count = float(values[np.argmax(counts)]), int(counts.max())
    others = reward[reward != value]
    share = count / len(reward)
    fine = len(others) >= FEWEST_OTHERS and (len(values) - 1) / len(others) >= FINE
    if share <= most or not fine or min((others < value).mean(), (others > value).mean()) < INSIDE:
        return None
    if _is_earned(rows, reward == value) or _is_sum_of_parts(rows):
        return None
    marked = add_columns(rows, **{DEFAULT: (reward == value).astype(float)})
    parts = split(marked, DEFAULT)
    shift = None if parts is None else parts.shift(DEFAULT)
    rose = shift is not None and shift.rose
    return Finding(
        message=f"{share:.0%} of {len(reward):,} rows have exactly the reward {value:g}, inside of a scale on which "
        f"{len(values) - 1:,} other values are met in {len(others):,} rows (limit {most:.0%}): the same default where "
        "a judge gave no grade (an error, a timeout).",
        onset=find_onset(marked, DEFAULT, shift) if shift is not None and rose else None,
        confidence=HIGH if share > 2 * most else MEDIUM,
        evidence=(Evidence(metric="rows with one reward", value=share, limit=most),),
    )


def _is_earned(rows: Samples, same: Flags) -> bool:
    """Whether rows with one reward are of one kind by their texts, which has that price."""
    if any(float((rows[name][same] == 1.0).mean()) >= MOSTLY for name in TRAITS if name in rows):
        return True
    return any(_measure_telling(rows.codes[name], same) >= MOSTLY for name in KINDS if name in rows.codes)


def _is_sum_of_parts(rows: Samples) -> bool:
    """Whether parts of the reward, with some weights, are all of it: then each row was graded part by part."""
    parts = [column for _, column in rows.columns(COMPONENT) if np.isfinite(column).all() and float(column.std()) > 0.0]
    if len(parts) < 2:
        return False
    table = np.column_stack([np.ones(len(rows)), *parts])
    weights, *_ = np.linalg.lstsq(table, rows["reward"], rcond=None)
    return float((rows["reward"] - table @ weights).var()) <= EXPLAINED * float(rows["reward"].var())


def _measure_telling(kinds: Ints, same: Flags) -> float:
    """How surely the kind of a text says that it has the value, over the rows that have it."""
    known = kinds >= 0
    _, places, counts = np.unique(kinds[known], return_inverse=True, return_counts=True)
    shares = np.bincount(places, same[known]) / counts
    told = np.where(counts >= FEWEST_ALIKE, shares, 0.0)[places][same[known]]
    return float(told.sum() / max(int(same.sum()), 1))
