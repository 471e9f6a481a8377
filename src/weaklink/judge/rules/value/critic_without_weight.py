from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import NATURAL_GRADIENT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "VAL102",
    link=Link.VALUE,
    level=Level.WARN,
    on=Config,
    needs=("value_coefficient",),
    leads_to=("VAL301", "VAL304", "VAL305", "RET302", "REW301", "REW302", "REW303"),
)
def critic_without_weight(config: Config) -> Answer:
    """The loss of the critic has no weight, so the critic is never trained.

    ## What it sees
    The configuration of an on-policy algorithm sets the value coefficient to zero or below. A critic with an optimizer
    of its own, which a learning rate for it or an algorithm with a natural gradient (TRPO) shows, is not judged.

    ## Why it is bad
    Advantages are made with the values of an untrained network, which is noise. Training may still improve on simple
    tasks, as it would without a baseline, and then stays far below what it could reach.

    ## What to do
    1. Set the value coefficient to 0.5, or 1.
    2. Look for where it became 0: a sweep, a flag that is read as a number, a loss that is multiplied twice.

    ## How to prove it
    Train twice for a short time, as configured and with a coefficient of 0.5: the explained variance must rise in the
    second alone.

    ## When it is wrong
    A critic that is trained elsewhere, or frozen on purpose.

    ## References
    Schulman et al., Proximal Policy Optimization Algorithms, 2017, equation 9.
    """
    weight = config.number("value_coefficient")
    if weight is None:
        return CannotTell(("value_coefficient",), "it is not a number")
    if weight > 0.0 or config.number("critic_learning_rate") or config.algorithm in NATURAL_GRADIENT:
        return None
    if infer_family(config, ()) != "on-policy":
        return CannotTell(("algorithm",), "only on-policy algorithms add up the losses of policy and critic")
    return Finding(
        message=f"The value coefficient is {weight:g}: the critic is never trained on its targets.",
        confidence=HIGH,
        evidence=(Evidence(metric="value_coefficient", value=weight, limit=0.0),),
    )
