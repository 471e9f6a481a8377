from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Rollout
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows say too little about a share
FEWEST_ROWS = 8

# A continuous action that takes its extreme value so often, to the last digit, was clipped
FEWEST_CLIPPED = 3

# beyond this the exponential overflows
FAR = 700.0

# A gap must exceed the measured noise of asking twice tenfold, and the rounding of large log-probabilities
NOISE, ROUNDING = 10.0, 1e-5


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
    """Importance ratios are not 1 before the first gradient step: stored log-probabilities do not match the policy.

    ## What it sees
    The policy that collected the data has not changed yet. Recomputed log-probabilities of the stored actions must
    equal the stored ones up to rounding, so that every ratio is 1. Here more than one row in a hundred differs by more
    than `gap`, and by more than ten times the noise of computing them twice.

    ## Why it is bad
    The ratio measures how far the update has gone. If it is wrong from the start, rows that did not move are clipped
    while others are not, the KL estimate is wrong, and early stopping by KL ends every update too early or never.

    ## What to do
    1. If all rows are off by one constant, apply the same correction on both sides (tanh term, action scale,
       temperature).
    2. If only rows with a clipped action are off, store the sampled action and clip only what the environment gets.
    3. If rows are off more and more with time, start training sequences from the recurrent state of the rollout.
    4. If whole environments or blocks are off, the data comes from an older policy: empty the buffer after each update.
    5. Where a copy of the policy acts, copy the weights before the first rollout as well.
    6. Otherwise use the same mode of dropout and batch normalisation, the same action mask and the same observation
       normalisation on both sides.

    ## How to prove it
    Set the learning rate to 0: approximate KL and clip fraction must be exactly 0 in every epoch.
    `weaklink confirm POL201 my_project.py` does this.

    ## When it is wrong
    Algorithms that learn from older policies on purpose have ratios other than 1 and are not judged. The rounding noise
    of 16-bit arithmetic is allowed for where it was measured.

    ## References
    Huang et al., The 37 implementation details of proximal policy optimization (2022); Ray issue #8889; TRL issues
    #454 and #3029; PPO-PyTorch issue #10.
    """
    part = rollout.probabilities
    if part is None or part.fresh is None:
        return CannotTell(("probabilities",), "log-probabilities were not recomputed before the first gradient step")
    if rollout.family == "off-policy" or _tolerates_age(rollout):
        return CannotTell(("probabilities",), "this algorithm learns from older policies on purpose")
    stored, fresh = np.ravel(np.asarray(part.stored, np.float64)), np.ravel(np.asarray(part.fresh, np.float64))
    if stored.size != fresh.size:
        return CannotTell(("probabilities",), "stored and recomputed log-probabilities differ in number")
    known = np.isfinite(stored) & np.isfinite(fresh)
    if known.sum() < FEWEST_ROWS:
        return CannotTell(("probabilities",), "too few rows")
    rounding = ROUNDING * float(np.median(np.abs(stored[known])))
    limit = max(gap, NOISE * part.floor, rounding) if np.isfinite(part.floor) else np.inf
    apart = np.where(known, fresh - np.where(known, stored, 0.0), 0.0)
    off = np.abs(apart) > limit
    if off.sum() < 2 or off[known].mean() < share:
        return None
    return _describe(rollout, apart, off, known, limit)


def _tolerates_age(rollout: Rollout) -> bool:
    ages = rollout.ages
    return ages is not None and (ages.tolerated is None or ages.tolerated > 0)


def _describe(rollout: Rollout, apart: Array, off: Array, known: Array, limit: float) -> Finding:
    median, largest = float(np.median(np.abs(apart[known]))), float(np.abs(apart[known]).max())
    low, high = (float(np.exp(np.clip(bound, -FAR, FAR))) for bound in (apart[known].min(), apart[known].max()))
    kind, sure = _find_pattern(rollout, apart, off, known)
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


def _find_pattern(rollout: Rollout, apart: Array, off: Array, known: Array) -> tuple[str, float]:
    """What the rows that are off have in common, for the message, and how sure that makes the finding."""
    centre = float(np.median(apart[known]))
    if off[known].mean() > 0.99 and float(np.abs(apart[known] - centre).max()) < 0.02 * abs(centre):
        return f": all rows by {centre:+.3g}, as if a constant were missing on one side", HIGH
    part = rollout.probabilities
    clipped = _find_clipped(rollout, off.size) if part is None or part.clipped is None else np.ravel(part.clipped)
    if (
        clipped is not None
        and clipped.size == off.size
        and clipped.any()
        and not clipped.all()
        and not np.any(off & ~clipped)
    ):
        return ": only rows whose action was clipped", HIGH
    where = _find_place(_reshape(rollout, off))
    return where, HIGH if where or off[known].mean() > 0.1 else MEDIUM


def _find_place(grid: Array | None) -> str:
    """The environments or the time in which rows are off; empty where they are off everywhere."""
    if grid is None:
        return ""
    members = grid.mean(axis=0)
    if grid.shape[1] > 1 and members.min() == 0.0 and members.max() > 0.5:
        return f": only in {int((members > 0).sum())} of {grid.shape[1]} environments"
    blocks = [block.mean() for block in np.array_split(grid, 4)] if len(grid) >= 16 else []
    if blocks and blocks[0] < 0.2 * blocks[-1] and blocks == sorted(blocks):
        return ": more and more with time, as when the recurrent state of the replay drifts"
    return ""


def _find_clipped(rollout: Rollout, rows: int) -> Array | None:
    """The rows whose action was clipped; None where that cannot be known."""
    part = rollout.probabilities
    if part is not None and part.clipped is not None and np.size(part.clipped) == rows:
        return np.ravel(part.clipped)
    actions = rollout.actions
    if actions is None or actions.rescaled or not rows:
        return None
    stored = np.asarray(actions.stored)
    others = [each for each in (actions.sampled, actions.executed) if each is not None]
    if not others or np.shape(others[0]) != stored.shape or stored.size % rows:
        return None
    if not np.issubdtype(stored.dtype, np.floating):
        return None
    changed = np.zeros(stored.shape, bool)
    for other in others:
        if np.shape(other) == stored.shape:
            changed |= np.abs(np.asarray(other, np.float64) - stored) > 1e-6
    if not changed.any():
        changed = _find_extremes(stored.reshape(rows, -1))
    return np.asarray(changed.reshape(rows, -1).any(axis=1))


def _find_extremes(stored: Array) -> Array:
    """Where a column repeats its extreme to the last digit: actions that were clipped before they were stored."""
    ends = [stored == end for end in (stored.min(axis=0), stored.max(axis=0))]
    often = [end & (end.sum(axis=0) >= FEWEST_CLIPPED) for end in ends]
    return np.asarray(often[0] | often[1])


def _reshape(rollout: Rollout, off: Array) -> Array | None:
    """Which rows are off, by time and environment, where the rows are the whole rollout."""
    estimates = rollout.estimates
    shape = () if estimates is None else np.shape(estimates.rewards)
    return off.reshape(shape[0], -1) if shape and int(np.prod(shape)) == off.size and shape[0] else None
