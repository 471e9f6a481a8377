from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._budget import is_atari
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import read_number
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LOWEST, HIGHEST = ("v_min", "vmin", "value_min"), ("v_max", "vmax", "value_max")

# of the half width of the support: values so close to its end are held there
AT_END = 0.1

# times the end of the support that episodes pay, discounted; factors and clips of rewards change what they pay
BEYOND = 2.0
FACTORS = ("reward_scale", "reward_scaling", "reward_factor", "rew_scale", "r_scale")


@rule(
    "VAL310",
    link=Link.VALUE,
    level=Level.WARN,
    needs=(("value.q_mean", "value.mean"), "reward.episode_return", "task.episode_length"),
    leads_to=("VAL304", "REW301", "REW302", "REW303", "REW304", "POL307"),
    symptoms={"reward plateaus": 6},
    checks={"critic": "fails"},
)
def support_too_narrow(run: Run) -> Answer:
    """The support of a value distribution ends before what episodes pay.

    ## What it sees
    `v_min` and `v_max` in the configuration, values that end within a tenth of one of them, and episodes whose
    discounted return is at least twice as far out.

    ## Why it is bad
    A categorical critic (C51, Rainbow) cannot tell values beyond the end of its support: all good states look alike,
    and with them all good actions. The return rises while states still differ, and stays below what it could be.

    ## What to do
    1. Set `v_max` and `v_min` to the largest and smallest discounted return that the task can pay: a reward of 1 a step
       and a gamma of 0.99 need 100.
    2. Or scale the rewards so that returns lie within the support.

    ## How to prove it
    Repeat a short run with a support ten times as wide and nothing else changed: the mean value must leave the old end.

    ## When it is wrong
    Rewards that are clipped or scaled where neither the log nor the configuration says so. Atari games, where that is
    usual, are not judged.

    ## References
    Bellemare, Dabney and Munos, A Distributional Perspective on Reinforcement Learning, 2017.
    """
    low, high = read_number(run.config, *LOWEST), read_number(run.config, *HIGHEST)
    if low is None or high is None or high <= low:
        return CannotTell(("v_max",), "no support of a value distribution is configured")
    changed = run.config.flag("clip_reward") or run.config.flag("normalize_reward") or read_number(run.config, *FACTORS)
    if changed or is_atari(run):
        return CannotTell(("v_max",), "the rewards that are learned from are not those of the log")
    values = run.get("value.q_mean", "value.mean")
    assert values is not None
    if len(values) < FEWEST:
        return CannotTell((values.name,), f"fewer than {FEWEST} points")
    last = level(values.values[-max(len(values) // 5, 3) :])
    paid = level(_discount(run)[-max(len(run["reward.episode_return"]) // 5, 3) :])
    end = high if last > (low + high) / 2 else low
    close = abs(end - last) <= AT_END * (high - low) / 2
    if not close or paid * end <= 0 or abs(paid) < BEYOND * abs(end):
        return None
    return Finding(
        message=f"The mean value is {last:,.3g} and the support of the value distribution ends at {end:g}, while "
        f"episodes pay about {paid:,.3g}, discounted.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=values.name, value=last, limit=end, step=values.last_step),
            Evidence(metric="reward.episode_return", value=paid, limit=BEYOND * end),
        ),
    )


def _discount(run: Run) -> Array:
    """What episodes pay from their start, discounted, where each step pays about the same."""
    returns, lengths = run["reward.episode_return"], run["task.episode_length"]
    gamma = run.config.number("gamma")
    steps = np.maximum(np.interp(returns.steps, lengths.steps, lengths.values), 1.0)
    if gamma is None or not 0.0 < gamma < 1.0:
        return returns.values
    return np.asarray(returns.values / steps * (1.0 - gamma**steps) / (1.0 - gamma))
