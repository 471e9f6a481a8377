from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import GIVEN, RANDOM, Survey
from weaklink.base.stats import Contest, compare_means
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)


@rule(
    "ENV108",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=("random", GIVEN),
    leads_to=("TSK102", "TSK103", "REW105"),
    checks={"environment unit test": "exempt"},  # an expert that fails has an item of its own
)
def oracle_fails(survey: Survey, *, fewest: int = 20, superiority: float = 0.6, opposed: float = 0.25) -> Answer:
    """A policy that should do well does no better than random.

    ## What it sees
    The returns of a policy that you wrote (an automaton that acts on observations, or a cheat that reads the hidden
    state) against those of random play. By bootstrap, its mean return is not significantly better, and one of its
    episodes beats a random one in at most 60 % of pairs. Where it loses at least three of four such pairs, the reward
    has the wrong sign, and REW109 reports that.

    ## Why it is bad
    If a policy that knows the answer cannot earn more than chance, no learner can. The fault comes before any training:
    actions that have no effect, observations that do not mean what you think, a reward for something else.

    ## What to do
    1. Watch one episode of the policy step by step: does each action do what it should?
    2. Where the cheat succeeds and the automaton fails, the observation lacks what the cheat reads.
    3. Where both fail, check the reward on a trajectory that you know solves the task.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` again after the change: it must beat random play.

    ## When it is wrong
    The policy itself may be wrong, or the task so noisy that a hundred episodes show no difference.

    ## References
    Jones, Debugging RL, Without the Agonizing Pain, 2021: probe agents; practice.
    """
    random = _keep_finite(survey.plays[RANDOM].returns)
    given = {name: _keep_finite(survey.plays[name].returns) for name in GIVEN if name in survey.plays}
    judged = {name: returns for name, returns in given.items() if len(returns) >= fewest}
    if len(random) < fewest or not judged:
        return CannotTell((*given, RANDOM), f"fewer than {fewest} episodes")
    contests = {name: compare_means(returns, random) for name, returns in judged.items()}
    level_with = [name for name, one in contests.items() if _is_level(one, opposed)]
    failed = [name for name in level_with if contests[name].superiority <= superiority]
    if level_with and not failed:
        return CannotTell(tuple(level_with), "too few episodes to decide whether it is better than random play")
    return answer_with(_describe(name, judged[name], random, contests) for name in failed)


def _is_level(one: Contest, opposed: float) -> bool:
    """Whether a policy is no better; where it loses most pairs, the reward has the wrong sign (REW109)."""
    return not one.better and not (one.worse and one.superiority < opposed)


def _describe(name: str, returns: Array, random: Array, contests: dict[str, Contest]) -> Finding:
    one = contests[name]
    seeing = name == "automaton" and "cheat" in contests and contests["cheat"].better
    hint = "; the cheat does better, so the observation lacks what it reads" if seeing else ""
    return Finding(
        message=f"The {name} earns {returns.mean():.4g} an episode and random play {random.mean():.4g}: a difference "
        f"of {one.difference:.3g} (99 % interval {one.low:.3g} to {one.high:.3g}) over {len(returns)} episodes{hint}.",
        confidence=HIGH if min(len(returns), len(random)) >= 50 else MEDIUM,
        evidence=(Evidence(metric=f"{name}.return", value=float(returns.mean()), limit=float(random.mean())),),
    )


def _keep_finite(returns: Array) -> Array:
    return np.asarray(returns[np.isfinite(returns)])
