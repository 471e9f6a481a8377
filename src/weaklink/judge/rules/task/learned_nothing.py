from __future__ import annotations

from weaklink.base.evidence.survey import POLICY, RANDOM, Survey
from weaklink.base.stats import Contest
from weaklink.judge.rules.task._standing import Rival, compare_returns, find_strongest, read_returns
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WHOLE = 100  # episodes of each that give high confidence

HALF = 0.5  # share of the gap to the expert from which on a policy has clearly learned something


@rule("TSK101", link=Link.TASK, level=Level.ERROR, on=Survey, needs=(POLICY, RANDOM))
def learned_nothing(survey: Survey, *, spreads: float = 1.0, closed: float = 0.1, episodes: int = 20) -> Answer:
    """The trained policy does no better than random actions.

    ## What it sees
    The mean return of the given policy lies within one standard deviation of random play, or below it, over 100
    episodes of each. Where the policy is nevertheless significantly better, it is an error only if it closes less than
    a tenth of the gap to a known expert; up to half of the gap is info.

    ## Why it is bad
    Whatever the training curves looked like, the policy has learned nothing useful. More training is wasted until the
    cause is found. A policy that is worse than random has learned the wrong thing: a flipped sign, a swapped player,
    observations that differ from those in training.

    ## What to do
    1. Check that the policy is loaded as it was trained: the same observations, the same normaliser statistics, the
       same order of actions.
    2. Read what else this report says about observations, actions and reward, and fix that first.
    3. Diagnose the log of the training with `weaklink diagnose`.
    4. Train on a smaller task that is known to be learnable, with the same code.

    ## How to prove it
    `weaklink preflight ENV --policy FILE` with 300 episodes: the means must still be that close.

    ## When it is wrong
    Where luck decides most of each return (card games, bandits) even the best policy stays within one standard
    deviation of random play. That is why the rule compares with an expert, and why it cannot tell while the episodes
    are too few for such a task. An early checkpoint may rightly be there.

    ## References
    Henderson et al., Deep Reinforcement Learning that Matters, 2018; practice.
    """
    trained, untrained = (read_returns(survey.plays.get(name)) for name in (POLICY, RANDOM))
    held, fewer = compare_returns(trained, untrained, confidence=0.95), min(len(trained), len(untrained))
    if held is None or fewer < episodes:
        return CannotTell((POLICY, RANDOM), f"fewer than {episodes} whole episodes of each")
    spread, middle = float(untrained.std()), float(untrained.mean())
    if held.better and held.difference > spreads * spread:
        return None
    rival = find_strongest(survey)
    if held.better and rival is not None and held.difference / rival.gap >= HALF:
        return None
    if not held.better and not held.worse and held.high > _measure_undecided(spread, rival):
        return CannotTell((POLICY,), "too few episodes for returns this noisy")
    words, level, sure = _judge_standing(held, rival, closed, HIGH if fewer >= WHOLE else MEDIUM)
    return Finding(
        message=f"The policy returns {trained.mean():.4g} on average over {len(trained)} episodes, {words} "
        f"({middle:.4g} with a standard deviation of {spread:.3g} over {len(untrained)} episodes).",
        level=level,
        confidence=sure,
        evidence=(
            Evidence(metric="reward.episode_return", value=float(trained.mean()), limit=middle + spreads * spread),
        ),
    )


def _measure_undecided(spread: float, rival: Rival | None) -> float:
    """The gain over random play that the episodes must exclude before nothing can be said to be learned."""
    return spread if rival is None else HALF * max(rival.gap, spread)


def _judge_standing(held: Contest, rival: Rival | None, closed: float, sure: float) -> tuple[str, Level, float]:
    """How the policy stands against random play in words, how bad that is, and with which confidence."""
    if not held.better:
        words = "worse than random play" if held.worse else "within one standard deviation of random play"
        return words, Level.ERROR, sure
    words = "significantly better than random play, but by less than one standard deviation"
    behind = rival is not None and held.difference / rival.gap < closed
    return words, *((Level.ERROR, MEDIUM) if behind else (Level.INFO, LOW))
