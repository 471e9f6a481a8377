from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, RANDOM, TERMINATED, Flags, Play, Survey
from weaklink.judge.rules._healthy import compare_with_healthy
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import (
    list_experts,
    mark_terminations,
    select_sound_baselines,
    select_sound_plays,
    sum_by_episode,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

NEARLY_ALL, DIFFERENT = (
    0.98,
    0.5,
)  # the share of episodes that end with the same reward, and of ends that look different


@rule(
    "REW105",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("ENV108", "TSK101", "TSK102", "TSK103", "OBS108", "POL302", "REW301"),
    checks={"reward histogram": "fails"},
    marks=("excused by learning",),
)
def flat_return(
    survey: Survey, *, spread: float = 0.01, share: float = 0.01, episodes: int = 20, steps: int = 300
) -> Answer:
    """Every episode has the same return, whatever the policy.

    ## What it sees
    The standard deviation of returns is below 0.01 over all episodes of all baselines together, including the search
    for a better policy. If the rewards themselves are so small that 0.01 is large for them, it is a warning only where
    those of every healthy environment known lie a hundred times further apart; otherwise it is info.

    Or: other courses of action from the same seed are paid exactly the same at every step, over whole episodes or 300
    steps, although they lead to other observations and the reward changes from step to step.

    Or: nothing is paid before the end, and 98 % of the episodes of every policy, of random play, of one action
    throughout and of a search, terminate with the same reward, the highest there is, although they end in as many
    different ways.

    ## Why it is bad
    A learner compares better episodes with worse ones. If all have the same return, advantages are zero or noise, and
    normalising them amplifies the noise.

    ## What to do
    1. Check that the reward depends on the actions, and that its components do not cancel out over an episode.
    2. If rewards are divided so that every episode adds up to the same, remove that.
    3. If only the goal would make a difference and nobody reached it, see never-positive (TSK103): shape the reward or
       start nearer to the goal.
    4. If rewards are merely tiny, multiply them so that returns lie between 1 and 10.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that should do well: if its returns equal those of
    random play, the reward does not measure the task.

    ## When it is wrong
    A short search may miss the one thing that pays: mountain car and acrobot have a constant return under random play,
    which is why the rule also uses the search and cannot tell without it. Where every step costs the same and no
    episode terminates, never-positive (TSK103) tells of it.

    ## References
    Practice. Jones, Debugging RL, Without the Agonizing Pain, 2021.
    """
    plays = select_sound_baselines(survey)
    unmoved = _find_unmoved(survey, steps)
    if unmoved is not None:
        return unmoved
    if RANDOM not in plays or plays[RANDOM].episodes < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    scatter = measure_return_spread(survey)
    if scatter is None or scatter >= spread:
        return _find_equal_ends(plays)
    experts = list_experts(plays)
    if not experts:
        return CannotTell(("search",), "no search for a better policy was run")
    if _costs_until_goal(plays):
        return CannotTell(("a policy that reaches the goal",), "a cost per step until a goal would look the same")
    size = max(float(sum_by_episode(play, np.abs(play.rewards)).max()) for play in plays.values())
    if size == 0.0:
        return CannotTell(("a reward that is not zero",), "every reward is zero, see REW101 (all-zero)")
    tiny = scatter >= share * size
    standing = compare_with_healthy("reward.return_spread", scatter)
    returns = np.concatenate([play.returns for play in plays.values()])
    what = (
        f" ({standing.words}), and rewards are tiny: they add up to at most {size:.2g}."
        if tiny
        else f" around {returns.mean():.4g}."
    )
    return Finding(
        message=f"The returns of all {len(returns)} episodes of {join_names(plays)} vary by only {scatter:.2g}{what}",
        level=Level.INFO if tiny and standing.level < Level.ERROR else Level.WARN,
        confidence=HIGH if len(returns) >= 50 else MEDIUM,
        evidence=(Evidence(metric="reward.episode_return_std", value=scatter, limit=spread),),
    )


def _find_unmoved(survey: Survey, steps: int) -> Finding | None:
    """The finding, if the reward changes from step to step and never with the actions."""
    play = select_sound_plays(survey).get(RANDOM)
    compared = survey.paid_whatever_done or 0
    if play is None or compared < steps or survey.same_whatever_done or not _is_busy(play.rewards):
        return None
    return Finding(
        message=f"The reward does not depend on the actions: other courses of action from the same seed are paid "
        f"exactly the same at each of {compared:,} steps, although they lead to other observations.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="reward.difference_by_action", value=0.0, limit=0.0),),
    )


def _find_equal_ends(plays: dict[str, Play]) -> Finding | None:
    """The finding, if nearly every end of every policy pays the highest reward, in whatever way the episode ends."""
    ends = {name: mark_terminations(play) for name, play in plays.items()}
    top = max(float(play.rewards.max()) for play in plays.values())
    if top <= 0.0 or not list_experts(plays) or not {"zero", "constant"} & set(plays):
        return None
    if any(np.any(play.rewards[~ends[name]] != 0.0) for name, play in plays.items()):
        return None
    shares = [float(np.sum(play.rewards[ends[name]] == top)) / play.episodes for name, play in plays.items()]
    different = _count_different_ends(plays[RANDOM], ends[RANDOM])
    if min(shares) < NEARLY_ALL or different < DIFFERENT * plays[RANDOM].episodes:
        return None
    episodes = sum(play.episodes for play in plays.values())
    return Finding(
        message=f"At least {min(shares):.1%} of the episodes of {join_names(plays)} ({episodes:,} together) terminate "
        f"with the same reward of {top:.4g} and pay nothing before, although random play alone ends in {different:,} "
        "different ways: how it ended makes no difference.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="ends with the highest reward", value=min(shares), limit=NEARLY_ALL),),
    )


def _count_different_ends(play: Play, ends: Flags) -> int:
    """How many different observations episodes end with, of those that were kept."""
    if play.successors is None:
        return 0
    return len(np.unique(play.successors[ends[: play.kept]], axis=0))


def _is_busy(rewards: Array) -> bool:
    """Whether most rewards are different from the one before: not a bonus for each step, nor a rare prize."""
    return len(rewards) > 1 and float(np.mean(np.diff(rewards) != 0.0)) > 0.5


def _costs_until_goal(plays: dict[str, Play]) -> bool:
    """Whether every step costs the same and no episode ever terminates: what makes haste worth it was never met."""
    rewards = np.concatenate([play.rewards for play in plays.values()])
    ends = np.concatenate([play.ends for play in plays.values()])
    return bool(
        rewards[0] < 0.0 and np.all(rewards == rewards[0]) and not np.any((ends == TERMINATED) | (ends == BOTH))
    )


def measure_return_spread(survey: Survey) -> float | None:
    """The standard deviation of the returns of all baselines together; None where none has enough episodes."""
    plays = select_sound_baselines(survey)
    return float(np.concatenate([play.returns for play in plays.values()]).std()) if plays else None
