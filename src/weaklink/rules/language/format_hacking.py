from __future__ import annotations

from weaklink.evidence.metrics import COMPONENT
from weaklink.evidence.performance import Performance
from weaklink.evidence.run import Run
from weaklink.evidence.series import Series
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, FORM, Rise, components, outcomes, rise_of
from weaklink.rules._registry import rule


@rule(
    "LLM304",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    leads_to=("LLM302", "LLM307", "LLM311", "REW305", "REW306"),
)
def format_hacking(run: Run, *, growth: float = 1.3, share_of_run: float = 0.4, top: float = 0.9) -> Answer:
    """The policy collects the reward for the form of an answer and forgets the answer.

    ## What it sees
    A reward component whose name speaks of form (format, tag, xml, style) rises by 30 % or more, while what
    measures being right (a component for accuracy, correctness or answers, or a held-out score) falls; or
    stays flat, below its ceiling, for at least two fifths of the run after the form was learned.

    ## Why it is bad
    Form is easy and pays at once. Where it pays enough, the policy stops trying to be right, and the total
    reward still climbs.

    ## What to do
    1. Pay for form only where the answer is right, or make its weight a tenth of the answer's.
    2. Log every component by itself and watch the one for being right.
    3. Read the completions with full marks for form and none for the answer.

    ## How to prove it
    Repeat a short run without the form component: being right must not suffer.

    ## When it is wrong
    Form is learned first in many healthy runs and being right follows later, so a flat answer component
    counts only after a good part of the run. An answer component at its ceiling has nowhere to rise.

    ## References
    open-r1 issue #255: form 0.476 to 0.857, accuracy 0.160 to 0.064, total 0.711 to 0.887.
    """
    forms = [series for series in components(run, FORM) if len(series) >= FEWEST]
    if not forms:
        return CannotTell((f"{COMPONENT}format",), "no component of the reward speaks of form")
    rights = outcomes(run)
    if not rights:
        return CannotTell((f"{COMPONENT}accuracy or evaluation.score",), "nothing measures being right")
    if any(course.improved for course in rights):
        return None
    for series in forms:
        rise = rise_of(series, factor=growth)
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
    """Whether a measure that is commonly a share of 1 has nowhere left to rise."""
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
