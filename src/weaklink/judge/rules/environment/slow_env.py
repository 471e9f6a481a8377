from __future__ import annotations

from math import isfinite

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "ENV110",
    link=Link.ENVIRONMENT,
    level=Level.INFO,
    on=Survey,
    needs=("timing",),
    checks={"environment unit test": "exempt"},  # a slow environment is not a wrong one
)
def slow_env(survey: Survey, *, hours: float = 24.0, budget: float = 0.0) -> Answer:
    """Stepping the environment takes more than a day for the planned number of steps.

    ## What it sees
    Steps per second of one instance, resets included, against the number of steps that the configuration plans (or the
    setting `budget`). Where a day is not enough, the finding names the functions that take most of the time of a step.

    ## Why it is bad
    It is not, if you know it. But an environment that takes most of the time makes a faster accelerator useless, and
    most slow environments have one cause that is easy to remove.

    ## What to do
    1. Look at the functions that are named: rendering that nobody watches, logging, files read in every step, Python
       loops that numpy could do.
    2. Run several instances in separate processes.
    3. Plan fewer steps, or train on a smaller version of the task first.

    ## How to prove it
    `weaklink preflight ENV --set ENV110.budget=1000000` measures again after the change.

    ## When it is wrong
    The estimate is for one instance; several in parallel share the work. The first steps of a simulator may be slower
    than later ones.

    ## References
    Practice.
    """
    timing = survey.timing
    total = budget or survey.config.number("total_steps") or 0.0
    if timing is None or not isfinite(total) or total <= 0:
        return CannotTell(("total_steps",), "no number of steps is planned")
    if not timing.steps_per_second > 0:
        return CannotTell(("timing",), "no step was timed")
    needed = total / timing.steps_per_second / 3600
    if needed <= hours:
        return None
    return Finding(
        message=f"At {timing.steps_per_second:,.4g} steps per second, {total:,.0f} steps take "
        f"{_format_duration(needed)} in one instance{_describe_profile(timing.spent)}.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="hours", value=needed, limit=hours),),
    )


def _format_duration(hours: float) -> str:
    return f"{hours / 24:,.1f} days" if hours >= 48 else f"{hours:,.0f} hours"


def _describe_profile(spent: tuple[tuple[str, float], ...]) -> str:
    """The functions that take most of the time of a step, with their shares."""
    whole = max(sum(share for _, share in spent), 1.0)
    top = sorted(spent, key=lambda one: -one[1])[:3]
    shown = ", ".join(f"{place} {100 * share / whole:.0f} %" for place, share in top if share > 0)
    return f"; most of a step is spent in {shown}" if shown else ""
