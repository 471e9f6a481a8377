"""Formats that are rewarded, in samples: whether they spread and what becomes of correctness meanwhile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.samples import COMPONENT as PART
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import mark_samples, select_complete
from weaklink.judge.rules._samples import (
    LIKELY,
    SURE,
    MeanShift,
    SampleSplit,
    find_onset,
    measure_course,
    select_latest,
    split,
)
from weaklink.judge.rules._samples import find_component_columns as parts_of
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding

ONE_TEMPLATE, MORE_ALIKE = 0.5, 0.3
"""One template counts as that of a set where half of the completions have it, and as spreading where it gained this
share."""

LOST = 1.3
"""Times as much correctness as at the end there must have been before for a likely fall to count: what is lost is then
as large as the least gain of a format, and correctness does not merely follow later."""


def judge_formats(rows: Samples, growth: float, share_of_run: float, top: float, strength: float) -> Answer:
    """What samples tell of each rewarded format, and of the template that most share."""
    samples = select_complete(rows)
    names = [f"{PART}{part}" for part, _ in parts_of(samples)]
    answers: list[Answer] = [_spread(samples, name, growth, share_of_run, top) for name in names]
    if "template" in samples and "reward" in samples:
        answers.append(_template(samples, share_of_run, top))
    answers.extend(_instead(samples, name, strength) for name in names)
    if not answers:
        return CannotTell(("reward.format", "template"), "no column describes the format")
    fired = next((answer for answer in answers if isinstance(answer, Finding)), None)
    return fired if fired is not None or None in answers else answers[0]


def _spread(samples: Samples, name: str, growth: float, share_of_run: float, top: float) -> Answer:
    """A format that spread during training while correctness did not follow."""
    parts = split(samples, name)
    shift = None if parts is None else parts.shift(name)
    if parts is None or shift is None:
        return CannotTell(("step or baseline",), "no start to compare with")
    if not shift.rose or shift.after < growth * shift.before or not shift.sizeable:
        return None
    return _neglected(samples, name, name, parts, shift, share_of_run, top)


def _neglected(
    samples: Samples, name: str, form: str, parts: SampleSplit, shift: MeanShift, share_of_run: float, top: float
) -> Answer:
    """Whether correctness fell while a format spread, or has been flat for long."""
    if parts.better:
        return None
    if not parts.measures:
        return CannotTell(("outcome",), "nothing measures correctness")
    step = find_onset(samples, name, shift)
    worst = parts.worst
    if worst is not None and worst[1].z <= -SURE:
        return _report(form, shift, worst, "fell", step, HIGH)
    if worst is not None and parts.better is False and worst[1].before >= LOST * max(worst[1].after, 0.0):
        return _report(form, shift, worst, "fell", step, MEDIUM)
    low = [(right, moved) for right, moved in parts.measures.items() if not top <= moved.after <= 1.0]
    if parts.better is None or len(low) < len(parts.measures) or _left(samples, name, step) < share_of_run:
        return None
    return _report(form, shift, low[0], "stayed flat", step, MEDIUM)


def _left(samples: Samples, name: str, step: float | None) -> float:
    """The share of training that follows a step; all of it where training steps are unknown."""
    over = measure_course(samples, name)
    if over is None or step is None:
        return 1.0
    first, last = float(over.steps[0]), float(over.steps[-1])
    return (last - step) / max(last - first, 1e-12)


def _report(
    form: str, shift: MeanShift, right: tuple[str, MeanShift], word: str, step: float | None, sure: float
) -> Finding:
    measure, moved = right
    return Finding(
        message=f"{form} rose from {shift.before:.3g} to {shift.after:.3g}, while {measure} {word} "
        f"({moved.before:.3g} to {moved.after:.3g}).",
        onset=step,
        confidence=sure,
        evidence=(
            Evidence(metric=form, value=shift.after, limit=shift.before, step=step),
            Evidence(metric=measure, value=moved.after, limit=moved.before),
        ),
    )


def _template(samples: Samples, share_of_run: float, top: float) -> Answer:
    """The template that most late completions share, where it spread and the reward rose with it."""
    late = select_latest(samples, "template").codes["template"]
    known, counts = np.unique(late, return_counts=True)
    if not len(known) or counts.max() < ONE_TEMPLATE * len(late):
        return None
    usual = known[counts.argmax()]
    flagged = mark_samples(
        replace(samples, baseline=None), "template share", lambda rows: (rows.codes["template"] == usual).astype(float)
    )
    parts = split(flagged, "template share")
    shift = None if parts is None else parts.shift("template share")
    reward = None if parts is None else parts.shift("reward")
    if parts is None or shift is None or reward is None:
        return CannotTell(("step",), "no start to compare with")
    if not shift.rose or shift.change < MORE_ALIKE or reward.z < LIKELY or not reward.sizeable:
        return None
    return _neglected(flagged, "template share", "the share of one template", parts, shift, share_of_run, top)


def _instead(samples: Samples, name: str, strength: float) -> Finding | None:
    """A rewarded format whose completions are right less often than others to the same prompt."""
    if samples.outcome is None or "reward" not in samples:
        return None
    rows = select_complete(samples, name, "reward", samples.outcome)
    right = measure_effect(rows, samples.outcome, rows[name], None)
    paid = measure_effect(rows, "reward", rows[name], None)
    if right is None or paid is None or not right.paired or right.strength > -strength or right.z > -SURE - 1:
        return None
    if paid.strength < strength or paid.z < SURE:
        return None
    return Finding(
        message=f"Among completions of one prompt those with more of {name} get a higher reward (correlation "
        f"{paid.strength:.2f}) and are worse by {samples.outcome} ({right.strength:.2f}).",
        confidence=MEDIUM,
        evidence=(Evidence(metric=samples.outcome, value=right.strength, limit=-strength),),
    )
