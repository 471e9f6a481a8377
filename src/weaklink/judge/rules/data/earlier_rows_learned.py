from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows may be those of one odd update
FEWEST_ROWS = 8


@rule(
    "DAT205",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "RET201", "RET202", "RET203", "VAL202", "VAL301", "VAL302", "VAL304", "POL301", "POL302", "EXP204", "EXP303",
        "REW301", "REW302", "REW304",
    ),
)  # fmt: skip
def earlier_rows_learned(rollout: Rollout, *, share: float = 0.02) -> Answer:
    """A loop that learns from what it has just collected also learns from rows of earlier rollouts.

    ## What it sees
    Where each row of an update was collected. In a loop of short rollouts, most of whose updates learn from new rows
    alone, or each of which learns from all rows of the one before as well, more than `share` of all rows are of an
    earlier rollout.

    ## Why it is bad
    These rows were learned from before, by another policy, and what follows them is not what stands behind them: their
    returns are made of two episodes.

    ## What to do
    1. Use only as many rows of the storage as were filled since the last update.
    2. Clear the storage after each update, or allocate it anew.

    ## How to prove it
    Fill the storage with NaN after each update: the loss must stay finite.

    ## When it is wrong
    Methods that mix replayed rows into on-policy updates do so in every update, and are not reported. Learning from all
    rows so far is reported only where the losses are those of a policy gradient with a critic of observations.

    ## References
    Mnih et al., Asynchronous methods for deep reinforcement learning (2016).
    """
    part = rollout.recovered
    if part is None or not part.learned:
        return CannotTell(("recovered",), "this is no loop of short rollouts")
    if part.stale < FEWEST_ROWS or part.stale <= share * part.learned:
        return None
    return Finding(
        message=f"Of {part.learned:,} rows that were learned from, {part.stale:,} belong to an earlier rollout than "
        "the one that was just collected: the storage still holds them.",
        confidence=HIGH,
        evidence=(Evidence(metric="rows of earlier rollouts", value=part.stale / part.learned, limit=share),),
    )
