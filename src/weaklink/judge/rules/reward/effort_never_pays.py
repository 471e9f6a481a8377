from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules.reward._plays import mark_last_steps, select_sound_plays
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 500
EXPLAINED = 0.98  # of the reward of random play, by the square of the action alone
VARIES, FLAT = 0.5, 0.01  # the share of steps at which the rest is further than so much of its range from its median
ROUNDING = 1e-6  # of the cost: what is less is no reward
PLAYS = 3  # policies, one of them searched for, in none of which the rest is larger


@rule(
    "REW127",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("action", RANDOM),
    leads_to=("REW103", "REW104", "TSK102", "TSK106"),
)
def effort_never_pays(survey: Survey, *, times: float = 10.0) -> Answer:
    """Acting costs far more than all that it could earn.

    ## What it sees
    In random play the squares of a continuous action explain 98 % of the reward, which falls with them. What is left
    of the reward varies at all steps, and between the best and the worst step of every policy, a searched one among
    them, it differs by less than a tenth of what an average action costs.

    ## Why it is bad
    Standing still is the best policy, whatever the rest of the reward asks for. The return rises until nothing is done
    any more, and looks like learning.

    ## What to do
    1. Divide the weight of the cost until a policy that does the task earns more than one that does nothing.
    2. Log both parts of the reward beside each other.

    ## How to prove it
    `weaklink preflight ENV` with the weight divided by a hundred: the best policy found must act.

    ## When it is wrong
    Where doing nothing is the task, and where what is to be earned was not found by any policy.

    ## References
    Pan et al., The Effects of Reward Misspecification, 2022; practice.
    """
    plays = {name: play for name, play in select_sound_plays(survey).items() if play.kept >= FEWEST_STEPS}
    if survey.action is None or survey.action.kind != "box":
        return None
    if RANDOM not in plays or len(plays) < PLAYS or "search" not in plays:
        return CannotTell((RANDOM, "search"), f"fewer than {PLAYS} policies of {FEWEST_STEPS} steps")
    rewards, effort, inside = _read(plays[RANDOM])
    design = np.column_stack([effort, np.ones(len(effort))])[inside]
    weights = np.linalg.lstsq(design, rewards[inside], rcond=None)[0]
    left = rewards[inside] - design @ weights
    if not float(rewards.var()) > 0.0 or float(left.var()) > (1.0 - EXPLAINED) * float(rewards[inside].var()):
        return None
    cost = -float((effort[inside] @ weights[:-1]).mean())
    rests = [paid - squares @ weights[:-1] for paid, squares, _ in map(_read, plays.values())]
    rest = np.concatenate(rests)
    most = float(np.ptp(rest))
    varies = float(np.mean(np.abs(left - np.median(left)) > FLAT * most))
    if np.any(weights[:-1] >= 0.0) or cost <= times * most or varies < VARIES or most <= ROUNDING * cost:
        return None
    return Finding(
        message=f"In random play acting costs {cost:.3g} a step on average, {cost / most:.0f} times as much as "
        f"everything else in the reward ever varies by ({most:.3g} over {len(plays)} policies, limit {times:g} times): "
        "standing still is best.",
        confidence=HIGH,
        evidence=(Evidence(metric="cost of acting over all that is earned", value=cost / most, limit=times),),
    )


def _read(play: Play) -> tuple[Array, Array, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Rewards and squares of actions of the steps that were kept, and which of them end no episode."""
    kept = min(play.kept, 0 if play.actions is None else len(play.actions))
    actions = np.empty((0, 0)) if play.actions is None else play.actions[:kept]
    return play.rewards[:kept], np.square(actions), ~mark_last_steps(play)[:kept]
