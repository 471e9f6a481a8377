from __future__ import annotations

import re
from math import isfinite

from weaklink.base.evidence.survey import StepTiming, Survey
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

_WAITING = re.compile(r"\bsleep\b|'tick' of 'pygame")

WAITS, SHORTEST = 0.5, 2e-3  # the share of a step that is waiting, and the seconds of a step in which it costs anything


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
    Whatever is planned, it warns where a step takes over 2 ms and half of that is waiting: `sleep`, or the clock of a
    window.

    ## Why it is bad
    It is not, if you know it. But an environment that takes most of the time makes a faster accelerator useless, and
    most slow environments have one cause that is easy to remove.

    ## What to do
    1. Look at the functions that are named: waiting for real time, rendering that nobody watches, logging, files read
       in every step, Python loops that numpy could do.
    2. Run several instances in separate processes.
    3. Plan fewer steps, or train on a smaller version of the task first.

    ## How to prove it
    `weaklink preflight ENV --set ENV110.budget=1000000` measures again after the change.

    ## When it is wrong
    A step that drives hardware has to wait for it. The estimate is for one instance; several in parallel share the
    work. The first steps of a simulator may be slower than later ones.

    ## References
    Practice.
    """
    timing = survey.timing
    if timing is not None and timing.step > SHORTEST and measure_waiting(timing.spent) > WAITS:
        return _describe_waiting(timing)
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


def measure_waiting(spent: tuple[tuple[str, float], ...]) -> float:
    """The share of a step that is waiting."""
    return sum(share for place, share in spent if _WAITING.search(place))


def _describe_waiting(timing: StepTiming) -> Finding:
    share = measure_waiting(timing.spent)
    return Finding(
        message=f"A step takes {1000 * timing.step:.3g} ms, and {share:.0%} of it is waiting"
        f"{_describe_profile(timing.spent)}: at {timing.steps_per_second:,.4g} steps per second a million take "
        f"{_format_duration(1e6 / max(timing.steps_per_second, 1e-9) / 3600)}.",
        link=Link.SYSTEM,
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="step.waiting", value=share, limit=WAITS),),
    )


def _format_duration(hours: float) -> str:
    return f"{hours / 24:,.1f} days" if hours >= 48 else f"{hours:,.0f} hours"


def _describe_profile(spent: tuple[tuple[str, float], ...]) -> str:
    """The functions that take most of the time of a step, with their shares."""
    whole = max(sum(share for _, share in spent), 1.0)
    top = sorted(spent, key=lambda one: -one[1])[:3]
    shown = ", ".join(f"{place} {100 * share / whole:.0f} %" for place, share in top if share > 0)
    return f"; most of a step is spent in {shown}" if shown else ""
