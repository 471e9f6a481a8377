from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules._suspicions import BEARS_OUT, suspect
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule

NAMES = ("reward_scale", "reward_scaling", "reward_factor", "rew_scale", "r_scale")


@rule(
    "REW121",
    link=Link.REWARD,
    level=Level.INFO,
    on=Config,
    leads_to=(*BEARS_OUT, "REW309"),
    marks=("suspect",),
)
def reward_factor(config: Config, *, least: float = 1e-3, most: float = 100.0) -> Answer:
    """Rewards are multiplied by a factor that takes them out of the range in which networks learn.

    ## What it sees
    A factor for rewards in the configuration below 0.001 or above 100, or one that is 0 or negative. It is information,
    and a warning where the curves show what it leads to.

    ## Why it is bad
    Returns of thousands make a loss that only clipping holds; returns of a thousandth vanish beside the entropy bonus
    and the epsilon of Adam. A negative factor asks for the opposite.

    ## What to do
    1. Choose the factor so that returns are between 1 and 10.

    ## How to prove it
    Repeat a short run with a factor of 1 and nothing else changed: the loss of the critic and the return must react.

    ## When it is wrong
    Raw rewards that are very large or very small need such a factor; then the curves are in order.

    ## References
    Henderson et al., Deep Reinforcement Learning That Matters, 2018 (reward scale).
    """
    factor = read_number(config, *NAMES)
    if factor is None:
        return CannotTell(("reward_scale",), "no factor for rewards is configured")
    if factor <= 0:
        return suspect(config, "reward_scale", factor, least, "rewards are turned around or gone")
    if least <= factor <= most:
        return None
    word = "below" if factor < least else "above"
    why = f"rewards are taken {word} the range in which networks learn"
    return suspect(config, "reward_scale", factor, least if factor < least else most, why)
