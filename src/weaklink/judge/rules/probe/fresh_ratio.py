from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import is_missed
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, Level, Link, rule


@rule("PRB207", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("fresh-ratio",))
def fresh_ratio(outcome: Outcome) -> Answer:
    """The ratios of fresh completions are not 1: old log-probabilities are stale.

    ## What it sees
    One update for each batch of completions, over several batches. The policy that is updated is then the one that
    generated the completions, so every importance ratio is 1 and all tokens of a completion have the same weight. It
    fires where the gradient shows weights that differ by more than 5 %.

    ## Why it is bad
    Ratios against an older policy scale each token by how much the policy has changed since, and clip the tokens that
    changed most. Training becomes slow and unstable, as with a bad learning rate.

    ## What to do
    1. Compute old log-probabilities after the last update and before the next, on the completions of this batch.
    2. Look for a copy of the policy, or an inference engine, whose weights arrive one update late.
    3. Look for old log-probabilities that are kept across batches, or stored in another order than the completions.

    ## How to prove it
    `weaklink probe TRAINER --only fresh-ratio` after the change: equal weights from the first update on.

    ## When it is wrong
    Several updates for each batch, where ratios move on purpose: the probe asks for one. Per-token advantages, as in
    PPO with a value model, make weights uneven by themselves.

    ## References
    Schulman et al., "Proximal Policy Optimization Algorithms", 2017; Huang et al., "The N Implementation Details of
    RLHF with PPO", 2023.
    """
    return broken(
        outcome,
        "fresh-ratio",
        Link.DATA,
        "old log-probabilities are not those of the policy that generated the completions",
        "where old log-probabilities are computed, kept and paired with completions",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    if is_missed(trials, "unevenness of weights", "first update"):
        return Cause(
            Link.POLICY,
            "ratios are not 1 from the first update on: old and new log-probabilities are computed differently",
            "what differs between the two passes: dropout, temperature, precision, masks, the order of rows",
            MEDIUM,
        )
    if is_missed(trials, "unevenness of weights", "later updates"):
        return Cause(
            Link.DATA,
            "ratios are 1 at first and not later: old log-probabilities are those of an older policy",
            "when old log-probabilities are computed: after the last update, on this batch",
            HIGH,
        )
    return None
