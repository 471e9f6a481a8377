from __future__ import annotations

from weaklink.base.evidence.performance import Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._course import is_parted, list_measures, rises_after_first, start_of
from weaklink.judge.rules._lengths import find_sudden_end
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

PAID = ("reward.mean", "reward.episode_return")
AT_ONCE = 0.15  # of the reward: so much is a rise where all later points have it
GOOD, GIVEN_UP, KEPT = (
    0.5,
    0.6,
    0.95,
)  # a best success, what is left of it, and the share of its gain that a reward keeps
TWICE = 2.0  # times where it began: a success that has risen so far is not left behind, however little that is
SOONER = 0.5  # of the length that episodes had
SAVED = 0.5  # of what episodes cost at first: who saves less has found no way around the task
FEWEST = 15  # points below which a rise cannot be told from noise


@rule(
    "REW305",
    link=Link.REWARD,
    level=Level.ERROR,
    needs=(PAID,),
    leads_to=("REW306", "LLM302", "LLM304", "LLM311", "EXP301", "EVA304"),
    symptoms={"high reward, bad behaviour": 1, "reward declines": 4, "evaluation worse than training": 2},
    checks={"return and evaluation": "decides"},
)
def proxy_gap(run: Run, *, small: float = 0.2, too_late: float = 0.7) -> Answer:
    """The reward rises but the task is not solved better.

    ## What it sees
    The training reward clearly improves while the true metric of the task (an evaluation score, a success rate, the
    correctness component of the reward) stays where it was or falls, far from its maximum. Or success, once above a
    half, has lost four tenths of its best and more while the reward went on to its own best. A success of exactly 0
    throughout says nothing beside a return that is never above 0 and rises as episodes end sooner: to end sooner is
    what is asked for there, and whether that is the goal, nobody says. Nor does a success that did not move say
    anything beside costs of which more than half are left, or beside a rise that is all in the first point.

    ## Why it is bad
    The policy has found a way to earn reward without doing the task. The longer it trains, the better it gets at that
    and the worse at the task.

    ## What to do
    1. Stop, and read the episodes or samples with the highest reward: what do they do instead of the task?
    2. Log every component of the reward separately; remove or cap the one that is exploited.
    3. Put the true metric into the reward, or select checkpoints by it.

    ## How to prove it
    Evaluate the first and the last checkpoint by the true metric on 100 held-out tasks: no gain there confirms it.

    ## When it is wrong
    The true metric may simply lag: early in training the reward often rises first. It may also be at its maximum, which
    the rule checks.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022. Amodei et al., Concrete Problems in AI Safety,
    2016.
    """
    paid = run.get(*PAID)
    outcomes = [series for series in list_measures(run) if len(series) >= FEWEST]
    if paid is None or not outcomes:
        return CannotTell(("evaluation.score or task.success_rate",), "no true metric of the task is logged")
    rise = measure_course(paid)
    if rise is None or len(paid) < FEWEST:
        return CannotTell((paid.name,), f"fewer than {FEWEST} points")
    if find_sudden_end(run) is not None:
        return CannotTell(("task.episode_length",), "episodes came to end at once, so that success can not be compared")
    if _ends_sooner(run, paid):
        outcomes = [series for series in outcomes if series.highs.max() != series.lows.min()]
    courses = [(series, course) for series in outcomes if (course := measure_course(series)) is not None]
    lost = _rises_at_once(paid) and all(course.final < course.start for _, course in courses)
    if not lost and not any(course.declined for _, course in courses) and _is_hardly_farmed(paid, rise):
        return None
    if (
        not (rise.improved or lost)
        or not courses
        or not all(_is_left_behind(rise, course, small) for _, course in courses)
    ):
        return None
    return _describe(paid, rise, *min(courses, key=lambda pair: pair[1].final - pair[1].start), too_late)


def _ends_sooner(run: Run, paid: Series) -> bool:
    """Whether every return is a cost, and episodes have come to end in half of the time that they took."""
    lengths = run.get("task.episode_length")
    if lengths is None or len(lengths) < FEWEST or paid.highs.max() > 0.0:
        return False
    return level(lengths.values[-max(len(lengths) // 5, 3) :]) < SOONER * start_of(lengths.values)


def _is_hardly_farmed(paid: Series, rise: Performance) -> bool:
    """Whether a rise is no sign of a way around the task: most costs are still paid, or a single point is all of it."""
    costs = rise.best <= 0.0 and rise.final < (1 - SAVED) * rise.start
    return costs or not rises_after_first(paid)


def _rises_at_once(paid: Series) -> bool:
    """Whether the reward lies clearly above its first points ever since: a rise of few updates looks like scatter."""
    later = level(paid.values[len(paid) // 2 :])
    return is_parted(paid.values) and later - start_of(paid.values) > AT_ONCE * abs(later)


def _is_left_behind(rise: Performance, course: Performance, small: float) -> bool:
    """Whether the true metric gained next to nothing while the reward rose; both may be shares of 1."""
    if _is_given_up(rise, course):
        return True
    gain, paid_gain = course.final - course.start, rise.final - rise.start
    if course.improved and (gain > small * min(1.0, paid_gain) or course.final > TWICE * course.start > 0.0):
        return False
    return gain < small * min(1.0, paid_gain) and course.final < 0.8


def _is_given_up(rise: Performance, course: Performance) -> bool:
    """Whether the true metric has lost half of its best, while the reward is now at its own best and was not then."""
    if not course.metric.endswith("success_rate") or not course.declined or course.best < GOOD:
        return False
    return course.final < GIVEN_UP * course.best and rise.kept > KEPT and course.best_step < rise.best_step


def _describe(paid: Series, rise: Performance, true: Series, course: Performance, too_late: float) -> Answer:
    given_up = _is_given_up(rise, course)
    falls = given_up or course.final < course.start - 2 * course.noise
    half = rise.start + 0.5 * (rise.final - rise.start)
    above = paid.steps[paid.values >= half]
    step = course.best_step if given_up else float(above[0]) if len(above) else paid.first_step
    was = course.best if given_up else course.start
    if step > too_late * paid.last_step:
        return CannotTell((true.name,), "the reward has only just risen")
    return Finding(
        message=f"{paid.name} rises from {rise.start:.3g} to {rise.final:.3g} while {true.name} "
        f"{'falls' if falls else 'stays'}: {was:.3g} to {course.final:.3g}.",
        onset=step,
        onset_within=paid.interval,
        confidence=HIGH if len(true) >= 30 else MEDIUM,
        evidence=(
            Evidence(metric=paid.name, value=rise.final, limit=rise.start, step=paid.last_step),
            Evidence(metric=true.name, value=course.final, limit=course.start, step=true.last_step),
        ),
    )
