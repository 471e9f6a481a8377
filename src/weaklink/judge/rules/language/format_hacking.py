from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import COMPONENT as PART
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._course import FEWEST, FORM, Rise, find_component_series, find_rise, list_outcomes
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
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ONE_TEMPLATE, MORE_ALIKE = 0.5, 0.3
"""One template counts as that of a set where half of the completions have it, and as spreading where it gained this
share."""


@rule(
    "LLM304",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    samples=(),
    leads_to=("LLM301", "LLM302", "LLM307", "LLM311", "LLM327", "REW305", "REW306"),
    symptoms={"high reward, bad behaviour": 3},
)
def format_hacking(
    run: Run | Samples, *, growth: float = 1.3, share_of_run: float = 0.4, top: float = 0.9, strength: float = 0.2
) -> Answer:
    """The policy collects the reward for format and neglects the answer.

    ## What it sees
    A reward component whose name refers to format (format, tag, xml, style) rises by 30 % or more, while correctness (a
    component for accuracy, correctness or answers, or a held-out score) falls; or stays flat, below its ceiling, for at
    least two fifths of the run after the format was learned.

    In samples the same is measured for each component, and for the template that most late completions share: it
    spreads, the reward rises and no outcome does. Without training steps, it is an alarm where completions with the
    rewarded format are right less often than others to the same prompt.

    ## Why it is bad
    Format is easy and pays at once. Where it pays enough, the policy stops improving the answer, and the total reward
    still climbs.

    ## What to do
    1. Reward format only where the answer is right, or make its weight a tenth of the answer's.
    2. Log every component separately and watch the one for correctness.
    3. Read the completions with the full reward for format and none for the answer.

    ## How to prove it
    Repeat a short run without the format component: correctness must not fall.

    ## When it is wrong
    Format is learned first in many healthy runs and correctness follows later, so a flat answer component counts only
    after a good part of the run. An answer component at its ceiling cannot rise.

    ## References
    open-r1 issue #255: form 0.476 to 0.857, accuracy 0.160 to 0.064, total 0.711 to 0.887.
    """
    if isinstance(run, Samples):
        return _in_samples(select_complete(run), growth, share_of_run, top, strength)
    forms = [series for series in find_component_series(run, FORM) if len(series) >= FEWEST]
    if not forms:
        return CannotTell((f"{COMPONENT}format",), "no reward component is named after format")
    rights = list_outcomes(run)
    if not rights:
        return CannotTell((f"{COMPONENT}accuracy or evaluation.score",), "nothing measures correctness")
    if any(course.improved for course in rights):
        return None
    for series in forms:
        rise = find_rise(series, factor=growth)
        if rise is None:
            continue
        fallen = next((course for course in rights if course.declined), None)
        if fallen is not None:
            return _finding(series, rise, fallen, "fell", HIGH)
        left = 1.0 - rise.onset / len(series)
        low = [course for course in rights if course.flat and not _at_top(course, top)]
        if left >= share_of_run and low and len(low) == len(rights):
            return _finding(series, rise, low[0], "stayed flat", MEDIUM)
    return None


def _at_top(course: Performance, top: float) -> bool:
    """Whether a measure between 0 and 1 is at its ceiling."""
    return top <= course.final <= 1.0


def _finding(form: Series, rise: Rise, right: Performance, word: str, sure: float) -> Finding:
    step = float(form.steps[rise.onset])
    return Finding(
        message=f"{form.name} rose from {rise.start:.3g} to {rise.end:.3g} from step {step:,.0f} on, while "
        f"{right.metric} {word} ({right.start:.3g} to {right.final:.3g}).",
        onset=step,
        onset_within=form.interval,
        confidence=sure,
        evidence=(
            Evidence(metric=form.name, value=rise.end, limit=rise.start, step=step),
            Evidence(metric=right.metric, value=right.final, limit=right.start),
        ),
    )


def _in_samples(samples: Samples, growth: float, share_of_run: float, top: float, strength: float) -> Answer:
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
