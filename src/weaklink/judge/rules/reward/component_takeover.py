from __future__ import annotations

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.performance import Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.rules._course import RIGHT, find_component_series, has_gained
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 15  # points of a component below which its rise is not distinguished from noise


@rule(
    "REW306",
    link=Link.REWARD,
    level=Level.WARN,
    needs=("reward.mean",),
    leads_to=("REW302", "LLM302", "LLM304"),
    symptoms={"reward plateaus": 2, "high reward, bad behaviour": 5},
)
def component_takeover(run: Run, *, share: float = 0.5, tiny: float = 0.05) -> Answer:
    """One component accounts for the rise of the reward; the others are hardly ever earned.

    ## What it sees
    In the training of a language model or agent: a single component rises and makes up most of the rise of the reward,
    and every other component that could be earned stays where it started, at less than a twentieth of that one.

    ## Why it is bad
    What the other terms were meant to teach is not being learned. If the rising component is not the task itself, the
    policy is starting to exploit it.

    ## What to do
    1. Ask whether the rising component is the task. If it is, the others can go.
    2. If it is not, lower its weight or pay it only together with the outcome.
    3. Check that the other components can be earned at all: test each on a sample that should earn it.

    ## How to prove it
    Train briefly on the other components alone: if nothing rises, they cannot be reached; if they rise, the weight of
    the first one hid them.

    ## When it is wrong
    Formatting terms that stay at 0 beside an outcome that rises are harmless, and the rule ignores them. It recognises
    these by name, so a component with an opaque name is judged with low confidence. Penalties are not counted: they
    cannot be earned.

    ## References
    Pan et al., The Effects of Reward Misspecification, 2022.
    """
    parts = [series for series in run.matching(COMPONENT) if _can_be_earned(series)]
    if len(parts) < 2 or run.family not in ("", "language"):
        return CannotTell(("reward.component.<name>",), "fewer than two components that can be earned are logged")
    total = run["reward.mean"]
    rise = measure_course(total)
    courses = [(series, course) for series in parts if (course := measure_course(series)) is not None]
    if rise is None or len(courses) < 2:
        return CannotTell((total.name,), "too few points")
    if rise.declined or rise.final <= rise.start or has_gained(run):
        return None
    named = next(find_component_series(run, RIGHT), None) is not None
    return _judge(total, rise, courses, share, tiny, MEDIUM if named else LOW)


def _judge(
    total: Series, rise: Performance, courses: list[tuple[Series, Performance]], share: float, tiny: float, sure: float
) -> Answer:
    taker, course = max(courses, key=lambda pair: pair[1].final - pair[1].start)
    others = [(series, other) for series, other in courses if series is not taker]
    takes_all = course.improved and course.final - course.start > share * (rise.final - rise.start)
    silent = all(not other.improved and abs(other.final) < tiny * abs(course.final) for _, other in others)
    if not takes_all or not silent:
        return None
    name = taker.name.removeprefix(COMPONENT)
    quiet = ", ".join(series.name.removeprefix(COMPONENT) for series, _ in others)
    return Finding(
        message=f"Component '{name}' rises from {course.start:.3g} to {course.final:.3g} and makes up most of the rise "
        f"of {total.name}; {quiet} stay{'s' if len(others) == 1 else ''} near {others[0][1].final:.2g}.",
        onset=taker.first_step,
        onset_within=taker.interval,
        confidence=sure,
        evidence=(
            Evidence(metric=taker.name, value=course.final, limit=course.start, step=taker.last_step),
            Evidence(
                metric=others[0][0].name, value=others[0][1].final, limit=tiny * course.final, step=taker.last_step
            ),
        ),
    )


def _can_be_earned(series: Series) -> bool:
    """Whether it is a component with positive values and enough points, and not the difference of two others."""
    return len(series) >= FEWEST and "_minus_" not in series.name and bool(series.highs.max() > 0)
