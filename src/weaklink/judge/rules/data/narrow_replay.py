from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import FEW_ROWS_KEPT, OLD_ROWS_ALONE
from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules._flaws import FlawWords, judge_flaws
from weaklink.judge.rules.writing import Answer, Level, Link, rule

WORDS = {
    OLD_ROWS_ALONE: FlawWords(
        "Of {of:,} steps that were collected, the updates that were read draw from the first {count:,} alone: what the "
        "policy does now is never learned from.",
        "Draw indices below the number of stored transitions, which grows with every step.",
        Link.DATA,
    ),
    FEW_ROWS_KEPT: FlawWords(
        "Of {of:,} steps that were collected, no update that was read draws from more than the newest {count:,}, with "
        "minibatches of {number:.0f}: the replay buffer holds hardly more than a minibatch.",
        "Give the replay buffer room for tens of thousands of transitions, and let its index wrap at its capacity.",
        Link.DATA,
        Level.WARN,
    ),
}


@rule(
    "DAT209",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=("VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "POL302", "REW301", "REW302", "REW303", "REW304"),
)
def narrow_replay(rollout: Rollout) -> Answer:
    """Replay draws from a small part of what was collected.

    ## What it sees
    When the rows were collected that the last updates that were read learn from. Reported are updates that never draw
    from the newer half of the run while it grows, and a buffer that holds no more than four minibatches while eight
    times as much was collected.

    ## Why it is bad
    Without newer rows the critic never hears what the present policy does, and its mistakes are never put right. With
    the newest alone, all rows of a minibatch are of one or two episodes, and what was learned before is overwritten.

    ## What to do
    1. Look at how indices are drawn: below the number of stored rows, not below a constant.
    2. Look at where the index of the buffer wraps: at its capacity, not at the size of a minibatch.

    ## How to prove it
    Print the smallest and the largest index of a minibatch, and how many rows are stored, every thousand steps.

    ## When it is wrong
    Where newer steps are left out on purpose, as those of evaluations in the environment of training, or where a run
    learns from a fixed set of transitions and collects more for another purpose.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Zhang and Sutton, A deeper look at
    experience replay (2017).
    """
    return judge_flaws(rollout, WORDS)
