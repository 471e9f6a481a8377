from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import CARRIED_MEMORY, OTHER_MEMORY
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
    CARRIED_MEMORY: FlawWords(
        "{head} answers the first observation of an episode otherwise than the very same one at another start, in "
        "{count:,} of {of:,} pairs, when it acts and in the loss alike: its memory is never cleared at ends, although "
        "targets stop there and it is told of no reward.",
        "Multiply the hidden state by one minus the flag of a new episode, when acting and in the loss.",
        Link.POLICY,
        Level.WARN,
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
    """A hand-written recurrent network does not forget at the end of an episode, on one of two sides or on both.

    ## What it sees
    What a head answered when it acted and in the first pass of its loss, before anything was learned, row by row. All
    rows up to the first end of an episode in the rollout are answered alike, and most rows behind one are not.

    ## Why it is bad
    The loss scores actions by another policy than the one that took them, so ratios are wrong from the start. A memory
    that survives the end of an episode carries what is over into the next one.

    ## What to do
    1. Multiply the hidden state by one minus the flag of a new episode before every step of the recurrent layer.
    2. Store these flags with the rollout, and use the same ones in the loss.

    ## How to prove it
    Ask the network about one rollout twice, step by step as when acting and as one sequence as in the loss: the answers
    must be the same to six digits.

    ## When it is wrong
    Networks that keep their memory over several episodes on purpose do so on both sides; they are given rewards or ends
    beside observations, or returns go on through ends, and are not reported.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022), on recurrent networks.
    """
    return judge_flaws(rollout, WORDS)
