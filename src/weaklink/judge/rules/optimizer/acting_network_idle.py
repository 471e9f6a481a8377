from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import IDLE_ACTOR, SLOW_ACTOR
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    IDLE_ACTOR: FlawWords(
        "The network that acts, {head}, never changes: after {count:,} optimizer steps its weights are what they were, "
        "while another network of the same shape learns.",
        "Hand the parameters of the network that acts to the optimizer, or copy what is learned into it.",
        Link.OPTIMIZER,
        always=True,
    ),
    SLOW_ACTOR: FlawWords(
        "In {count:,} optimizer steps the actor's last layer, {head}, moved by {number:.1%} of its size, and that of a "
        "critic by {other:.0%}: whatever the critic learns, the policy stays what it was.",
        "Give the actor a learning rate near that of its critics, 1e-4 to 1e-3 for Adam, and look for what shrinks its "
        "loss.",
        Link.OPTIMIZER,
        Level.WARN,
    ),
}


@rule(
    "OPT206",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OPT302", "OPT303", "VAL207", "VAL301", "VAL302", "VAL304", "VAL305", "POL301", "POL302", "POL308", "EXP301",
        "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def acting_network_idle(rollout: Rollout) -> Answer:
    """The network that chooses the actions never changes, or next to nothing, while others learn.

    ## What it sees
    Which network answered right before the steps of the environment, and some weights of its last layer: when it was
    first seen, and at the end of the run, a thousand optimizer steps and more later. No network that learns was asked
    before those steps. Of an actor that climbs a critic, reported is a last layer that moved by less than a fiftieth of
    its size in all that time, while a critic's moved by half of its own.

    ## Why it is bad
    Whatever is learned is never tried. Losses fall, and the return stays that of the first moment.

    ## What to do
    1. Check which network the optimizer was given, and which one the loss is made with.
    2. Where a copy acts on purpose, copy the weights into it after every update.

    ## How to prove it
    Print the norm of the weights of the network that acts, before and after a hundred updates.

    ## When it is wrong
    A run that is shorter than the interval at which a copy is refreshed, and an actor that is to stay near one that was
    trained before.

    ## References
    PyTorch documentation, `torch.optim`; practice.
    """
    return judge_flaws(rollout, WORDS)
