from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "REW111",
    link=Link.REWARD,
    level=Level.ERROR,
    on=Survey,
    leads_to=("ENV106", "OPT300", "VAL302", "OPT301", "REW301"),
    checks={"reward histogram": "fails"},
)
def non_finite_reward(survey: Survey) -> Answer:
    """A reward is NaN or infinite.

    ## What it sees
    NaN or infinity among the rewards of any play: how many, the first step, the component of the reward that is not
    finite there, and whether the environment or a wrapper produced it.

    ## Why it is bad
    One such reward makes the return, the advantages, the loss and then every weight of the network NaN. Normalisers
    keep it in their statistics forever. The exception comes thousands of updates later and blames the policy.

    ## What to do
    1. Find the operation in the component named: a division by a distance or a standard deviation of zero, a logarithm
       or root of a negative number, an overflow, a sensor that returns infinity.
    2. Guard that operation (a small number in the denominator, a bound on the argument).
    3. Do not just replace the result with zero: the state that caused it is often broken too. End the episode there.

    ## How to prove it
    `weaklink preflight ENV` with the same seed reaches the same step again.

    ## When it is wrong
    Never: no learner can use such a reward.

    ## References
    Field reports of simulators whose sensors return infinity (IsaacLab issue #1999, legged_lab issue #15).
    """
    ill = {name: play for name, play in survey.plays.items() if not np.isfinite(play.rewards).all()}
    if not ill:
        seen = any(len(play.rewards) for play in survey.plays.values())
        return None if seen else CannotTell((RANDOM,), "no reward was recorded")
    name, play = next(iter(ill.items()))
    bad = np.flatnonzero(~np.isfinite(play.rewards))
    first = int(bad[0])
    episode = int(np.searchsorted(np.cumsum(play.lengths), first, side="right"))
    within = first - int(play.lengths[:episode].sum())
    word = _write_value(float(play.rewards[first]))
    return Finding(
        message=f"The reward is {word} at step {within} of episode {episode} of {name} play"
        f" ({len(bad):,} of {len(play.rewards):,} rewards are not finite){_find_culprit(play, first)}.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward.non_finite", value=float(len(bad)), limit=0.0, step=float(first)),),
    )


def _write_value(value: float) -> str:
    return "NaN" if np.isnan(value) else "infinite" if value > 0 else "minus infinity"


def _find_culprit(play: Play, step: int) -> str:
    """Which component of the reward is the cause, and whether a wrapper is."""
    parts = [key for key, values in play.components.items() if len(values) > step and not _is_ordinary(values[step])]
    told = f"; so is its component '{parts[0]}'" if parts else ""
    if play.raw_rewards is not None and len(play.raw_rewards) > step:
        inside = not np.isfinite(play.raw_rewards[step])
        told += (
            "; the environment inside the wrappers pays it" if inside else "; a wrapper turned a finite reward into it"
        )
    return told


def _is_ordinary(value: float) -> bool:
    """Whether a component is an ordinary number; infinity may have been replaced by the largest double."""
    return bool(np.isfinite(value)) and abs(value) < 1e300
