from __future__ import annotations

from weaklink.base.evidence.survey import POLICY, RANDOM, Survey
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.task._standing import duel, finite_returns, strongest

WHOLE = 100
"""Episodes of each with which the answer is sure."""

HALF = 0.5


@rule("TSK101", link=Link.TASK, level=Level.ERROR, on=Survey, needs=(POLICY, RANDOM))
def learned_nothing(survey: Survey, *, spreads: float = 1.0, closed: float = 0.1, episodes: int = 20) -> Answer:
    """The trained policy does no better than random actions.

    ## What it sees
    The mean return of the given policy lies within one standard deviation of random play, or below it, over 100
    episodes of each. Where the policy is better beyond chance all the same, it is an error only if it closes less
    than a tenth of the way to an expert that is known; up to half of the way is worth knowing.

    ## Why it is bad
    Whatever the curves of the training looked like, nothing that helps has reached the policy. Every hour of training
    from here is wasted until the cause is found. A policy that is worse than random has learned the wrong thing: a
    flipped sign, a swapped player, observations that differ from those in training.

    ## What to do
    1. Check that the policy is loaded as it was trained: the same observations, the same normaliser statistics, the
       same order of actions.
    2. Read what else this report says about observations, actions and reward, and mend that first.
    3. Diagnose the log of the training with `weaklink diagnose`.
    4. Train on a smaller task that is known to be learnable, with the same code.

    ## How to prove it
    `weaklink preflight ENV --policy FILE` with 300 episodes: the means must still be that close together.

    ## When it is wrong
    Where luck decides most of each return (card games, bandits) even the best policy stays within one standard
    deviation of random play. That is why an expert is asked for, and why the rule could not tell while the
    episodes are too few for such a task. An early checkpoint may rightly be there.

    ## References
    Henderson et al., Deep Reinforcement Learning that Matters, 2018; practice.
    """
    trained, untrained = (finite_returns(survey.plays.get(name)) for name in (POLICY, RANDOM))
    held = duel(trained, untrained, confidence=0.95)
    if held is None or min(len(trained), len(untrained)) < episodes:
        return CannotTell((POLICY, RANDOM), f"fewer than {episodes} whole episodes of each")
    spread = float(untrained.std())
    if held.better and held.difference > spreads * spread:
        return None
    rival = strongest(survey)
    level, sure = Level.ERROR, HIGH if min(len(trained), len(untrained)) >= WHOLE else MEDIUM
    told = "worse than random play" if held.worse else "within one standard deviation of random play"
    if held.better:
        share = None if rival is None else held.difference / rival.gap
        if share is not None and share >= HALF:
            return None
        told = "better than random play beyond chance, but by less than one standard deviation"
        level, sure = (Level.ERROR, MEDIUM) if share is not None and share < closed else (Level.INFO, LOW)
    elif not held.worse and held.high > (spread if rival is None else max(HALF * rival.gap, HALF * spread)):
        return CannotTell((POLICY,), "too few episodes for returns that scatter this much")
    middle = float(untrained.mean())
    return Finding(
        message=f"The policy returns {trained.mean():.4g} on average over {len(trained)} episodes, {told} "
        f"({middle:.4g} with a standard deviation of {spread:.3g} over {len(untrained)} episodes).",
        level=level,
        confidence=sure,
        evidence=(
            Evidence(metric="reward.episode_return", value=float(trained.mean()), limit=middle + spreads * spread),
        ),
    )
