from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._goals import GoalPair, list_goal_pairs, mark_plain_steps, measure_distances
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 30  # steps in each direction

# the correlation of the reward with the progress of approaches, where small terms are paid beside it, and the slope of
# retreats as a share of that of approaches: a potential has the same one for both
CLOSELY, FLAT = 0.95, 0.1

# times as many steps of either kind, of as many different lengths, as where rewards are exact; and the share of what an
# approach pays that must remain once the way back was paid for
MORE, GAIN = 3, 0.2

EXACT = 1e-4  # of what an approach pays: attributes and rewards are computed from the same numbers


@rule(
    "REW114",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("held",),
    leads_to=("REW109", "REW305", "EVA305", "TSK104"),
)
def free_retreat(survey: Survey, *, fewest: int = FEWEST) -> Answer:
    """Coming nearer is paid and going away again is free, so that going to and fro earns without end.

    ## What it sees
    Two attributes of the environment, of which one moves and the other holds still, as a place and a goal do. At every
    step that brings them nearer the reward is higher, by a fixed amount or in proportion to the way; at every step that
    takes them apart it is one and the same number, or, where other small terms are paid too, it does not depend on how
    far; and a step there and one back together pay more than nothing. Ends of episodes and steps that replace the goal
    are left out.

    ## Why it is bad
    The learner finds that it is paid for the approach and not for the arrival, which even ends the income. The return
    rises while the task is never done.

    ## What to do
    1. Charge for going away what coming nearer pays: `before - after` instead of `max(before - after, 0)`.
    2. Or pay only for coming nearer than ever before in this episode.

    ## How to prove it
    Step to and fro twenty times and add the rewards: with the change they are 0 or less. Then run
    `weaklink preflight ENV` again.

    ## When it is wrong
    Where the way back costs something that the reward does not have, such as fuel that ends the episode.

    ## References
    Randlov and Alstrom, Learning to Drive a Bicycle using Reinforcement Learning and Shaping, 1998; Ng, Harada and
    Russell, Policy Invariance under Reward Transformations, 1999.
    """
    held = survey.held
    assert held is not None
    if len(held.rewards) < 2 * fewest or not np.isfinite(held.rewards).all():
        return CannotTell(("held",), "too few steps with finite rewards beside the attributes of the environment")
    for pair in list_goal_pairs(held):
        for order in (1, 2):
            found = _compare_ways(held, pair, order, fewest) or _compare_slopes(held, pair, order, fewest)
            if found is not None:
                return _describe(pair, *found)
    return None


def _compare_ways(held: HeldState, pair: GoalPair, order: int, fewest: int) -> tuple[float, float, int, int] | None:
    """What coming nearer and going away pay at a step, and how many steps did; None where going away is not free."""
    plain = mark_plain_steps(held, pair)
    before, after = measure_distances(held, pair, order)
    progress, rewards = (before - after)[plain], held.rewards[plain]
    least = 1e-6 * (1.0 + float(np.abs(before).max(initial=0.0)))
    nearer, away = progress > least, progress < -least
    if nearer.sum() < fewest or away.sum() < fewest:
        return None
    idle = float(rewards[away][0])
    gains = rewards[nearer] - idle
    typical = float(np.mean(gains))
    if typical <= 0 or typical + 2.0 * idle <= 0:
        return None
    close = EXACT * typical
    still = np.abs(rewards[~nearer] - idle) <= close
    if not still.all() or not (_is_constant(gains, close) or _is_in_proportion(gains, progress[nearer], close)):
        return None
    return typical + idle, idle, int(nearer.sum()), int(away.sum())


def _compare_slopes(held: HeldState, pair: GoalPair, order: int, fewest: int) -> tuple[float, float, int, int] | None:
    """The same where other small terms are paid too: in proportion to the progress made, and not to what is lost."""
    plain = mark_plain_steps(held, pair)
    before, after = measure_distances(held, pair, order)
    progress, rewards = (before - after)[plain], held.rewards[plain]
    nearer, away = progress > 0, progress < 0
    if min(nearer.sum(), away.sum()) < MORE * fewest or len(np.unique(progress)) < MORE * fewest:
        return None
    slope, tie = _fit_line(progress[nearer], rewards[nearer])
    other, _ = _fit_line(progress[away], rewards[away])
    paid, idle = float(rewards[nearer].mean()), float(rewards[away].mean())
    if tie < CLOSELY or slope <= 0 or abs(other) > FLAT * slope or paid + idle <= GAIN * paid:
        return None
    return paid, idle, int(nearer.sum()), int(away.sum())


def _fit_line(progress: Array, rewards: Array) -> tuple[float, float]:
    """The slope of the reward over the progress, and their correlation."""
    away, paid = progress - progress.mean(), rewards - rewards.mean()
    size = float(away @ away)
    if not size > 0.0 or not float(paid @ paid) > 0.0:
        return 0.0, 0.0
    return float(away @ paid) / size, float(away @ paid) / float(np.sqrt(size * float(paid @ paid)))


def _is_constant(gains: Array, close: float) -> bool:
    return float(np.ptp(gains)) <= close


def _is_in_proportion(gains: Array, progress: Array, close: float) -> bool:
    slope = float(gains @ progress) / float(progress @ progress)
    return float(np.abs(gains - slope * progress).max()) <= 10.0 * close


def _describe(pair: GoalPair, nearer: float, away: float, steps: int, others: int) -> Finding:
    return Finding(
        message=f"A step that brings `{pair.mover}` nearer to `{pair.goal}` pays {nearer:.3g} on average ({steps:,} "
        f"steps), and one that takes it away again {away:.3g} ({others:,} steps), however far: going to and fro pays "
        "without end.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="reward of a step there and one back", value=nearer + away, limit=0.0),),
    )
