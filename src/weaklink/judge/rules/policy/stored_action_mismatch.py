from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Actions, Array, Rollout
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

FEWEST_ROWS = 8
SAME = 1e-5
CLIP = "Store the action that was drawn, for its log-probability; clip only what the environment gets."


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
    """The action stored is not the one that was drawn, or not the one that the environment got.

    ## What it sees
    One action at three places: as it was drawn from the policy, as it was stored, and as the environment got it.
    On-policy the stored one must be the drawn one to the last digit. The executed one may be clipped to its bounds or
    brought to other units by one straight line for each dimension, nothing else.

    ## Why it is bad
    The update raises the probability of the stored action for what another one earned. With the clipped action stored,
    its log-probability is not the one that belongs to it, and the policy's spread grows at the bounds.

    ## What to do
    1. Store what the distribution gave, before clipping and scaling; hand a clipped or scaled copy to the environment.
    2. With replay: store what was executed, in the units of the policy's output.
    3. Where whole rows belong to another step, write action and observation of one step with one index.

    ## How to prove it
    Assert in the collecting loop that `buffer.actions[t]` equals the drawn action, right after storing it.

    ## When it is wrong
    Replay stores the action with its noise and its clip, which is right and is compared with the executed one only.
    An action that the environment wrapper changes further in (sticky actions) is not seen here.

    ## References
    Ray issue #8889; Huang et al., The 37 implementation details of proximal policy optimization (2022), action
    clipping.
    """
    part = rollout.actions
    if part is None or (part.sampled is None and part.executed is None):
        return CannotTell(("actions",), "only the stored actions were seen")
    stored = _table(part.stored, part.stored)
    if stored is None or len(stored) < FEWEST_ROWS:
        return CannotTell(("actions",), "too few actions")
    answers: list[Finding | CannotTell | None] = []
    if part.sampled is not None and rollout.family != "off-policy":
        answers.append(_beside_drawn(part, stored))
    if part.executed is not None:
        answers.append(_beside_executed(part, stored))
    found = [each for each in answers if isinstance(each, Finding)]
    if found:
        return found[0]
    return None if None in answers else CannotTell(("actions",), "drawn and stored actions have different shapes")


def _table(actions: object, like: object) -> Array | None:
    """Actions as (T, the rest); None where they cannot be laid beside the stored ones."""
    array = np.asarray(actions)
    if array.dtype == object or not array.size or array.size != np.asarray(like).size or array.ndim < 1:
        return None
    table = np.asarray(array, np.float64).reshape(len(np.asarray(like)), -1)
    return table if np.isfinite(table).all() else None


def _beside_drawn(part: Actions, stored: Array) -> Finding | CannotTell | None:
    drawn = _table(part.sampled, part.stored)
    if drawn is None:
        return CannotTell(("actions",))
    off = _apart(stored, drawn)
    if not off.any() or (not _whole(part) and _follows(drawn, stored, _width(part)) == "line"):
        return None
    if bool(np.all(~_apart(stored, np.tanh(drawn)))):
        return None
    share = float(off.any(axis=1).mean())
    if _follows(drawn, stored, _width(part)) == "clip":
        inside = f"in {share:.0%} of the steps the stored action lies at a bound and the drawn one beyond it"
        return _finding(f"The clipped action is stored: {inside}.", share, HIGH, (CLIP,))
    lag = _lag(stored, drawn)
    if lag:
        return _finding(f"Stored actions are those drawn one step {lag}.", share, HIGH)
    return _finding(f"In {share:.0%} of the steps the stored action is not the one that was drawn.", share, MEDIUM)


def _beside_executed(part: Actions, stored: Array) -> Finding | CannotTell | None:
    executed = _table(part.executed, part.stored)
    if executed is None:
        return CannotTell(("actions",))
    off = _apart(stored, executed)
    if not off.any() or bool(np.all(~_apart(executed, np.tanh(stored)))):
        return None
    if not _whole(part) and _follows(stored, executed, _width(part)):
        return None
    share = float(off.any(axis=1).mean())
    lag = _lag(executed, stored)
    if lag:
        return _finding(f"The environment gets actions that are stored one step {lag}.", share, HIGH)
    return _finding(
        f"In {share:.0%} of the steps the environment got another action than the one that was stored.",
        share,
        MEDIUM if part.rescaled else HIGH,
    )


def _whole(part: Actions) -> bool:
    """Whether actions are choices: whole numbers at every place, which nothing may scale or clip."""
    places = [np.asarray(each) for each in (part.stored, part.sampled, part.executed) if each is not None]
    return not part.rescaled and all(bool(np.all(each == np.round(each))) for each in places)


def _width(part: Actions) -> int:
    shape = np.shape(part.stored)
    return int(shape[-1]) if len(shape) > 1 else 1


def _apart(first: Array, second: Array) -> Array:
    return np.asarray(np.abs(first - second) > SAME * (1.0 + np.abs(second)))


def _follows(source: Array, result: Array, width: int) -> str:
    """`line` where one straight line for each dimension turns one into the other, `clip` where it is cut at bounds too.

    The bounds are the extremes of the result, so that rows at them may come from further out.
    """
    first, second = source.reshape(-1, width), result.reshape(-1, width)
    words = {_dimension(first[:, each], second[:, each]) for each in range(width)}
    if "" in words:
        return ""
    return "clip" if "clip" in words else "line"


def _dimension(source: Array, result: Array) -> str:
    low, high = float(result.min()), float(result.max())
    inside = (result > low) & (result < high)
    if len(np.unique(source[inside])) < 3:
        return _steps_up(source, result)
    slope, offset = np.polyfit(source[inside], result[inside], 1)
    made = slope * source + offset
    allowed = 1e-4 * (high - low)
    if slope <= 0 or np.any(np.abs(np.clip(made, low, high) - result) > allowed):
        return ""
    return "clip" if np.any(np.abs(made - result) > allowed) else "line"


def _steps_up(source: Array, result: Array) -> str:
    """The same where next to nothing lies inside of the bounds: larger numbers must never become smaller ones."""
    order = np.lexsort((result, source))
    rises, grows = np.diff(result[order]), np.diff(source[order])
    if np.any(rises < 0) or np.any((grows == 0) & (rises != 0)):
        return ""
    return "clip" if np.any((grows > 0) & (rises == 0)) else "line"


def _lag(first: Array, second: Array) -> str:
    """`earlier` or `later` where one column of actions is the other moved by a step."""
    if len(first) < FEWEST_ROWS or not np.any(_apart(first[1:], first[:-1])):
        return ""
    if not np.any(_apart(first[1:], second[:-1])):
        return "earlier"
    return "later" if not np.any(_apart(first[:-1], second[1:])) else ""


def _finding(message: str, share: float, sure: float, fix: tuple[str, ...] = ()) -> Finding:
    evidence = (Evidence(metric="actions off", value=share, limit=0.0),)
    return Finding(message=message, confidence=sure, fix=fix, evidence=evidence)
