from __future__ import annotations

import numpy as np

from weaklink.base.evidence.known_tasks import find_solved_return
from weaklink.base.evidence.performance import NOTICEABLE, Performance
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._budget import ENV_STEPS, UPDATES, count_episodes, has_come_far_enough
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_POINTS = 20  # with fewer, a level and its noise are chance
FEWEST_EQUAL = 12  # averages that are all the same number have no noise

# episodes with one and the same return, mostly 0: random play of the rarest of the usual tasks is paid once in 500
EPISODES_UNPAID = 1_000

# the entropy of a policy that chooses each of n actions equally often is log(n), up to this; and the share of it that
# a policy has left which has made up its mind about nothing
MOST_ACTIONS, AT_RANDOM, UNDECIDED = 18, 0.02, 0.95

# the share of the returns that a critic foresees where actions have no part in them, and of its first entropy that a
# policy keeps which still acts by chance: what chance decides nobody foresees
FORESEEN, BY_CHANCE = 0.95, 0.6

# of its first entropy: a policy that keeps less has decided, and one that keeps less still tries nothing else any more;
# and how little the return then moved and scatters
DECIDED, COLLAPSED, ALIKE, STEADY = 0.8, 0.25, 0.1, 0.15

OUTCOME = 90  # in the decision tree the return comes last: it lags behind every cause


@rule(
    "REW301",
    link=Link.REWARD,
    level=Level.WARN,
    needs=(
        ("reward.episode_return", "evaluation.return", "evaluation.success_rate", "task.success_rate", "reward.mean"),
    ),
    tree=OUTCOME,
    symptoms={"reward flat": 2, "about as good as random": 1},
    marks=("course of the return", "needs length"),
)
def reward_flat(run: Run, *, env_steps: float = ENV_STEPS, updates: float = UPDATES, budget: float = 0.5) -> Answer:
    """The return never leaves its initial level.

    ## What it sees
    From its first point to its last the return changes by no more than its noise, after a good part of the budget: half
    of it where the budget is known, 150,000 environment steps (ten times as many on Atari) or 200 updates where it is
    not. A learning rate annealed to zero, an epsilon at its floor or 3,000 episodes show that the budget was spent, and
    so do 1,000 episodes that all had exactly the same return. Before that it is info. A return that is the highest from
    the first point on is no fault, unless the policy is still the random one that it began as: then the environment
    pays whatever is done, and nothing ends an episode. Where the critic explains 95 % of the returns although the
    policy is still nearly random, the actions are blamed: they make no difference to what is paid. So they are, at any
    time, where the entropy falls by a fifth to three quarters and the return, which hardly scatters, stays what it was.

    ## Why it is bad
    Nothing is being learned. Either the policy is not updated, or its data do not distinguish good actions from bad
    ones.

    ## What to do
    1. Rule out the trainer: every finding above this one comes first.
    2. Compare with 100 random episodes: if the return is within one standard deviation of random play, nothing was
       learned at all.
    3. Count how many steps pay any reward; below 5 % add potential-based shaping or start from easier goals.
    4. Try a simple hand-written policy: if it does no better, the environment is broken.

    ## How to prove it
    Train the same agent on the easiest version of the task with a dense reward: if it learns that, the reward of the
    full task is too sparse; if not, the trainer or the environment is broken.

    ## When it is wrong
    Tasks with rare rewards stay at their lowest return for long before they improve; a resumed run starts where it left
    off; a run may be at its maximum from the first evaluation on. The rule does not fire on those that it can
    recognise.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    course = run.performance
    if course is None:
        return CannotTell(("reward.episode_return",), "fewer than 8 points")
    series = run[course.metric]
    if not course.flat:
        return None
    unpaid = course.best == course.lowest and count_episodes(run) >= EPISODES_UNPAID
    constant = course.best == course.lowest
    fewest = FEWEST_EQUAL if constant else FEWEST_POINTS
    if len(series) < fewest and not unpaid:
        return CannotTell((course.metric,), f"fewer than {fewest} points")
    if series.first_step > max(0.25 * series.last_step, 5 * series.interval):
        return CannotTell((course.metric,), "the log starts in the middle of training")
    if _is_at_ceiling(run, series, course):
        return _find_paid_untaught(run, course) if constant else None
    long_enough = unpaid or has_come_far_enough(run, series, budget, env_steps, updates)
    foreseen = _tell_foreseen(run)
    unmoved = "" if foreseen else _tell_unmoved(run, series, course)
    long_enough = long_enough or bool(unmoved)
    foreseen = foreseen or unmoved
    return Finding(
        link=Link.ACTION if foreseen else Link.REWARD,
        message=f"{course.metric} {_describe_level(course)} over all {len(series)} points up to step "
        f"{series.last_step:,.0f} (it started at {course.start:.4g}){foreseen}"
        + ("." if long_enough else f"; it may still be early: {_describe_budget(run, series, env_steps, updates)}."),
        onset=series.first_step,
        onset_within=series.last_step - series.first_step,  # a flat curve has no onset
        level=Level.WARN if long_enough else Level.INFO,
        confidence=LOW if not long_enough else HIGH if constant else MEDIUM,
        evidence=(
            Evidence(
                metric=course.metric, value=course.final, limit=course.start + 2 * course.noise, step=series.last_step
            ),
        ),
    )


def _tell_foreseen(run: Run) -> str:
    """That the returns of a policy that acts by chance are foreseen, in words; nothing where they are not."""
    explained = run.get("value.explained_variance")
    chance = run.get("exploration.entropy", "exploration.action_std")
    if explained is None or chance is None or min(len(explained), len(chance)) < FEWEST_EQUAL:
        return ""
    foreseen = level(explained.values[len(explained) // 2 :])
    start, end = level(chance.values[:3]), level(chance.values[-max(len(chance) // 5, 3) :])
    if foreseen < FORESEEN or start <= 0 or end < BY_CHANCE * start:
        return ""
    return (
        f", and the critic explains {foreseen:.0%} of the returns although the policy is still nearly random "
        f"({chance.name} {start:.3g} to {end:.3g}): its actions make no difference"
    )


def _tell_unmoved(run: Run, series: Series, course: Performance) -> str:
    """That the policy decided for some actions and the return is still that of chance, in words; or nothing.

    Whatever a policy decides for, right or wrong, it is paid otherwise than chance: unless nobody does what it says.
    """
    entropy = run.get("exploration.entropy")
    if entropy is None or min(len(entropy), len(series)) < FEWEST_POINTS or series.name != "reward.episode_return":
        return ""
    start, end = level(entropy.values[:3]), level(entropy.values[-max(len(entropy) // 5, 3) :])
    third = len(series) // 3
    before, after = level(series.values[:third]), level(series.values[-third:])
    scatter = float(np.std(series.values[-third:]))
    same = abs(after - before) < min(scatter, ALIKE * abs(before))
    decided = start > 0 and COLLAPSED * start < end < DECIDED * start
    if not decided or not same or not 0 < scatter < STEADY * abs(after):
        return ""
    return (
        f", although the policy decides for some actions ({entropy.name} {start:.3g} to {end:.3g}): what it chooses "
        "makes no difference"
    )


def _describe_budget(run: Run, series: Series, env_steps: float, updates: float) -> str:
    """Why a run may be too short to be called flat."""
    total = run.config.number("total_steps")
    if total and total > series.last_step:
        return f"{series.last_step / total:.0%} of its {total:,.0f} steps"
    counted = series.provenance.axis == "env_steps"
    least = f"{env_steps:,.0f} steps" if counted else f"{updates:,.0f} updates"
    return f"the budget is not known, and most tasks show progress within {least}"


def _describe_level(course: Performance) -> str:
    """Where the return stays: at one value, around a level, or, where it scatters widely, between two."""
    if course.best == course.lowest:
        return f"is exactly {course.final:.4g}"
    if course.best - course.lowest > NOTICEABLE * max(abs(course.best), abs(course.lowest)):
        return f"stays between {course.lowest:.4g} and {course.best:.4g}"
    return f"stays around {course.final:.4g}"


def _is_at_ceiling(run: Run, series: Series, course: Performance) -> bool:
    """Whether the flat level is the maximum: the task's threshold, every episode survived, every try a success."""
    threshold = find_solved_return(str(run.config.values.get("environment", "")))
    if threshold is not None:
        return course.final >= threshold
    if series.name.endswith(("_rate", "score")) or run.family == "language":
        return course.final > 0.95 and float(series.values.max()) <= 1.0
    length = run.get("task.episode_length", "evaluation.length")
    if length is None or course.final <= 0:
        return False
    return float(length.values[-1]) == float(length.highs.max()) and float(length.values.std()) == 0


def _find_paid_untaught(run: Run, course: Performance) -> Finding | None:
    """Every episode has the highest return from the first on while the policy chooses among all actions at random."""
    entropy, length = run.get("exploration.entropy"), run.get("task.episode_length")
    if entropy is None or length is None or len(entropy) < FEWEST_EQUAL:
        return None
    uniform = np.log(np.arange(2, MOST_ACTIONS + 1))
    start, end = (level(part) for part in (entropy.values[:3], entropy.values[-max(len(entropy) // 5, 3) :]))
    if float(np.abs(uniform / max(start, 1e-12) - 1).min()) > AT_RANDOM or end < UNDECIDED * start:
        return None
    return Finding(
        message=f"Every episode lasts {float(length.values[-1]):,.4g} steps and pays exactly {course.final:,.4g} "
        f"from the first on, although the policy still acts at random (entropy {start:.3g} to {end:.3g}): nothing "
        "that it does ends an episode or costs anything.",
        link=Link.ENVIRONMENT,
        onset=length.first_step,
        onset_within=length.last_step - length.first_step,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=course.metric, value=course.final, step=length.last_step),
            Evidence(metric=entropy.name, value=end, limit=UNDECIDED * start),
        ),
    )
