from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Trial
from weaklink.base.finding import MEDIUM, Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import no_numbers, typical

HARDLY = 0.03
"""Less than a word has before any training."""


@rule("PRB209", link=Link.POLICY, level=Level.ERROR, on=Outcome, needs=("rewarded-token",))
def rewarded_token(outcome: Outcome) -> Answer:
    """A token that is paid does not become likelier.

    ## What it sees
    A completion that begins with one certain word is paid 1, any other 0. After a few dozen updates the word must
    have a probability of at least 60 % at the beginning, from about 10 %.

    ## Why it is bad
    One word after any prompt needs no context, no length and no patience: only that what is paid is made likelier.
    Whoever fails here learns nothing from any reward.

    ## What to do
    1. Read the rungs before this one: they look at signs, masks, groups and ratios one at a time.
    2. If those hold, see that the optimizer holds the model's parameters, steps, and has a learning rate that is not
       zero.
    3. Look for gradients that are scaled down: clipping at a tiny norm, a mean over far too many tokens, accumulation
       that divides twice.

    ## How to prove it
    `weaklink probe TRAINER --only rewarded-token` after the change.

    ## When it is wrong
    A trainer that ignores the learning rate that it is asked for, and uses one for large models, needs more updates:
    `--steps 200`. A strong KL or entropy bonus of its own holds it back.

    ## References
    Jones, "Debugging RL, Without the Agonizing Pain" (probe environments).
    """
    return broken(
        outcome,
        "rewarded-token",
        Link.POLICY,
        "the update does not follow the advantage",
        "the optimizer, the learning rate, clipping and accumulation of gradients",
        _because,
    )


def _because(trials: list[Trial]) -> Cause | None:
    found = typical(trials, "probability", "of the paid token")
    if found is None or not found < HARDLY:
        return no_numbers(trials)
    return Cause(
        Link.POLICY,
        "what is paid becomes less likely: a sign is turned",
        "the sign of the loss, of the advantage and of the reward",
        MEDIUM,
    )
