from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB118", link=Link.EXPLORATION, level=Level.WARN, on=Outcome, needs=("entropy-temperature",))
def entropy_temperature(outcome: Outcome) -> Answer:
    """The temperature does not drive the entropy to its target.

    ## What it sees
    The continuous target, for agents with a temperature (SAC). The entropy is estimated from 256 samples for each
    target and must lie within 0.7 of the agent's `target_entropy` (-1 where it gives none), on nearly every seed.

    ## Why it is bad
    The temperature is a controller. With a wrong sign it runs away: the policy becomes random, or stops exploring. With
    a wrong log-probability it settles at another entropy than its own estimate says.

    ## What to do
    1. Read the entropy together with the temperature. Entropy above the target with a growing temperature, or below
       with one that falls to nothing: the sign of its loss, which is -log_alpha * (log_prob + target), with no gradient
       into the policy. Entropy above with a low temperature, or below with a high one: the temperature is right and the
       policy does not follow; look at the sign of the entropy in the actor's loss and at the bounds of the standard
       deviation.
    2. Off by a constant while the trainer's own entropy is on target: the log-probability lacks the tanh correction, or
       is computed in other units than the actions.
    3. Check that the target is negative (minus the number of action dimensions is a good start), and that log alpha is
       what is trained.

    ## How to prove it
    `weaklink probe TRAINER --only entropy-temperature` after the change: the entropy reaches its target.

    ## When it is wrong
    A fixed temperature has no target: do not expose `temperature` then, or give `target_entropy`. The estimate is made
    from samples in the environment's units within -1 and 1; agents whose standard deviation is at its lower bound
    cannot go lower. A small learning rate of the temperature needs more steps.

    ## References
    Haarnoja et al., "Soft Actor-Critic Algorithms and Applications", arXiv 1812.05905; Stable-Baselines3 issues 36 and
    2013; jaxrl issue 31.
    """
    return broken(
        outcome,
        "entropy-temperature",
        Link.EXPLORATION,
        "the temperature does not hold the entropy at its target",
        "the sign of the temperature's loss, the target entropy, and the log-probability with its tanh correction",
    )
