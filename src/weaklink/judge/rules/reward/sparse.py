from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import list_experts, select_sound_plays
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SEARCH = "search"


@rule(
    "REW102",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW103", "TSK102", "TSK103", "TSK106", "OBS108", "EXP303", "REW301"),
    checks={"reward histogram": "fails"},
    marks=("excused by learning",),
)
def sparse(
    survey: Survey,
    *,
    share: float = 0.05,
    size: float = 1e-4,
    met: float = 0.01,
    episodes: int = 20,
    steps: int = 4000,
) -> Answer:
    """Hardly any step is rewarded.

    ## What it sees
    Fewer than 5 % of the steps of random play have a reward over a ten-thousandth of the largest that any policy met.
    That is info. It is a warning where no policy meets rewards often enough to learn from: fewer than one in a hundred
    episodes of every policy, be it random play, a constant action or a search, ever contain one; or not one of twenty
    or more episodes of random play, over 4,000 steps, does, nor any of the other policies that do not search for it. In
    every healthy environment known random play meets a reward, however rarely, or a constant action or the table does.

    ## Why it is bad
    A learner that starts like random play gets its first signal only when it finds a reward by chance. If that takes a
    hundred episodes, most of the budget teaches nothing, and the critic settles on predicting zero.

    ## What to do
    1. Shape the reward with a difference of potentials, such as the distance to the goal
       (`weaklink.adapters.gymnasium.shaping.PotentialShaping`); it does not change the optimal policy.
    2. Start some episodes close to the goal and move the start away as the policy improves.
    3. Repeat actions, or add a bonus for new states, so that exploration goes further.
    4. With goals in the observation, relabel failures with the goals that were reached (HER).

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that reaches the goal: if it is rewarded, the
    reward works and only exploration is hard.

    ## When it is wrong
    Sparse rewards are often intended (FrozenLake, MiniGrid, chess), and are learned where random play meets them now
    and then. A fixed cost on every step is not sparse in this sense even if the goal is never reached.

    ## References
    Ng, Harada and Russell, Policy Invariance under Reward Transformations, 1999. Andrychowicz et al., Hindsight
    Experience Replay, 2017.
    """
    plays = select_sound_plays(survey)
    play = plays.get(RANDOM)
    if play is None:
        return CannotTell((RANDOM,), "random play has no finite reward")
    if not any(np.any(one.rewards != 0.0) for one in plays.values()):
        return CannotTell(("a reward that is not zero",), "every reward is zero, see REW101 (all-zero)")
    size *= max(float(np.abs(one.rewards).max(initial=0.0)) for one in plays.values())
    paying = float(np.mean(np.abs(play.rewards) > size))
    if paying >= share:
        return None
    experts = list_experts(plays)
    others = [name for name, one in plays.items() if name not in (RANDOM, *experts) and len(one.lengths) >= episodes]
    often = {name: _measure_rewarded(plays[name], size) for name in (RANDOM, *experts, *others)}
    best = max(often, key=lambda name: often[name])
    never = len(play.lengths) >= episodes and often[best] < met and (bool(experts) or _is_unmet(plays, size, steps))
    only_searched = len(play.lengths) >= episodes and _is_unmet(plays, size, steps) and best == SEARCH
    seen = (
        f"no more than {often[best]:.1%} of the episodes of {join_names(list(often))} ever contain one"
        if never
        else f"{often[best]:.0%} of the episodes of {best} play contain one"
    )
    if only_searched and not never:
        seen += ", but none of those of policies that do not search for it"
    return Finding(
        message=f"Only {paying:.2%} of the steps of random play have a reward ({share:.0%} is usual), and {seen}.",
        level=Level.WARN if never or only_searched else Level.INFO,
        confidence=HIGH if len(play.rewards) >= 5000 else MEDIUM,
        evidence=(
            Evidence(metric="reward.nonzero_fraction", value=paying, limit=share),
            Evidence(metric=f"{best}: episodes with a reward", value=often[best], limit=met),
        ),
    )


def _is_unmet(plays: dict[str, Play], size: float, steps: int) -> bool:
    """Whether none of the policies that do not search for rewards ever met one, over many steps of random play."""
    simple = [play for name, play in plays.items() if name != SEARCH]
    return len(plays[RANDOM].rewards) >= steps and not any(np.any(np.abs(play.rewards) > size) for play in simple)


def _measure_rewarded(play: Play, size: float) -> float:
    """The share of episodes with at least one reward, unfinished ones included."""
    episodes = np.bincount(play.episode_of, weights=np.abs(play.rewards) > size, minlength=len(play.lengths))
    return float(np.mean(episodes[play.lengths > 0] > 0))
