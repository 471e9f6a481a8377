from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import differ, list_experts, select_sound_baselines, select_sound_plays
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW103",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("ENV108", "TSK101", "TSK102", "OBS108", "VAL301", "VAL304", "REW301", "REW303"),
    marks=("excused by learning",),
)
def signal_drowned(
    survey: Survey, *, drowned: float = 0.1, faint: float = 0.5, sparse: float = 0.05, episodes: int = 10
) -> Answer:
    """The reward is so noisy that better and worse policies cannot be distinguished.

    ## What it sees
    The mean reward of a step is under half of its standard deviation (info), or under a tenth of it for every policy
    tried, and the returns of no two of them differ significantly, although one searched for a better policy or knows
    the task (a warning).

    ## Why it is bad
    The gain of a better action must stand out from the noise. Where even the mean returns over many whole episodes do
    not differ, a gradient from a few thousand steps is noise, and the number of samples needed grows with the square of
    the noise.

    ## What to do
    1. Find the source of the noise: plot each component of the reward, and the reward of one state over many tries.
    2. Remove what the agent cannot influence: noise added to the reward, random bonuses, other players' luck.
    3. If the noise belongs to the task, use larger batches, a longer horizon for the baseline, and more steps.

    ## How to prove it
    Repeat `weaklink preflight ENV --episodes 1000`: if the baselines now differ, the noise can be averaged out; if not,
    either the reward or the actions have nothing to do with the task.

    ## When it is wrong
    Rewards around zero have a small mean by design (a swimmer that moves to and fro, a game of win and loss), which is
    why a small mean alone is never a warning. Rare rewards are left to the rule on sparse rewards.

    ## References
    Practice. Romoff et al., Reward Estimation for Variance Reduction in Deep Reinforcement Learning, 2018.
    """
    plays = select_sound_plays(survey)
    play = plays.get(RANDOM)
    if play is None or len(play.rewards) < 100:
        return CannotTell((RANDOM,), "fewer than 100 steps with a finite reward")
    if float(play.rewards.std()) == 0.0:
        return CannotTell(("a reward that varies",), "the reward of random play is constant")
    signal = _measure_signal(play.rewards)
    if signal >= faint or np.mean(play.rewards != 0.0) < sparse:
        return None
    compared = {name: one for name, one in select_sound_baselines(survey).items() if one.episodes >= episodes}
    lost = _is_lost(compared, drowned)
    words = f", and the returns of {join_names(compared)} do not differ" if lost else ": the signal is weak"
    return Finding(
        message=f"The mean reward is {signal:.2g} times its standard deviation in random play{words}.",
        level=Level.WARN if lost else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward.snr", value=signal, limit=drowned if lost else faint),),
    )


def _is_lost(plays: dict[str, Play], drowned: float) -> bool:
    """Whether the signal is weak for every policy, an expert among them, and their returns do not differ."""
    if RANDOM not in plays or len(plays) < 2 or not list_experts(plays):
        return False
    weak = all(_measure_signal(play.rewards) < drowned for play in plays.values())
    return weak and not differ({name: play.returns for name, play in plays.items()})


def _measure_signal(rewards: Array) -> float:
    """The absolute mean over the standard deviation."""
    spread = float(rewards.std())
    return abs(float(rewards.mean())) / spread if spread > 0 else np.inf
