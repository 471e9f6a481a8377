from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

MOST_NAMED = 3
FEWEST_ROWS = 8


@rule(
    "DAT202",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("storage",),
    leads_to=(
        "DAT201", "RET202", "POL201", "VAL202", "VAL301", "VAL304", "VAL305", "POL302", "EXP303", "REW301", "REW302",
        "REW304",
    ),
)  # fmt: skip
def aliased_buffer(rollout: Rollout, *, repeated: float = 0.05) -> Answer:
    """Stored rows share one memory, or repeat although the environment moved on.

    ## What it sees
    Two columns of the store lie in the same memory, or stored observations equal the one before them at steps where
    the environment gave another.

    ## Why it is bad
    An environment that returns the same array each time fills a store that keeps references with one single
    observation: the last. Every row then teaches about the same state.

    ## What to do
    1. Copy what is stored: `np.array(observation, copy=True)`, `tensor.clone()`.
    2. Make each column of the store an array of its own; no view of another one.

    ## How to prove it
    Compare the first and the last stored observation of a rollout, and `np.shares_memory` of two rows.

    ## When it is wrong
    Frame stacks that keep each frame once share memory on purpose; so do stores that read the next observation from
    the next row. Name those columns, or leave the rule out.

    ## References
    Stable-Baselines3 buffers, comment on copying; RLExplorer; keras-rl issue #51.
    """
    storage = rollout.storage
    if storage is None or storage.rows < FEWEST_ROWS:
        return CannotTell(("storage",), "too few rows are stored")
    if storage.shared:
        named = ", ".join(storage.shared[:MOST_NAMED])
        more = f" and {len(storage.shared) - MOST_NAMED} more" if len(storage.shared) > MOST_NAMED else ""
        return Finding(
            message=f"Parts of the store lie in one memory: {named}{more}.",
            confidence=HIGH,
            evidence=(Evidence(metric="shared arrays", value=float(len(storage.shared)), limit=0.0),),
        )
    if storage.repeated is None:
        return CannotTell(("storage",), "whether observations repeat was not seen")
    if not storage.repeated > repeated:
        return None
    return Finding(
        message=f"{storage.repeated:.0%} of the stored observations equal the one before, at steps where the "
        "environment gave another.",
        confidence=HIGH,
        evidence=(Evidence(metric="repeated observations", value=storage.repeated, limit=repeated),),
    )
