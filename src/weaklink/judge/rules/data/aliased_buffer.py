from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.judge.rules.data._pairs import FEWEST_ROWS
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so many arrays are named; the message stays one line
MOST_NAMED = 3


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
    """Stored rows share memory, or repeat although the environment moved on.

    ## What it sees
    Two columns of the buffer share memory, or a stored observation equals the one before it at a step where the
    environment returned a different one.

    ## Why it is bad
    If the environment returns the same array every step and the buffer keeps references, every row ends up holding the
    last observation. All rows then describe the same state.

    ## What to do
    1. Store copies: `np.array(observation, copy=True)`, `tensor.clone()`.
    2. Allocate each column of the buffer separately, never as a view of another.

    ## How to prove it
    Compare the first and the last stored observation of a rollout, and `np.shares_memory` of two rows.

    ## When it is wrong
    Frame stacks that keep each frame once share memory on purpose, and so do buffers that read the next observation
    from the next row. Ignore the rule for them.

    ## References
    Stable-Baselines3 buffers, the comment on copying; RLExplorer; keras-rl issue #51.
    """
    storage = rollout.storage
    if storage is None or storage.rows < FEWEST_ROWS:
        return CannotTell(("storage",), "too few rows are stored")
    if storage.shared:
        named = ", ".join(storage.shared[:MOST_NAMED])
        more = f" and {len(storage.shared) - MOST_NAMED} more" if len(storage.shared) > MOST_NAMED else ""
        return Finding(
            message=f"Arrays of the buffer share memory: {named}{more}.",
            confidence=HIGH,
            evidence=(Evidence(metric="shared arrays", value=float(len(storage.shared)), limit=0.0),),
        )
    if storage.repeated is None:
        return CannotTell(("storage",), "it was not checked whether observations repeat")
    if not storage.repeated > repeated:
        return None
    return Finding(
        message=f"{storage.repeated:.0%} of the stored observations equal the one before, at steps where the "
        "environment returned a different one.",
        confidence=HIGH,
        evidence=(Evidence(metric="repeated observations", value=storage.repeated, limit=repeated),),
    )
