from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import best_mistake
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB202", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("scored-token",))
def scored_token(outcome: Outcome) -> Answer:
    """The loss scores another token than the one that was generated.

    ## What it sees
    The gradient of the first update's loss with respect to the logits. Any loss of the log-probabilities of the
    generated tokens has a gradient of one form: a weight times the softmax minus the one-hot of the token. At least 90
    % of the gradient must have this form, for the tokens that were generated.

    ## Why it is bad
    Logits at one position belong to the token at the next. Off by one, the model is trained to repeat the token it just
    read or to skip one; the reward may even rise for a while, because neighbouring tokens are correlated.

    ## What to do
    1. Pair `logits[:, :-1]` with `ids[:, 1:]`, and slice masks in the same way as ids.
    2. Where only the last logits are kept, keep one more than there are completion tokens and drop the last.
    3. Check whether ids are decoded and tokenized again between generation and scoring.

    ## How to prove it
    `weaklink probe TRAINER --only scored-token` after the change: all of the gradient is explained.

    ## When it is wrong
    An entropy bonus, a KL over the full distribution or a loss on the hidden states adds a gradient of another form:
    switch it off for the probe.

    ## References
    Practice; Huang et al., "The N Implementation Details of RLHF with PPO", 2023.
    """
    return broken(
        outcome,
        "scored-token",
        Link.POLICY,
        "the gradient is not that of the tokens that were generated",
        "where log-probabilities are gathered: which logits meet which token",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    return best_mistake(trials, "gradient explained", _KNOWN)


_LOOK = "where logits meet tokens: `logits[:, :-1]` belongs to `ids[:, 1:]`, and masks are sliced like ids"
_KNOWN = {
    "the token before": (Link.POLICY, "logits are not shifted: each scores the token that it has just read", _LOOK),
    "the token after": (Link.POLICY, "logits are shifted twice: each scores the token after the next", _LOOK),
}
