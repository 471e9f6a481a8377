from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT, suspect
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule


@rule(
    "VAL104",
    link=Link.VALUE,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def target_speed(config: Config, *, slowest: float = 1e-4, fewest: float = 10) -> Answer:
    """The target network follows at once, or hardly ever.

    ## What it sees
    For an algorithm with a replay buffer: a `tau` below 0.0001, a `tau` of 1 at every step, or fewer than ten updates
    of the target network in the whole training. It is information, and a warning where the curves show what it leads
    to.

    ## Why it is bad
    A target that equals the network chases itself, and errors are fed back at once. A target that stands still passes
    on what an untrained network said.

    ## What to do
    1. Take a `tau` of 0.005 at every step, or whole copies every few hundred to ten thousand steps.

    ## How to prove it
    Repeat a short run with the usual value and nothing else changed: the loss of the critic must become steadier.

    ## When it is wrong
    Methods without a target network (CrossQ, functional regularisation) set it to 1 on purpose.

    ## References
    Mnih et al., 2015; Lillicrap et al., Continuous control with deep reinforcement learning, 2016 (tau 0.001).
    """
    if infer_family(config, ()) != "off-policy" or config.algorithm == "crossq":
        return CannotTell(("algorithm",), "only algorithms with a replay buffer have a target network")
    tau, interval = config.number("tau"), read_positive(config, "target_update_interval")
    budget = read_positive(config, "total_steps")
    if tau is not None and tau < slowest:
        return suspect(config, "tau", tau, slowest, "the target network hardly moves")
    if (tau is None or tau >= 1) and interval == 1:
        return suspect(config, "target_update_interval", 1.0, 2.0, "the target is the network that is being trained")
    if tau is not None and tau >= 1 and interval is None:
        return suspect(config, "tau", tau, 1.0, "the target is the network that is being trained")
    if interval is not None and budget is not None and (tau is None or tau >= 1) and interval * fewest > budget:
        why = f"in {budget:,.0f} steps the target network is updated {budget // interval:.0f} times"
        return suspect(config, "target_update_interval", interval, budget / fewest, why)
    return None
