from __future__ import annotations

import msgspec

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._suspicions import BEARS_OUT, find_outside
from weaklink.judge.rules.writing import Answer, Level, Link, rule

# of actions in [-1, 1]: a standard deviation of four and a half
LOG_SPREAD = 1.5


@rule(
    "EXP103",
    link=Link.EXPLORATION,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def noise_weight(
    config: Config, *, bonus: float = 0.2, fixed: float = 1.0, spread: float = 2.0, entropy: float = 3.0
) -> Answer:
    """Randomness is asked for more strongly than reward.

    ## What it sees
    An entropy coefficient above 0.2 for an on-policy algorithm or above 1 for one with a replay buffer, a target
    entropy above 3, noise on actions of more than 2 or an initial log standard deviation above 1.5, which is blamed on
    the actions: they are drawn beyond their range. It is information, and a warning where the curves show what it
    leads to.

    ## Why it is bad
    The loss weighs random actions against good ones. Where actions are drawn far wider than their range, nearly all of
    them are clipped to its ends, and what the policy chooses hardly matters.

    ## What to do
    1. Take an entropy coefficient of 0 to 0.05, or let SAC find its own.
    2. Take noise of 0.1 to 0.3 of the range of the actions, and a log standard deviation of 0 or below.
    3. The target entropy of SAC is minus the number of action dimensions.

    ## How to prove it
    Repeat a short run with the usual value and nothing else changed: entropy must fall, and the return must rise.

    ## When it is wrong
    Rewards in the hundreds bear a larger coefficient, and actions in the hundreds larger noise.

    ## References
    Haarnoja et al., Soft Actor-Critic Algorithms and Applications, 2018; defaults of Stable-Baselines3.
    """
    weight = bonus if infer_family(config, ()) == "on-policy" else fixed
    wide = "actions are drawn far wider than they usually reach"
    found = find_outside(
        config,
        ("entropy_coefficient", None, weight, "", "the loss asks for random actions strongly"),
        ("target_entropy", None, entropy, "", "no policy over a few actions is so random"),
        ("action_noise", None, spread, "", "noise of that size drowns what the policy chooses"),
        ("log_std_init", None, LOG_SPREAD, "", wide),
    )
    beyond = found is not None and found.evidence[0].metric == "log_std_init"
    return msgspec.structs.replace(found, link=Link.ACTION) if found is not None and beyond else found
