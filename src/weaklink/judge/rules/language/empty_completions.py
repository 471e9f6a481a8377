from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import add_columns, select_complete
from weaklink.judge.rules._samples import LIKELY, SampleSplit, find_onset, split
from weaklink.judge.rules._within import ScoreEffect, measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EMPTY = "hardly anything said"

FEW, PART = 2.0, 0.1
"""Words or tokens that say nothing, or this part of the usual length at the start."""

FEWEST, FEWEST_EMPTY, BLANK, UNPAID, LESS = 60, 8, 0.05, 0.15, 0.5
"""Rows, the number and share of empty ones, the correlation of being empty with a lower reward from which on they pay
for it, and how much less they get, in standard deviations of rewards, from which on that counts if it is no chance."""

USUAL = 8.0
"""The median length at the start that is needed: below it, short answers are the task."""


@rule(
    "LLM327",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("length",),
    leads_to=("LLM301", "LLM307", "LLM308", "LLM311"),
)
def empty_completions(samples: Samples, *, least: float = 0.2) -> Answer:
    """Completions shrink to nothing, and answers are no better for it.

    ## What it sees
    The share of completions that say hardly anything (no letter and no digit; two words or fewer, or a tenth of the
    median length at the start of training or in the baseline) rises by 0.2 or more, beyond chance, and a measure of
    success falls: an outcome, or a reward component for correctness. Where no success is known, the reward must not
    rise; where completions have neither letter nor digit, it is enough that no success rises. Where completions had
    fewer than eight words from the start, only these count. It is an alarm too where 0.05 or more of all completions
    hold nothing at all and get as much as others to the same prompts, from the first step on, or more than others; not
    where they get 0 and some others more, since saying nothing may be a choice where wrong answers cost.

    ## Why it is bad
    A penalty on length outweighs what a right answer earns, or saying nothing avoids a penalty that wrong answers get.
    The cheapest completion is then the empty one, and nothing is learned from it.

    ## What to do
    1. Compare the penalty of a typical right answer with its reward: the sum must be above that of saying nothing.
    2. Apply the penalty to right answers only, or beyond a budget of tokens only.
    3. Pay less for an empty completion than for a wrong one.

    ## How to prove it
    Score an empty completion and a typical right one with the reward function: the right one must win clearly.

    ## When it is wrong
    A task that is better left unanswered, such as tools that do the work in silence.

    ## References
    Arora and Zanette, Training Language Models to Reason Efficiently, 2025 (length penalties that cost accuracy).
    """
    if (paid := _find_paid(samples)) is not None:
        return paid
    whole = split(samples, "length")
    if whole is None:
        return CannotTell(("step or baseline",), "no start to compare lengths with")
    usual = float(np.median(whole.before["length"]))
    limit = max(FEW, PART * usual) if usual >= USUAL else -1.0
    parts = SampleSplit(_mark(whole.before, limit), _mark(whole.after, limit), whole.where, whole.baseline)
    shift = parts.shift(EMPTY)
    if shift is None or not shift.rose or shift.change < least:
        return None
    if not _is_loss(parts, least):
        return None
    fallen, reward = parts.worst, parts.shift("reward")
    name, gone = ("reward", reward) if fallen is None else fallen
    told = "" if gone is None else f", while {name} went from {gone.before:.3g} to {gone.after:.3g}"
    nearly = f" or nearly so (at most {limit:,.0f} {samples.unit})" if limit > 0.0 else ""
    marked = _mark(select_complete(samples, "length"), limit)
    return Finding(
        message=f"{shift.after:.0%} of late completions are empty{nearly}, {shift.before:.0%} {parts.where}{told}.",
        onset=find_onset(marked, EMPTY, shift),
        confidence=HIGH if fallen is not None else MEDIUM,
        evidence=(Evidence(metric=EMPTY, value=shift.after, limit=shift.before + least),),
    )


def _find_paid(samples: Samples) -> Finding | None:
    """Empty completions that are paid like any other: nothing that reads texts can have graded them."""
    rows = select_complete(samples, "empty", "reward") if "empty" in samples and "reward" in samples else None
    if rows is None or len(rows) < FEWEST:
        return None
    empty = rows["empty"] == 1.0
    effect = measure_effect(rows, "reward", rows["empty"], None)
    low, middle = float(rows["reward"].min()), float(np.median(rows["reward"][~empty])) if not empty.all() else 0.0
    parts = split(rows, "empty")
    shift = None if parts is None else parts.shift("empty")
    share, paid = float(empty.mean()), float(rows["reward"][empty].mean()) if empty.any() else 0.0
    if (
        share < BLANK
        or int(empty.sum()) < FEWEST_EMPTY
        or effect is None
        or (shift is not None and shift.z >= LIKELY and not paid > float(rows["reward"][~empty].mean()))
        or _costs(rows["reward"], empty, effect)
        or paid <= 0.5 * (low + middle)
    ):
        return None
    return Finding(
        message=f"{share:.0%} of the completions are empty (limit {BLANK:.0%}) and get {paid:.3g} reward on average, "
        f"{float(rows['reward'][~empty].mean()):.3g} the others: an empty text is paid like any other.",
        confidence=HIGH,
        evidence=(Evidence(metric="empty", value=share, limit=BLANK),),
    )


def _costs(reward: Array, empty: Flags, effect: ScoreEffect) -> bool:
    """Whether empty completions get less than others, or nothing, as the price of no answer."""
    if effect.strength <= -UNPAID or empty.all():
        return effect.strength <= -UNPAID
    others = reward[~empty]
    abstains = not reward[empty].any() and float((others > 0.0).mean()) >= BLANK
    less = float(others.mean() - reward[empty].mean())
    return abstains or (less >= LESS * float(reward.std()) and effect.z <= -LIKELY)


def _is_loss(parts: SampleSplit, least: float) -> bool:
    """Whether it cannot be what was wanted: success falls, or nothing at all is said and no success rises."""
    blank, reward = parts.shift("blank"), parts.shift("reward")
    if parts.worst is not None:
        return True
    if blank is not None and blank.rose and blank.change >= least:
        return parts.better is not True
    return not parts.measures and reward is not None and reward.z <= 0.0


def _mark(rows: Samples, limit: float) -> Samples:
    blank = rows["blank"] == 1.0 if "blank" in rows else np.zeros(len(rows), bool)
    empty: Array = np.where(np.isfinite(rows["length"]), (rows["length"] <= limit) | blank, np.nan)
    return add_columns(rows, **{EMPTY: empty})
