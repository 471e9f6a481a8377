from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import best_mistake, no_numbers
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB201", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("token-drift",))
def token_drift(outcome: Outcome) -> Answer:
    """A language model drifts although every completion gets the same reward.

    ## What it sees
    A tiny language model is trained for a few updates, and every completion gets a reward of 1. The distribution of the
    first token must stay where it was: 1 % of the probability may move.

    ## Why it is bad
    Where all completions of a group get the same reward, every advantage is 0. A policy that moves anyway follows its
    sampling noise: whatever it happened to generate becomes more likely, and entropy falls for no reason.

    ## What to do
    1. Subtract the mean reward of the group before anything else.
    2. Add a small epsilon to the standard deviation in the denominator: groups with equal rewards are common.
    3. Switch off weight decay, entropy bonuses and the KL penalty while you look for it: they move a policy too.

    ## How to prove it
    `weaklink probe TRAINER --only token-drift` after the change: no drift.

    ## When it is wrong
    A trainer that decays weights, adds an entropy bonus or pulls towards another model moves on purpose: switch that
    off for the probe. Advantages from a learned value function start as noise, and PPO may drift until it is learned.

    ## References
    Shao et al., "DeepSeekMath" (GRPO), 2024; Liu et al., "Understanding R1-Zero-Like Training", 2025.
    """
    return broken(
        outcome,
        "token-drift",
        Link.RETURNS,
        "completions with equal rewards still have nonzero advantages",
        "the baseline of the advantages, and the other terms of the loss",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    return no_numbers(trials) or best_mistake(trials, "drift", _KNOWN)


_KNOWN = {
    "no baseline": (
        Link.RETURNS,
        "rewards are used without the group-mean baseline",
        "where advantages are computed: reward minus the mean reward of the group",
    )
}
