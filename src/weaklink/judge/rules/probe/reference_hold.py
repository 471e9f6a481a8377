from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import no_numbers, typical
from weaklink.judge.rules.writing import HIGH, Answer, Level, Link, rule

LOW, HIGHEST, MISSING = 0.7, 1.4, 0.25
"""The weights, in units of beta, between which the KL is right, and below which it is missing."""


@rule("PRB211", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("reference-hold",))
def reference_hold(outcome: Outcome) -> Answer:
    """The KL penalty does not hold the policy near its reference as it should.

    ## What it sees
    The policy starts away from its reference, and beta is 4. The gradient shows how strongly the KL term acts, in units
    of beta: it must be 1, between 0.7 and 1.4, on the first update and on the last, whether the KL is part of the loss
    or of the reward. After training at most 80 % of the initial KL may be left.

    ## Why it is bad
    Counted twice, the KL freezes the policy; with the wrong sign it pushes the policy away from everything it knew;
    with a reference that moves along, nothing holds the policy and the logged KL stays small all the same.

    ## What to do
    1. Put the KL into the loss or into the reward, not into both.
    2. The k3 estimator is exp(reference - policy) - (reference - policy) - 1, of log-probabilities, and is added to the
       loss. The k1 estimator, policy - reference, belongs in the reward: in the loss its gradient is not that of a KL.
    3. Load the reference once, without gradients, and check that no synchronisation writes to it.
    4. Check that beta reaches the loss.

    ## How to prove it
    `weaklink probe TRAINER --only reference-hold` after the change: weights of 1.

    ## When it is wrong
    A reference that is synchronised from time to time is meant to move. A coefficient other than the one asked for,
    such as an adaptive one, shows as another weight.

    ## References
    Schulman, "Approximating KL Divergence", 2020; Huang et al., "The N Implementation Details of RLHF with PPO", 2023.
    """
    return broken(
        outcome,
        "reference-hold",
        Link.POLICY,
        "the KL does not pull the policy back to its reference",
        "the KL term: its estimator, its sign, its coefficient and its reference",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    first = typical(trials, "weight of the KL", "first update")
    last = typical(trials, "weight of the KL", "last update")
    if first is None:
        return no_numbers(trials)
    if LOW <= first <= HIGHEST and last is not None and not LOW <= last <= HIGHEST:
        return Cause(
            Link.POLICY,
            f"the KL has {first:.2g} of its weight at first and {last:.2g} later: the reference moves along",
            "what writes to the reference after it was loaded",
            HIGH,
        )
    if LOW <= first <= HIGHEST:
        return None
    return Cause(Link.POLICY, *_describe(first), HIGH)


def _describe(weight: float) -> tuple[str, str]:
    if weight < -MISSING:
        return "the KL has the wrong sign and pushes away from the reference", "the sign of the KL term in the loss"
    if weight < MISSING:
        return (
            "the KL to the reference does not act: it is left out, its gradient is not that of a KL, or the reference "
            "is the policy itself",
            "whether beta reaches the loss, the estimator of the KL, and which model the reference is",
        )
    if weight > HIGHEST:
        return (
            f"the KL counts {weight:.2g} times",
            "a KL that is in the reward and in the loss as well",
        )
    return f"the KL counts only {weight:.2g} times", "how beta and the normalisation of the loss combine in the KL term"
