from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import IDLE_TARGET, NO_TARGET_LAG, SHARED_TARGET
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    NO_TARGET_LAG: FlawWords(
        "The target network {head} does not lag: in {count:,} of {of:,} steps in a row it moved {number:.3g} of the "
        "way to the network that learns.",
        "Let it follow with a small rate, target = (1 - tau) * target + tau * online with tau near 0.005, or copy it "
        "every few hundred steps.",
        Link.VALUE,
        Level.WARN,
    ),
    SHARED_TARGET: FlawWords(
        "`{head}` is no network of its own: it holds weights that the optimizer moves, so that targets are made by the "
        "network that learns from them.",
        "Make it by `copy.deepcopy` of the network that learns; a second name, `copy.copy` or a layer that both hold "
        "shares the weights.",
        Link.VALUE,
        Level.WARN,
    ),
    IDLE_TARGET: FlawWords(
        "The target network {head} never follows: after {count:,} optimizer steps its weights are what they were, so "
        "every target is made with the values of an untrained network.",
        "Copy the weights of the network that learns into it every few hundred steps, or let it follow with a small "
        "rate after every step; check that the line which does so is reached.",
        Link.VALUE,
        always=True,
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
    """The target network of a hand-written loop does not lag behind, or never follows.

    ## What it sees
    Some weights of the last layers of the network that learns and of the one that its targets come from, before each
    optimizer step. Reported is a rate that fits all weights exactly and is 0.9 or more in two of five steps or more,
    a variable that is called a target and holds weights which the optimizer moves, beside a critic that learns from
    next values, and a target network whose weights are the same at the end of the run as when they were first seen, a
    thousand optimizer steps and more before.

    ## Why it is bad
    Without a lag the critic chases its own predictions, which then oscillate or diverge. A target network that never
    follows keeps the values of the first moment: no reward that is more than one step away is ever learned.

    ## What to do
    1. Check which of `tau` and `1 - tau` goes with which network.
    2. Copy in full only every few hundred steps, counted in the unit that the condition is written for.

    ## How to prove it
    Print the norm of the difference between both networks after each of a few hundred updates.

    ## When it is wrong
    Algorithms that do without a target network on purpose. A run that ends before the first copy is due.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Lillicrap et al., Continuous control
    with deep reinforcement learning (2016).
    """
    return judge_flaws(rollout, WORDS)
