from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, SUCCESS, Survey
from weaklink.judge.rules.evaluation._ends import read_ends, read_terminated
from weaklink.judge.rules.reward._plays import mark_last_steps, select_sound_baselines
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 10  # ends that pay


@rule(
    "EVA105",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("EVA303",),
)
def success_untold(survey: Survey) -> Answer:
    """The info calls no episode a success, not even those that end at the goal.

    ## What it sees
    The reward is one number at every step and another, larger one at every end that terminates, ten or more of them:
    the goal is all that is paid. A key of the info that means success (`is_success`, `success`, `solved`) is told at
    these ends, and false at every one of them, as it is at every other step of every policy.

    ## Why it is bad
    Trainers count this flag as the success rate, and choose the best checkpoint by it. It stays at zero while the task
    is being solved, so a policy that works is taken for one that does not.

    ## What to do
    1. Work the flag out after the state has changed, from the condition that ends the episode.
    2. Look for a flag that is read before the step, or from the state that the next reset has made.

    ## How to prove it
    Play until an episode terminates, and print reward, `terminated` and the flag of the last step side by side.

    ## When it is wrong
    Where a success asks for more than reaching the goal, such as a time or a cost that random play never meets.

    ## References
    Gymnasium-Robotics and Stable-Baselines3 (`EvalCallback`) on `is_success`; practice.
    """
    plays = {name: play for name, play in select_sound_baselines(survey).items() if not play.returns_only}
    key = next((key for key in SUCCESS if any(len(play.metrics.get(key, ())) for play in plays.values())), None)
    if RANDOM not in plays or key is None:
        return CannotTell((RANDOM,), "no info of random play tells of success, or too few whole episodes were played")
    over = [read_terminated(play) for play in plays.values()]
    ends = [play.rewards[mark_last_steps(play)] for play in plays.values()]
    paid = np.concatenate([one[end] for one, end in zip(ends, over, strict=True)])
    told = np.concatenate([read_ends(key, play)[end] for play, end in zip(plays.values(), over, strict=True)])
    others = [play.rewards[~mark_last_steps(play)] for play in plays.values()]
    usual = np.unique(np.concatenate([*others, *(one[~end] for one, end in zip(ends, over, strict=True))]))
    ever = any(bool(np.any(play.metrics[key] > 0.0)) for play in plays.values() if key in play.metrics)
    if len(paid) < FEWEST or len(usual) != 1 or ever:
        return None
    if np.ptp(paid) > 0.0 or paid[0] <= usual[0] or not np.all(told == 0.0):
        return None
    return Finding(
        message=f"All {len(paid):,} ends that terminate pay {paid[0]:.3g}, and every other step {usual[0]:.3g}; "
        f"info['{key}'] is false at all of them, and nowhere true: it does not tell who came to the goal.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="successes told of ends that pay", value=0.0, limit=1.0),),
    )
