from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Trial
from weaklink.base.finding import HIGH, Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import is_missed


@rule("PRB208", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("ending-token",))
def ending_token(outcome: Outcome) -> Answer:
    """The end of a completion is not part of the loss.

    ## What it sees
    Every word costs, so the right completion ends at once. In the first update the end token must weigh as much as the
    other tokens of its completion (between half and twice), and after the training the probability of ending at once
    must be at least 60 %.

    ## Why it is bad
    A model that is never taught when to stop writes until it is cut off. Length penalties then work on words alone, and
    rewards for finished answers do not reach the token that finishes them.

    ## What to do
    1. Make the mask of the loss 1 up to and including the first end token.
    2. Where padding and end are the same token, find the first end by its place and not by comparing ids.
    3. Know every token that ends a completion: some models have several.
    4. See that the end token is part of the completion that is scored and not cut off with the decoded text.

    ## How to prove it
    `weaklink probe TRAINER --only ending-token` after the change.

    ## When it is wrong
    A trainer that drops completions which were cut off leaves few rows to see. One that adds the end token itself has
    nothing to learn about it.

    ## References
    TRL pull request 7039 (end tokens that were not known); Huang et al., "The N Implementation Details of RLHF with
    PPO", 2023.
    """
    return broken(
        outcome,
        "ending-token",
        Link.DATA,
        "ending early is paid, and the model does not learn to",
        "the mask of the loss around the end token, and completions that are cut off",
        _because,
    )


def _because(trials: list[Trial]) -> Cause | None:
    if not is_missed(trials, "weight of the end", "against other tokens"):
        return None
    return Cause(
        Link.DATA,
        "the mask of the loss leaves the end token out",
        "where the mask of the loss is made: 1 up to and including the first end token",
        HIGH,
    )
