from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import read_positive
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL103",
    link=Link.VALUE,
    level=Level.WARN,
    on=Config,
    leads_to=("VAL304", "VAL305", "REW301", "REW303", "REW304", "POL302"),
    symptoms={"reward flat": 3},
)
def target_never_updated(config: Config, *, shortest: int = 2000) -> Answer:
    """Training ends before the target network is updated once.

    ## What it sees
    Plain arithmetic on the configuration of an algorithm with a replay buffer: the interval between two updates of the
    target network is at least as long as the whole training. In a training of less than 2,000 steps it is information:
    such a one only tries out whether a script runs.

    ## Why it is bad
    Targets are made of the values of a network that was never trained. What is learned are the rewards of one step plus
    noise, so nothing is carried back from later rewards.

    ## What to do
    1. Update the target network every few hundred to ten thousand steps, or softly at every step with a `tau` of about
       0.005.
    2. Check whether the interval counts environment steps or gradient steps.

    ## How to prove it
    Compare the weights of the target network before and after the training: they are equal.

    ## When it is wrong
    Where the interval is not used because the target moves softly at every step: then it is not judged.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning, 2015.
    """
    if infer_family(config, ()) != "off-policy":
        return None
    interval, budget = read_positive(config, "target_update_interval"), read_positive(config, "total_steps")
    if interval is None or budget is None:
        return CannotTell(("target_update_interval", "total_steps"), "the step of the first update is not known")
    if interval < budget or (read_positive(config, "tau") or 1.0) < 1.0:
        return None
    return Finding(
        message=f"The target network is updated every {interval:,.0f} steps, and training ends after {budget:,.0f}: it "
        "stays as it was initialised.",
        level=Level.WARN if budget >= shortest else Level.INFO,
        confidence=HIGH,
        evidence=(
            Evidence(metric="target_update_interval", value=interval, limit=budget),
            Evidence(metric="total_steps", value=budget),
        ),
    )
