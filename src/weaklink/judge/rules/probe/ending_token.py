from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import is_missed
from weaklink.judge.rules.writing import HIGH, Answer, Level, Link, rule


@rule("PRB208", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("ending-token",))
def ending_token(outcome: Outcome) -> Answer:
    """The end of a completion is not part of the loss.

    ## What it sees
    Every word costs reward, so the right completion ends at once. In the first update the end-of-sequence token must
    have the same weight in the loss as the other tokens of its completion (between half and twice), and after training
    the probability of ending at once must be at least 60 %.

    ## Why it is bad
    A model that is never taught when to stop generates until it is truncated. Length penalties then act on words only,
    and rewards for finished answers do not reach the token that finishes them.

    ## What to do
    1. Set the loss mask to 1 up to and including the first EOS token.
    2. Where padding and EOS are the same token, find the first EOS by its position, not by comparing ids.
    3. Handle every token that ends a completion: some models have several.
    4. Check that the EOS token is part of the completion that is scored, and is not dropped with the decoded text.

    ## How to prove it
    `weaklink probe TRAINER --only ending-token` after the change.

    ## When it is wrong
    A trainer that drops truncated completions leaves few rows to judge. One that appends the EOS token itself has
    nothing to learn about it.

    ## References
    TRL pull request 7039 (unknown EOS tokens); Huang et al., "The N Implementation Details of RLHF with PPO", 2023.
    """
    return broken(
        outcome,
        "ending-token",
        Link.DATA,
        "ending early is rewarded, and the model does not learn it",
        "the loss mask around the EOS token, and truncated completions",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    if not is_missed(trials, "weight of the end", "against other tokens"):
        return None
    return Cause(
        Link.DATA,
        "the loss mask leaves the EOS token out",
        "where the loss mask is built: 1 up to and including the first EOS token",
        HIGH,
    )
