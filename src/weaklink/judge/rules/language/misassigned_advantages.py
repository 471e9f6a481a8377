from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._assigned import correlate
from weaklink.judge.rules._draws import find_steps, hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SMALLEST, FEWEST_GROUPS = 3, 10
"""Completions of a group, and groups in which rewards differ."""
ROUNDED = 0.01
"""The share of the spread of a group's advantages that rounding may leave beside a straight line."""
FITTING, OWN = 0.9, 0.5
"""The share of groups whose advantages are their rewards on another scale but for the order, and the highest
correlation of the two row by row: where most rows have their own, a few groups were merely written in another order."""
FURTHEST = 16
"""How many places off within a step advantages are looked for."""
INVERTED = -0.9
"""The correlation from which on advantages are those of their own rows with the wrong sign."""


@rule(
    "LLM381",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Samples,
    needs=("advantage", "reward", "group"),
    leads_to=("LLM305", "LLM311", "LLM320", "LLM353", "REW301", "REW305"),
)
def misassigned_advantages(samples: Samples) -> Answer:
    """Advantages belong to other completions of their group.

    ## What it sees
    Put in order of size, the advantages of a group are its rewards times a number plus a number, to the digit, in nine
    of ten groups of three completions or more in which rewards differ; row by row they are not (correlation of 0.5 or
    less). So they are the right advantages, of other rows. The message says how far off they are where that is the same
    everywhere. It is an error too where they are those of the row up to 16 places away in its step, of another group
    even: the advantages worked out from the rewards go with them to 0.99 there, and row by row hardly.

    ## Why it is bad
    The update makes completions more likely for what others earned. Over all groups that is noise, and the loss, the
    advantages and the rewards look as they should, each by itself.

    ## What to do
    1. Recompute the advantages of one group by hand and hold them against the rows as the trainer gets them.
    2. Look for what sorts, shuffles or pads only one of the lists between the rewards and the loss.
    3. Carry an id with every completion, and join by it instead of by position.

    ## How to prove it
    Give one completion of a group the reward 1 and all others 0: its own advantage must be the only positive one.

    ## When it is wrong
    Where the logged rewards are those of other rows, and the advantages are right: the link is then the data.

    ## References
    Shao et al., DeepSeekMath, 2024 (group-relative advantages).
    """
    rows = select_complete(samples, "advantage", "reward", "group")
    owner = np.unique(hash_draws(rows), return_inverse=True)[1].reshape(-1) if len(rows) else np.zeros(0, np.int64)
    paid, credit = _centre(rows["reward"], owner), _centre(rows["advantage"], owner)
    sizes, spread = np.bincount(owner), np.bincount(owner, paid**2)
    varied = (sizes >= SMALLEST) & (spread > 0.0) & (np.bincount(owner, credit**2) > 0.0)
    if int(varied.sum()) < FEWEST_GROUPS:
        return CannotTell(("advantage",), f"fewer than {FEWEST_GROUPS} groups of {SMALLEST} whose rewards differ")
    fits = _fit_in_order(paid, credit, owner) & varied
    share = float(fits.sum() / varied.sum())
    inside = varied[owner]
    scale = np.sqrt(spread / np.maximum(np.bincount(owner, credit**2), 1e-300))[owner]
    own = correlate(paid[inside], (credit * scale)[inside])
    if own > OWN or own < INVERTED:
        return None
    if share < FITTING:
        return _find_roll(rows, owner, paid, own)
    return Finding(
        message=f"Advantages belong to other rows: in {share:.0%} of {int(varied.sum()):,} groups they are the rewards "
        f"of the group on another scale, to the digit, but in another order (correlation row by row {own:.2f})"
        f"{_tell_place(paid, credit * scale, owner, inside)}.",
        confidence=HIGH,
        evidence=(Evidence(metric="advantage and its own reward", value=own, limit=OWN),),
    )


def _centre(values: Array, owner: Ints) -> Array:
    return values - (np.bincount(owner, values) / np.maximum(np.bincount(owner), 1))[owner]


def _find_roll(rows: Samples, owner: Ints, paid: Array, own: float) -> Finding | None:
    """Advantages that are, to the digit, those of the row so many places away in the same step, whatever its group."""
    steps = find_steps(rows)
    if steps is None:
        return None
    step = np.unique(steps, return_inverse=True)[1].reshape(-1)
    deviation = np.sqrt(np.bincount(owner, paid**2) / np.maximum(np.bincount(owner), 1))[owner]
    credits = paid / np.where(deviation > 0.0, deviation, 1.0), paid
    places = [away for off in range(1, FURTHEST + 1) for away in (off, -off)]
    followed = {away: _find_rows_away(step, away) for away in places if abs(away) < np.bincount(step).max()}
    near, away = max(
        ((correlate(rows["advantage"], credit[other]), away) for credit in credits for away, other in followed.items()),
        default=(0.0, 0),
    )
    if near < 1.0 - ROUNDED:
        return None
    side = "before" if away > 0 else "after"
    return Finding(
        message=f"Advantages belong to other rows: each is that of the row {abs(away)} "
        f"{'place' if abs(away) == 1 else 'places'} {side} it in its step (correlation {near:.2f} over {len(rows):,} "
        f"rows, {own:.2f} with its own reward), so they are shifted against the completions.",
        confidence=HIGH,
        evidence=(Evidence(metric="advantage and its own reward", value=own, limit=OWN),),
    )


def _find_rows_away(step: Ints, away: int) -> Ints:
    """For each row the one so many places before it in its step, which goes round."""
    order = np.argsort(step, kind="stable")
    sizes = np.bincount(step)
    starts, of = np.cumsum(sizes) - sizes, step[order]
    other = np.empty(len(order), np.int64)
    other[order] = order[starts[of] + (np.arange(len(order)) - starts[of] - away) % sizes[of]]
    return other


def _fit_in_order(paid: Array, credit: Array, owner: Ints) -> Flags:
    """In which groups advantages, in order of size, lie on a rising line over the rewards in order of size."""
    first, second = paid[np.lexsort((paid, owner))], credit[np.lexsort((credit, owner))]
    group = np.sort(owner)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.bincount(group, first * second) / np.bincount(group, first**2)
    missed = np.bincount(group, (second - np.nan_to_num(slope)[group] * first) ** 2)
    return np.asarray((slope > 0.0) & (missed <= ROUNDED**2 * np.bincount(group, second**2)))


def _tell_place(paid: Array, credit: Array, owner: Ints, inside: Flags) -> str:
    """Whose advantages rows have, for messages, where that is the row at one distance in every group."""
    order = np.argsort(owner, kind="stable")
    sizes = np.bincount(owner)
    starts, group = np.cumsum(sizes) - sizes, owner[order]
    place = np.arange(len(order)) - starts[group]
    for off in range(1, int(sizes.max())):
        other = order[starts[group] + (place - off) % sizes[group]]
        if correlate(credit[order][inside[order]], paid[other][inside[order]]) >= 1.0 - ROUNDED:
            return f": each has that of the row {off} {'place' if off == 1 else 'places'} before it"
    return ""
