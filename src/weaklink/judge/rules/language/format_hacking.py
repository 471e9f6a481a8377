from __future__ import annotations

from typing import TYPE_CHECKING

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.performance import Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._course import FEWEST, FORM, Rise, find_component_series, find_rise, list_outcomes
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

if TYPE_CHECKING:
    from weaklink.base.evidence.samples import Samples


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
    spreads, the reward rises and no outcome does.
    A fall that is likely but not sure counts where a quarter is lost. Without training steps, it is an alarm where
    completions with the rewarded format are right less often than others to the same prompt.

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
    if not isinstance(run, Run):
        from weaklink.judge.rules.language._formats import judge_formats

        return judge_formats(run, growth, share_of_run, top, strength)
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
