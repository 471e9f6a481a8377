from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import has_improved
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules.reward.reward_factor import NAMES
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MEASURED = ("exploration.temperature", "reward.episode_return", "task.episode_length")

# points of the temperature beside returns: arithmetic on levels, and no course
FEWEST_POINTS = 3


@rule(
    "REW309",
    link=Link.REWARD,
    level=Level.WARN,
    needs=MEASURED,
    leads_to=("EXP301", "EXP303", "EXP306", "EXP307", "VAL304", "REW301", "REW303", "REW304"),
    symptoms={"reward flat": 20},
)
def outbid_by_entropy(run: Run, *, share: float = 0.1) -> Answer:
    """Rewards are scaled so small that the entropy bonus outbids them.

    ## What it sees
    A learner with a temperature (SAC) and a factor for rewards in its configuration. A step pays, times that factor,
    less than a tenth of the entropy bonus of a step (the temperature times the target entropy, 1 where that is not
    known) at every point, without the factor it would pay more, and the return does not improve.

    ## Why it is bad
    The policy maximises reward plus bonus. Where the bonus is ten times the reward, it learns to act at random. A
    temperature that is learned falls only until the entropy is on target, and follows late.

    ## What to do
    1. Choose the factor so that discounted returns are between 1 and 100, or leave it at 1.
    2. Or lower the temperature by the same factor.

    ## How to prove it
    Repeat a short run with a factor of 1 and nothing else changed: the return must rise.

    ## When it is wrong
    Rewards that come at the end of an episode alone are small on average; without a factor they are not judged.

    ## References
    Haarnoja et al., Soft Actor-Critic, 2018, section 5.2 (reward scale).
    """
    factor = read_number(run.config, *NAMES)
    if factor is None or not 0.0 < factor < 1.0:
        return CannotTell(("reward_scale",), "no factor makes rewards smaller")
    temperature, returns, lengths = (run[name] for name in MEASURED)
    if min(len(temperature), len(returns)) < FEWEST_POINTS:
        return CannotTell((temperature.name,), f"fewer than {FEWEST_POINTS} points")
    steps = np.maximum(np.interp(temperature.steps, lengths.steps, lengths.values), 1.0)
    paid = np.abs(np.interp(temperature.steps, returns.steps, returns.values)) / steps
    bonus = temperature.values * abs(run.config.number("target_entropy") or 1.0)
    outbid = (factor * paid < share * bonus) & (paid >= share * bonus)
    if not outbid.all() or has_improved(run):
        return None
    step = temperature.first_step
    return Finding(
        message=f"A step pays about {factor * level(paid):.2g}, scaled by {factor:g}, and the entropy bonus "
        f"of a step is {level(bonus):.2g}: the reward hardly counts.",
        onset=step,
        onset_within=temperature.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric="reward_scale", value=factor, limit=1.0),
            Evidence(metric=temperature.name, value=level(bonus), step=step),
        ),
    )
