from __future__ import annotations

from weaklink.base.evidence.config import Config, infer_family
from weaklink.judge.rules._hyperparameters import find_key
from weaklink.judge.rules._suspicions import BEARS_OUT, find_outside
from weaklink.judge.rules.writing import Answer, CannotTell, Level, Link, rule

# names for passes that a limit on the KL ends early, and for rollouts as well as for passes over one
_OTHERWISE = ("train_pi_iters", "epochs", "num_epochs")


@rule(
    "POL103",
    link=Link.POLICY,
    level=Level.INFO,
    on=Config,
    leads_to=BEARS_OUT,
    marks=("suspect",),
)
def update_limits(
    config: Config, *, narrow: float = 0.01, wide: float = 1.0, passes: float = 50, least_kl: float = 1e-3
) -> Answer:
    """The limits of an update are so narrow that nothing moves, or so wide that nothing holds.

    ## What it sees
    A clip range below 0.01 or above 1, a target KL below 0.001, or more than 50 passes over one rollout, for an
    on-policy algorithm. It is information, and a warning where the curves show what it leads to.

    ## Why it is bad
    With a clip range of nearly 0 the gradient of almost every sample is cut off; with one above 1 the policy may move
    to anywhere on the data of one rollout. Many passes do the same slowly.

    ## What to do
    1. Take a clip range of 0.1 to 0.3, a target KL of 0.01 to 0.05, and 3 to 20 passes.

    ## How to prove it
    Repeat a short run with a clip range of 0.2 and 10 passes and nothing else changed: the KL and the clip fraction
    must react.

    ## When it is wrong
    Schedules that end at 0 are judged by where they start. Algorithms that clip something else may call it the same.

    ## References
    Schulman et al., Proximal Policy Optimization Algorithms, 2017 (0.1 to 0.3, 3 to 10 passes).
    """
    if infer_family(config, ()) != "on-policy":
        return CannotTell(("algorithm",), "only on-policy algorithms limit an update this way")
    many = None if find_key(config, "epochs") in _OTHERWISE else passes
    return find_outside(
        config,
        ("clip_range", narrow, wide, "nearly every sample is clipped", "hardly any sample is ever clipped"),
        ("target_kl", least_kl, None, "updates end before the policy has moved", ""),
        ("epochs", None, many, "", "one rollout is learned from so often that the policy fits its noise"),
    )
