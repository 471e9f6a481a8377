from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ROUNDED = 0.01
"""How far the total may be from the sum, as a share of the range of both: logs round them."""


@rule(
    "LLM358",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", "weighted_reward"),
    leads_to=("LLM301", "LLM304", "LLM311"),
)
def unweighted_total(samples: Samples, *, limit: float = 0.1) -> Answer:
    """The total reward is not the sum of its parts by the weights that are declared for them.

    ## What it sees
    Rows give the parts of their reward and the weights of these. In more than 0.1 of the rows the reward is another
    number than the parts times their weights, nor that divided by the sum of the weights. Where other weights fit all
    rows, the message names them.

    ## Why it is bad
    Another mix is trained on than the one that was chosen: a part that should hardly count may decide everything.

    ## What to do
    1. Compare the order of the weights with that of the reward functions: lists are matched by position.
    2. Compute the total in one place from named parts, and assert that it is their weighted sum.

    ## How to prove it
    Take one row, multiply its parts by the weights and add them up: it must be the reward.

    ## When it is wrong
    Totals that hold something besides the parts, such as a penalty on KL that is not logged.

    ## References
    TRL, GRPOConfig.reward_weights (matched to the reward functions by position).
    """
    rows = select_complete(samples, "reward", "weighted_reward")
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("reward_weights",), f"fewer than {2 * FEWEST_ROWS} rows with parts and weights")
    total, sums = rows["reward"], rows["weighted_reward"]
    spread = max(float(np.ptp(total)), float(np.ptp(sums)), 1e-9)
    scale = float(np.abs(total).sum() / max(np.abs(sums).sum(), 1e-9))
    wrong = np.minimum(np.abs(total - sums), np.abs(total - scale * sums)) > ROUNDED * spread
    share = float(wrong.mean())
    if share <= limit:
        return None
    return Finding(
        message=f"The total reward does not follow the declared weights of its parts: in {share:.0%} of {len(rows):,} "
        f"rows it is another number than their weighted sum (limit {limit:.0%}){_tell_weights(rows)}.",
        confidence=HIGH,
        evidence=(Evidence(metric="rewards that are not their weighted sum", value=share, limit=limit),),
    )


def _tell_weights(rows: Samples) -> str:
    """The weights that the rewards really have, where some fit all rows."""
    parts = {name: column for name, column in rows.columns(COMPONENT) if np.isfinite(column).all()}
    if not parts:
        return ""
    columns = np.stack(list(parts.values()), axis=1)
    weights, _, rank, _ = np.linalg.lstsq(columns, rows["reward"], rcond=None)
    left = np.abs(columns @ weights - rows["reward"]).max()
    if rank < columns.shape[1] or left > ROUNDED * max(float(np.ptp(rows["reward"])), 1e-9):
        return ""
    told = ", ".join(f"{weight:.2g} for {name}" for name, weight in zip(parts, weights, strict=True))
    return f"; the weights that were applied are {told}"
