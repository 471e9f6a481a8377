from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

FEWEST_ROWS = 8
FEWEST_CLIPPED = 3
FAR = 700.0
"""Where the exponential of a number overflows."""


@rule(
    "POL201",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("probabilities",),
    leads_to=(
        "POL301", "POL302", "POL303", "POL304", "POL305", "POL307", "EXP301", "EXP303", "EXP306", "OPT301", "REW301",
        "REW302", "REW303", "REW304",
    ),
    experiment="a learning rate of 0",
)  # fmt: skip
def ratio_not_one(rollout: Rollout, *, gap: float = 1e-3, share: float = 0.01) -> Answer:
    """Before the first gradient step the policy already disagrees with the log-probabilities that were stored.

    ## What it sees
    The policy that collected the experience has not changed yet. Asked again for the log-probability of each stored
    action it must say what was stored, up to rounding, so that every ratio is 1. Here more than a hundredth of the rows
    differ by more than `gap`, and by more than ten times the noise of asking the same policy twice.

    ## Why it is bad
    The ratio is how the update knows how far it has gone. When it is wrong from the start, the clip cuts rows that did
    not move and lets others go, the KL estimate is wrong, and a stop by KL ends every update too early or never.

    ## What to do
    1. All rows off by one constant: the same correction on both sides (the tanh term, the scale of the action, the
       temperature).
    2. Only rows whose action was clipped: store the action that was drawn, and clip what the environment gets.
    3. More the later in an episode: start the recurrent state of training where collecting started.
    4. Whole environments or blocks off: the experience is of an older policy; empty the buffer after each update.
    5. Otherwise: dropout and batch normalisation in one mode on both sides, the same mask of actions, the same
       normalised observation.

    ## How to prove it
    Set the learning rate to 0: approximate KL and clip fraction must be exactly 0 in every epoch.
    `weaklink confirm POL201 my_project.py` does this.

    ## When it is wrong
    Algorithms that learn from older policies on purpose have ratios other than 1, and are not judged. Sixteen-bit
    arithmetic has a noise of its own; where it was measured, it is allowed for.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022); Ray issue #8889; TRL issues
    #454 and #3029.
    """
    part = rollout.probabilities
    if part is None or part.fresh is None:
        return CannotTell(("probabilities",), "the policy was not asked again before the first gradient step")
    if rollout.family == "off-policy" or _tolerant(rollout):
        return CannotTell(("probabilities",), "this algorithm learns from older policies on purpose")
    stored, fresh = np.ravel(np.asarray(part.stored, np.float64)), np.ravel(np.asarray(part.fresh, np.float64))
    if stored.size != fresh.size:
        return CannotTell(("probabilities",), "stored and fresh log-probabilities differ in number")
    known = np.isfinite(stored) & np.isfinite(fresh)
    if known.sum() < FEWEST_ROWS:
        return CannotTell(("probabilities",), "too few rows")
    rounding = 1e-5 * float(np.median(np.abs(stored[known])))
    limit = max(gap, 10.0 * part.floor, rounding) if np.isfinite(part.floor) else np.inf
    apart = np.where(known, fresh - np.where(known, stored, 0.0), 0.0)
    off = np.abs(apart) > limit
    if off.sum() < 2 or off[known].mean() < share:
        return None
    return _finding(rollout, apart, off, known, limit)


def _tolerant(rollout: Rollout) -> bool:
    ages = rollout.ages
    return ages is not None and (ages.tolerated is None or ages.tolerated > 0)


def _finding(rollout: Rollout, apart: Array, off: Array, known: Array, limit: float) -> Finding:
    median, largest = float(np.median(np.abs(apart[known]))), float(np.abs(apart[known]).max())
    low, high = (float(np.exp(np.clip(bound, -FAR, FAR))) for bound in (apart[known].min(), apart[known].max()))
    kind, sure = _kind(rollout, apart, off, known)
    return Finding(
        message=f"Before the first gradient step the log-probabilities of {off[known].mean():.0%} of {known.sum():,} "
        f"stored actions are off by more than {limit:.2g} (median {median:.2g}, at most {largest:.2g}; ratios from "
        f"{low:.3g} to {high:.3g}){kind}.",
        confidence=sure,
        evidence=(
            Evidence(metric="log-probability off", value=largest, limit=limit),
            Evidence(metric="rows off", value=float(off[known].mean()), limit=0.0),
        ),
    )


def _kind(rollout: Rollout, apart: Array, off: Array, known: Array) -> tuple[str, float]:
    """What the rows that are off have in common."""
    centre = float(np.median(apart[known]))
    if off[known].mean() > 0.99 and float(np.abs(apart[known] - centre).max()) < 0.02 * abs(centre):
        return f": all rows by {centre:+.3g}, as if a constant were missing on one side", HIGH
    clipped = _clipped_rows(rollout, off.size)
    if clipped is not None and clipped.any() and not clipped.all() and not np.any(off & ~clipped):
        return ": only rows whose action was clipped", HIGH
    grid = _grid(rollout, off)
    if grid is not None:
        members = grid.mean(axis=0)
        if grid.shape[1] > 1 and members.min() == 0.0 and members.max() > 0.5:
            return f": only in {int((members > 0).sum())} of {grid.shape[1]} environments", HIGH
        blocks = [block.mean() for block in np.array_split(grid, 4)] if len(grid) >= 16 else []
        if blocks and blocks[0] < 0.2 * blocks[-1] and blocks == sorted(blocks):
            return ": more and more with time, as when a recurrent state goes astray", HIGH
    return "", HIGH if off[known].mean() > 0.1 else MEDIUM


def _clipped_rows(rollout: Rollout, rows: int) -> Array | None:
    actions = rollout.actions
    if actions is None or actions.rescaled:
        return None
    other = actions.sampled if actions.sampled is not None else actions.executed
    stored = np.asarray(actions.stored)
    if other is None or np.shape(other) != stored.shape or not rows or stored.size % rows:
        return None
    if not np.issubdtype(stored.dtype, np.floating):
        return None
    changed = np.abs(np.asarray(other, np.float64) - stored) > 1e-6
    if actions.executed is not None and np.shape(actions.executed) == stored.shape:
        changed |= np.abs(np.asarray(actions.executed, np.float64) - stored) > 1e-6
    if not changed.any():
        changed = _at_bounds(stored.reshape(rows, -1))
    return np.asarray(changed.reshape(rows, -1).any(axis=1))


def _at_bounds(stored: Array) -> Array:
    """Where a column lies at its extreme, several times to the last digit: draws that were clipped before storing."""
    ends = [stored == end for end in (stored.min(axis=0), stored.max(axis=0))]
    often = [end & (end.sum(axis=0) >= FEWEST_CLIPPED) for end in ends]
    return np.asarray(often[0] | often[1])


def _grid(rollout: Rollout, off: Array) -> Array | None:
    """Which rows are off, by time and environment, where the rows are the whole rollout."""
    estimates = rollout.estimates
    shape = () if estimates is None else np.shape(estimates.rewards)
    return off.reshape(shape[0], -1) if shape and int(np.prod(shape)) == off.size and shape[0] else None
