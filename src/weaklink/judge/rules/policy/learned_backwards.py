from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import LOST, Performance, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level, quantile
from weaklink.judge.rules._budget import has_come_far_enough
from weaklink.judge.rules._course import FIRST, is_parted, may_be_luck, start_of
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# what shows how well a policy does in training
MEASURES = ("reward.episode_return", "reward.mean", "task.success_rate")

# what tells how much of chance is left in the actions
DECIDING = ("exploration.entropy", "exploration.epsilon", "exploration.action_std")

# points of the return: with fewer, an early dip is most of the curve
FEWEST_POINTS = 20

# of the rows: so few may be of either sign
FEW = 0.05

# of the returns: values that have gone so far to the other side of 0 were taught to
AGAINST = 0.1

# times the noise of the return: no dip at the start of a training goes so deep
FAR = 8.0


@rule(
    "POL309",
    link=Link.POLICY,
    level=Level.WARN,
    needs=(MEASURES, (*DECIDING, "policy.loss")),
    leads_to=("EXP301", "EXP302", "POL307", "OPT302", "REW304", "REW301", "TSK301", "VAL301", "VAL304", "LLM308"),
    tree=88,
    symptoms={"reward declines": 11},
)
def learned_backwards(run: Run, *, decided: float = 0.05, budget: float = 0.3, env_steps: float = 10_000) -> Answer:
    """The more the policy makes up its mind, the worse it gets, from the beginning on.

    ## What it sees
    The return, or the success rate, never rises above its start and falls well below it, while the policy becomes more
    decided: its entropy or the spread of its actions falls by a twentieth, or epsilon falls. Where a loss of the policy
    alone is logged beside it, the return must fall all the time, by eight times its noise. Not before three tenths of
    the budget (10,000 steps where it is unknown); epsilon must have reached its floor. Where the mean reward that is
    logged rises meanwhile and is above 0 in rows whose return is below 0, the reward is blamed: another one is learned
    from. So it is where values end on the other side of 0 than all returns, by a tenth of their size.

    ## Why it is bad
    Random play is better than what was learned. A learner that merely learns nothing stays where it began; one that
    gets worse as it decides prefers the wrong actions: what it is told is good is bad.

    ## What to do
    1. Check the sign of the loss: gradient descent on `-(log_prob * advantage)`, ascent on nothing.
    2. Check that each advantage or target belongs to the action, observation and step that it is paired with: the order
       in which rollouts are flattened, rewards to go that run from the end, the action that was executed.
    3. Check where targets end: an episode that terminated has no value after it.

    ## How to prove it
    Turn the sign of the advantages round for a short run: if the return rises, they had the wrong sign. Otherwise
    `weaklink run` reads the updates and says which part does not follow from the others.

    ## When it is wrong
    Learners of values often fall before they rise, so their exploration must be over. Rewards that pay for chance (a
    bonus for being unpredictable) fall by design.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021; practice.
    """
    course = run.performance
    deciding = run.get(*DECIDING, "policy.loss")
    assert deciding is not None
    if course is None or course.metric not in MEASURES:
        return CannotTell(("reward.episode_return",), "no return of training to compare with")
    series = run[course.metric]
    if min(len(series), len(deciding)) < FEWEST_POINTS:
        return CannotTell((course.metric,), f"fewer than {FEWEST_POINTS} points")
    if not _is_worse_throughout(course) or (may_be_luck(series, course) and not _is_clearly_worse(series)):
        return None
    if not has_come_far_enough(run, series, budget, env_steps, updates=FEWEST_POINTS):
        return CannotTell((course.metric,), "it is early: many learners get worse before they improve")
    start, end = start_of(deciding.values), level(deciding.values[-max(len(deciding) // 5, 3) :])
    far = course.start - course.final > FAR * course.noise
    known = deciding.name in DECIDING
    if not known and run.family == "off-policy":
        return CannotTell(DECIDING, "learners of values often fall before they rise")
    if (start - end < decided * max(abs(start), 1e-12)) if known else not (far and course.trend.falls):
        return None
    half, flipped, against = _find_half(series, course), _is_rewarded_for_less(run, series), _tell_valued_against(run)
    told = f", while {deciding.name} falls from {start:.3g} to {end:.3g}" if known else ""
    means = (
        "reward.mean has the opposite sign and rises meanwhile: training uses another reward than the return is made of"
    )
    return Finding(
        message=f"{course.metric} falls from {course.start:.4g} to {course.final:.4g} and never rises{told}: "
        f"{means if flipped else 'what the policy prefers is worse than chance'}{against}.",
        link=Link.REWARD if flipped or against else Link.RETURNS if _learns_values_alone(run) else Link.POLICY,
        onset=series.first_step,
        onset_within=half - series.first_step,  # it fell from the start on
        confidence=HIGH if far and known else MEDIUM,
        evidence=(
            Evidence(metric=course.metric, value=course.final, limit=course.start, step=series.last_step),
            *((Evidence(metric=deciding.name, value=end, limit=start),) if known else ()),
        ),
    )


def _is_rewarded_for_less(run: Run, returns: Series) -> bool:
    """Whether the reward that is learned from rises while the return falls, and has its other sign nearly always."""
    reward = run.get("reward.mean")
    course = measure_course(reward) if reward is not None and returns.name != "reward.mean" else None
    if reward is None or course is None or not course.improved:
        return False
    return all(quantile(values, FEW) > 0.0 for values in (reward.values, -returns.values))


def _tell_valued_against(run: Run) -> str:
    """That values have the sign that no return ever had, in words: what was learned from has it too."""
    values, returns = run.get("value.mean", "value.q_mean"), run.get("reward.episode_return")
    if values is None or returns is None or len(values) < FEWEST_POINTS or "exploration.temperature" in run:
        return ""
    sign = 1.0 if returns.lows.min() > 0 else -1.0 if returns.highs.max() < 0 else 0.0
    late = sign * values.values[len(values) // 2 :]
    if not sign or quantile(late, 1 - FEW) > -AGAINST * level(np.abs(returns.values)):
        return ""
    return f", and {values.name} is {sign * level(late):.3g}: the rewards that are learned from have the other sign"


def _learns_values_alone(run: Run) -> bool:
    """Whether there is no actor: then it is the values that are wrong."""
    return run.family == "off-policy" and not any(name in run for name in ("policy.loss", "exploration.entropy"))


def _is_worse_throughout(course: Performance) -> bool:
    """Whether it fell without having risen before."""
    return course.declined and course.best - course.start <= LOST * (course.start - course.final)


def _is_clearly_worse(series: Series) -> bool:
    """Whether each of the first returns lies above each later one, or above each of the last half."""
    values, half = series.values, len(series) // 2
    return is_parted(-values) or is_parted(-np.append(values[:FIRST], values[half:]))


def _find_half(series: Series, course: Performance) -> float:
    """The step at which half of the fall had happened."""
    low = np.flatnonzero(series.values < (course.start + course.final) / 2)
    return float(series.steps[low[len(low) // 4]]) if len(low) else series.last_step
