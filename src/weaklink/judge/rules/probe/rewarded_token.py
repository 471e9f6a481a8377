from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import no_numbers, typical
from weaklink.judge.rules.writing import MEDIUM, Answer, Level, Link, rule

HARDLY = 0.03
"""A probability well below the 10 % that the word has before any training: it was made less likely."""


@rule("PRB209", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("rewarded-token",))
def rewarded_token(outcome: Outcome) -> Answer:
    """A rewarded token does not become more likely.

    ## What it sees
    A completion that begins with one particular word gets a reward of 1, any other 0. After a few dozen updates the
    probability of this first word must rise from about 10 % to at least 60 %.

    ## Why it is bad
    One word after any prompt needs no context and no credit assignment: only that rewarded tokens become more likely. A
    trainer that fails here learns from no reward.

    ## What to do
    1. Read the rungs before this one: they test signs, masks, groups and ratios one at a time.
    2. If those hold, check that the optimizer holds the model's parameters, steps, and has a learning rate that is not
       zero.
    3. Look for gradients that are scaled down: clipping at a tiny norm, a mean over far too many tokens, gradient
       accumulation that divides twice.

    ## How to prove it
    `weaklink probe TRAINER --only rewarded-token` after the change.

    ## When it is wrong
    A trainer that ignores the requested learning rate and uses one for large models needs more updates: `--steps 200`.
    A strong KL penalty or entropy bonus that the trainer adds holds it back.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments).
    """
    return broken(
        outcome,
        "rewarded-token",
        Link.POLICY,
        "the update does not follow the advantage",
        "the optimizer, the learning rate, gradient clipping and gradient accumulation",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    found = typical(trials, "probability", "of the paid token")
    if found is None or not found < HARDLY:
        return no_numbers(trials)
    return Cause(
        Link.POLICY,
        "rewarded tokens become less likely: a sign is flipped",
        "the sign of the loss, of the advantage and of the reward",
        MEDIUM,
    )
