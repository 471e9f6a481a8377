from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array, Rollout, RolloutActions
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows can match a shift by chance
FEWEST_ROWS = 8

# relative: rounding of 32-bit actions, and of a fitted line as a share of the range
SAME, ON_LINE = 1e-5, 1e-4

CLIP = "Store the sampled action, to which its log-probability belongs; clip only what the environment gets."


@rule(
    "POL202",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("actions",),
    leads_to=(
        "POL201", "POL301", "POL302", "POL303", "POL304", "EXP303", "EXP306", "VAL301", "VAL304", "REW301", "REW302",
        "REW304",
    ),
)  # fmt: skip
def stored_action_mismatch(rollout: Rollout) -> Answer:
    """The stored action is not the sampled one, or not the one that the environment received.

    ## What it sees
    Each action in three places: as sampled from the policy, as stored, and as received by the environment. On-policy
    the stored one must equal the sampled one to the last digit. The executed one may be clipped to its bounds, or
    rescaled linearly per dimension, but nothing else.

    ## Why it is bad
    The update reinforces the stored action for what another action earned. If the clipped action is stored, the stored
    log-probability does not belong to it, and the standard deviation of the policy grows at the bounds.

    ## What to do
    1. Store the sample of the distribution, before clipping and scaling; pass a clipped or scaled copy to the
       environment.
    2. With replay, store the executed action in the units of the policy's output.
    3. If rows belong to another step, write action and observation of a step with one index.

    ## How to prove it
    Assert in the rollout loop that `buffer.actions[t]` equals the sampled action, right after storing it.

    ## When it is wrong
    Replay stores the action with noise and clipping, which is right: it is compared with the executed action only.
    Actions that a wrapper inside the environment changes (sticky actions) are not visible here.

    ## References
    Ray issue #8889; Huang et al., The 37 implementation details of proximal policy optimization (2022), action
    clipping.
    """
    part = rollout.actions
    if part is None or (part.sampled is None and part.executed is None):
        return CannotTell(("actions",), "only the stored actions were recorded")
    stored = _read_table(part.stored, part.stored)
    if stored is None or len(stored) < FEWEST_ROWS:
        return CannotTell(("actions",), "too few actions")
    sampled = part.sampled is not None and rollout.family != "off-policy"
    answers = [_compare_sampled(part, stored)] if sampled else []
    answers += [_compare_executed(part, stored)] if part.executed is not None else []
    found = next((each for each in answers if isinstance(each, Finding)), None)
    return (
        found
        if found is not None or None in answers
        else CannotTell(("actions",), "sampled and stored actions have different shapes")
    )


def _read_table(actions: object, like: object) -> Array | None:
    """Actions as (T, the rest); None where they cannot be compared with the stored ones."""
    array = np.asarray(actions)
    if array.dtype == object or not array.size or array.size != np.asarray(like).size or array.ndim < 1:
        return None
    table = np.asarray(array, np.float64).reshape(len(np.asarray(like)), -1)
    return table if np.isfinite(table).all() else None


def _compare_sampled(part: RolloutActions, stored: Array) -> Finding | CannotTell | None:
    drawn = _read_table(part.sampled, part.stored)
    if drawn is None:
        return CannotTell(("actions",))
    off = _find_differences(stored, drawn)
    if not off.any() or (not _is_discrete(part) and _find_relation(drawn, stored, _count_dimensions(part)) == "line"):
        return None
    if bool(np.all(~_find_differences(stored, np.tanh(drawn)))):
        return None
    share = float(off.any(axis=1).mean())
    if _find_relation(drawn, stored, _count_dimensions(part)) == "clip":
        inside = f"in {share:.0%} of the steps the stored action is at a bound and the sampled one beyond it"
        return _describe(f"The clipped action is stored: {inside}.", share, HIGH, (CLIP,))
    lag = _find_lag(stored, drawn)
    if lag:
        return _describe(f"Stored actions are those sampled one step {lag}.", share, HIGH)
    return _describe(f"In {share:.0%} of the steps the stored action is not the sampled one.", share, MEDIUM)


def _compare_executed(part: RolloutActions, stored: Array) -> Finding | CannotTell | None:
    executed = _read_table(part.executed, part.stored)
    if executed is None:
        return CannotTell(("actions",))
    off = _find_differences(stored, executed)
    if not off.any() or bool(np.all(~_find_differences(executed, np.tanh(stored)))):
        return None
    if not _is_discrete(part) and _find_relation(stored, executed, _count_dimensions(part)):
        return None
    share = float(off.any(axis=1).mean())
    lag = _find_lag(executed, stored)
    if lag:
        return _describe(f"The environment receives actions that are stored one step {lag}.", share, HIGH)
    return _describe(
        f"In {share:.0%} of the steps the environment received another action than the stored one.",
        share,
        MEDIUM if part.rescaled else HIGH,
    )


def _is_discrete(part: RolloutActions) -> bool:
    """Whether actions are discrete: whole numbers everywhere, which nothing may scale or clip."""
    places = [np.asarray(each) for each in (part.stored, part.sampled, part.executed) if each is not None]
    return not part.rescaled and all(bool(np.all(each == np.round(each))) for each in places)


def _count_dimensions(part: RolloutActions) -> int:
    shape = np.shape(part.stored)
    return int(shape[-1]) if len(shape) > 1 else 1


def _find_differences(first: Array, second: Array) -> Array:
    return np.asarray(np.abs(first - second) > SAME * (1.0 + np.abs(second)))


def _find_relation(source: Array, result: Array, width: int) -> str:
    """`line` where each dimension is rescaled linearly, `clip` where it is clipped as well, empty otherwise.

    The bounds are the extremes of the result, so rows at them may come from further out.
    """
    first, second = source.reshape(-1, width), result.reshape(-1, width)
    words = {_relate_dimension(first[:, each], second[:, each]) for each in range(width)}
    if "" in words:
        return ""
    return "clip" if "clip" in words else "line"


def _relate_dimension(source: Array, result: Array) -> str:
    low, high = float(result.min()), float(result.max())
    inside = (result > low) & (result < high)
    if len(np.unique(source[inside])) < 3:
        return _relate_steps(source, result)
    slope, offset = np.polyfit(source[inside], result[inside], 1)
    made = slope * source + offset
    allowed = ON_LINE * (high - low)
    if slope <= 0 or np.any(np.abs(np.clip(made, low, high) - result) > allowed):
        return ""
    return "clip" if np.any(np.abs(made - result) > allowed) else "line"


def _relate_steps(source: Array, result: Array) -> str:
    """The same where next to nothing lies inside the bounds: then the result must rise with the source."""
    order = np.lexsort((result, source))
    rises, grows = np.diff(result[order]), np.diff(source[order])
    if np.any(rises < 0) or np.any((grows == 0) & (rises != 0)):
        return ""
    return "clip" if np.any((grows > 0) & (rises == 0)) else "line"


def _find_lag(first: Array, second: Array) -> str:
    """`earlier` or `later` where one column of actions is the other shifted by a step."""
    if len(first) < FEWEST_ROWS or not np.any(_find_differences(first[1:], first[:-1])):
        return ""
    if not np.any(_find_differences(first[1:], second[:-1])):
        return "earlier"
    return "later" if not np.any(_find_differences(first[:-1], second[1:])) else ""


def _describe(message: str, share: float, sure: float, fix: tuple[str, ...] = ()) -> Finding:
    evidence = (Evidence(metric="actions off", value=share, limit=0.0),)
    return Finding(message=message, confidence=sure, fix=fix, evidence=evidence)
