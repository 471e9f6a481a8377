from __future__ import annotations

from weaklink.base.evidence.recovered import NO_TARGET_LAG
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    NO_TARGET_LAG: FlawWords(
        "The target network {head} does not lag: in {count:,} steps in a row it moved {number:.3g} of the way to the "
        "network that learns.",
        "Let it follow with a small rate, target = (1 - tau) * target + tau * online with tau near 0.005, or copy it "
        "every few hundred steps.",
        Link.VALUE,
        Level.WARN,
    ),
}


@rule(
    "VAL207",
    link=Link.VALUE,
    level=Level.WARN,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "REW301", "REW302", "REW303", "REW304"),
)
def target_network_lag(rollout: Rollout) -> Answer:
    """The target network of a hand-written loop does not lag behind.

    ## What it sees
    Some weights of the last layers of the network that learns and of the one that its targets come from, before each
    optimizer step. The rate with which the latter follows fits all weights exactly: it is 0.9 or more in every step.

    ## Why it is bad
    Without a lag the critic chases its own predictions, which then oscillate or diverge.

    ## What to do
    1. Check which of `tau` and `1 - tau` goes with which network.
    2. Copy in full only every few hundred steps.

    ## How to prove it
    Print the norm of the difference between both networks after each of a few hundred updates.

    ## When it is wrong
    Algorithms that do without a target network on purpose.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Lillicrap et al., Continuous control
    with deep reinforcement learning (2016).
    """
    return judge_flaws(rollout, WORDS)
