from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.finding import MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.reward._plays import experts_of, names, sound_baselines, sound_plays, told_apart


@rule(
    "REW103",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("ENV108", "TSK101", "TSK102", "OBS108", "VAL301", "VAL304", "REW301", "REW303"),
)
def signal_drowned(
    survey: Survey, *, drowned: float = 0.1, faint: float = 0.5, sparse: float = 0.05, episodes: int = 10
) -> Answer:
    """The reward scatters so much that better and worse cannot be told apart.

    ## What it sees
    The mean reward of a step is under half of its standard deviation (worth knowing), or under a tenth of it for every
    policy tried, and no two of them can be told apart by their returns, although one searched for a better one or
    knows the task (a warning).

    ## Why it is bad
    What a better action earns must show through the noise. Where even the means over many whole episodes do not
    differ, a gradient from a few thousand steps is noise, and the number of samples needed grows with the square of it.

    ## What to do
    1. Look at where the scatter comes from: plot each part of the reward, and the reward of one state over many tries.
    2. Take out what the agent cannot influence: noise added to the reward, random bonuses, other players' luck.
    3. If the noise belongs to the task, use larger batches, a longer horizon for the baseline, and more steps.

    ## How to prove it
    Repeat `weaklink preflight ENV --episodes 1000`: if the baselines come apart, the noise can be averaged out; if not,
    either the reward or the actions have nothing to do with the task.

    ## When it is wrong
    Rewards around zero have a small mean by design (a swimmer that moves to and fro, a game of win and loss), which is
    why a small mean alone is never an alarm. Rewards that are rare are left to the rule on sparse rewards.

    ## References
    Practice. Romoff et al., Reward Estimation for Variance Reduction in Deep Reinforcement Learning, 2018.
    """
    plays = sound_plays(survey)
    play = plays.get(RANDOM)
    if play is None or len(play.rewards) < 100:
        return CannotTell((RANDOM,), "fewer than 100 steps with a reward that is a number")
    spread = float(play.rewards.std())
    if spread == 0.0:
        return CannotTell(("a reward that varies",), "the reward of random play is constant")
    signal = _signal(play.rewards)
    if signal >= faint or np.mean(play.rewards != 0.0) < sparse:
        return None
    compared = {name: one for name, one in sound_baselines(survey).items() if one.episodes >= episodes}
    all_faint = all(_signal(one.rewards) < drowned for one in compared.values())
    enough = RANDOM in compared and len(compared) > 1 and bool(experts_of(compared))
    lost = enough and all_faint and not told_apart({name: one.returns for name, one in compared.items()})
    words = f"the returns of {names(compared)} cannot be told apart" if lost else "the signal is faint"
    return Finding(
        message=f"The mean reward is {signal:.2g} of its standard deviation in random play, and {words}."
        if lost
        else f"The mean reward is {signal:.2g} of its standard deviation in random play: {words}.",
        level=Level.WARN if lost else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward.snr", value=signal, limit=drowned if lost else faint),),
    )


def _signal(rewards: Array) -> float:
    """The mean over the standard deviation, in size."""
    spread = float(rewards.std())
    return abs(float(rewards.mean())) / spread if spread > 0 else np.inf
