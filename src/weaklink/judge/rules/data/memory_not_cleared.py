from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import (
    CARRIED_MEMORY,
    EMPTY_MEMORY,
    KEPT_MEMORY,
    LOST_MEMORY,
    NO_MEMORY,
    OTHER_MEMORY,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    OTHER_MEMORY: FlawWords(
        "Before any optimizer step {head} answers {count:,} of {of:,} rows otherwise than when it acted, all of them "
        "after an end within the rollout, while the {number:.0f} before one are answered alike: its memory is cleared "
        "at ends on one of both sides alone.",
        "Multiply the hidden state by one minus the flag of a new episode, when acting and in the loss.",
        Link.DATA,
    ),
    LOST_MEMORY: FlawWords(
        "Before any optimizer step {head} answers {count:,} of {of:,} rows otherwise than when it acted, all of them "
        "in episodes that had begun before the rollout, while the {number:.0f} behind an end are answered alike: the "
        "loss unrolls it from an empty memory and not from the one that the rollout began with.",
        "Keep the hidden state at the start of each rollout, and begin to unroll from it in the loss.",
        Link.DATA,
    ),
    CARRIED_MEMORY: FlawWords(
        "{head} answers the first observation of an episode otherwise than the very same one at another start, in "
        "{count:,} of {of:,} pairs, when it acts and in the loss alike: its memory is never cleared at ends, although "
        "targets stop there and it is told of no reward.",
        "Multiply the hidden state by one minus the flag of a new episode, when acting and in the loss.",
        Link.POLICY,
        Level.WARN,
    ),
    KEPT_MEMORY: FlawWords(
        "{head} is given a memory at the first step of an episode, and another one at each of {count:,} such steps: "
        "that of the episode before, although targets stop at ends and the network is told of no reward.",
        "Multiply the hidden state by one minus the flag of a new episode, when acting and in the loss.",
        Link.POLICY,
        Level.WARN,
    ),
    EMPTY_MEMORY: FlawWords(
        "{head} is given an empty memory before every one of {count:,} steps of the environment, and takes in one step "
        "at a time, while the loss unrolls it over sequences: it acts without the memory that it learns with.",
        "Hand the hidden state that a step returns to the next step, and an empty one only where an episode begins.",
        Link.POLICY,
        always=True,
    ),
    NO_MEMORY: FlawWords(
        "{head} is given an empty memory before every one of {count:,} steps of the environment and in the loss, and "
        "takes in one step at a time: it can remember nothing.",
        "Hand the hidden state that a step returns to the next step, and unroll sequences in the loss.",
        Link.POLICY,
        Level.WARN,
        always=True,
    ),
}


@rule(
    "DAT210",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("POL201", "POL301", "POL302", "VAL301", "VAL304", "EVA303", "REW301", "REW302", "REW304"),
)
def memory_not_cleared(rollout: Rollout) -> Answer:
    """A hand-written recurrent network does not forget where an episode ends, or remembers nothing within one.

    ## What it sees
    What a head answered when it acted and in the first pass of its loss, before anything was learned, row by row. All
    rows up to the first end of an episode in the rollout are answered alike, and most rows behind one are not; or the
    other way round, in episodes that had begun before the rollout. Besides, what recurrent layers of torch are handed
    as their memory before each step: nothing at all before any of them, or something else each time an episode begins.

    ## Why it is bad
    The loss scores actions by another policy than the one that took them, so ratios are wrong from the start. A memory
    that survives the end of an episode carries what is over into the next one. A layer that always starts from an
    empty memory sees one observation, whatever the loss teaches it about sequences.

    ## What to do
    1. Multiply the hidden state by one minus the flag of a new episode before every step of the recurrent layer.
    2. Store these flags with the rollout, and use the same ones in the loss.
    3. Keep the state that a step returns, and hand it to the next one.

    ## How to prove it
    Ask the network about one rollout twice, step by step as when acting and as one sequence as in the loss: the answers
    must be the same to six digits.

    ## When it is wrong
    Networks that keep their memory over several episodes on purpose do so on both sides; they are given rewards or ends
    beside observations, or returns go on through ends, and are not reported. Networks that are given a window of
    observations at once need no memory between steps.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022), on recurrent networks.
    """
    return judge_flaws(rollout, WORDS)
