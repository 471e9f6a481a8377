from __future__ import annotations

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Ints, Survey
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.writing import HIGH, Answer, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 100
MOST_STEPS = 1000

SMALLEST = 4  # numbers that change places: three have six orders, all of which are turns or reflections

DISTINCT = 20  # values that a number must have had to be recognised wherever it stands

FEWEST_ORDERS = 9  # a square that is turned or reflected has eight

WIDEST = 64

CLOSE = 1e-5  # relative to the spread of a number: observations are mostly single precision


@rule(
    "OBS117",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", "held"),
    leads_to=("OBS108", "OBS110", "ENV108", "TSK102", "TSK103", "TSK106"),
)
def shuffled_columns(survey: Survey, *, fewest: int = 2, restless: float = 0.5) -> Answer:
    """The columns of the observation change places.

    ## What it sees
    Four or more attributes of the environment stand in the observation at every step, each in changing places, and the
    places change at half of the steps or more, in more than eight orders, which no turn explains. Or an attribute that
    each reset draws, an order of 0 to n, decides nothing but the order of the columns: with that of another episode all
    observations have the same numbers in other places, and rewards and ends are the same.

    ## Why it is bad
    A network knows a quantity by its place. Where places change, what was learned of one is applied to another, and
    what remains is what holds for all of them alike.

    ## What to do
    1. Find what orders the columns: a set or a dict that is filled anew, a shuffle meant for the agents' turns, a
       permutation that is applied to the observation and not to actions or to the rest of it.
    2. If the order shall not matter, use a network that does not depend on it, or sort by something that is seen.

    ## How to prove it
    Print the attribute beside the observation for ten steps. Then run `weaklink preflight ENV` again with the order
    fixed.

    ## When it is wrong
    Where entities are listed by their distance or another quantity, the order is information. Where the policy is
    invariant to the order, it costs nothing.

    ## References
    Practice; Zaheer et al., Deep Sets, 2017, on what order costs.
    """
    held = survey.held
    assert held is not None
    for one in survey.exchanged:
        if one.reordered >= fewest and one.reordered == one.shown and _is_order(held, one.name):
            return _describe(
                f"`{one.name}`, an order that each reset draws anew, decides in which places the observation has its "
                f"numbers, and nothing else: with that of another episode the same numbers stood elsewhere in "
                f"{one.reordered} of {one.tried} plays, rewards and ends stayed the same.",
                float(one.reordered),
            )
    found = _find_shuffled(held, restless)
    if found is None:
        return None
    places, changes = found
    return _describe(
        f"{len(places)} attributes ({name_some([held.labels[place] for place in places], 4)}) stand in the observation "
        f"at every step, but not in the same columns: their places change at {changes:.0%} of the steps (limit "
        f"{restless:.0%}).",
        changes,
    )


def _is_order(held: HeldState, name: str) -> bool:
    """Whether the attribute is an order of 0 to n, another one in different episodes."""
    values = held.before[:, held.attributes[name]]
    return values.shape[1] >= 3 and bool(np.all(np.sort(values, axis=1) == np.arange(values.shape[1])))


def _find_shuffled(held: HeldState, restless: float) -> tuple[list[int], float] | None:
    """The attributes that change places in the observation, and the share of steps at which they do."""
    seen, values = held.successors[:MOST_STEPS], held.after[:MOST_STEPS]
    if len(seen) < FEWEST_STEPS or not SMALLEST <= seen.shape[1] <= WIDEST or not np.isfinite(seen).all():
        return None
    wandering, places = [], []
    for column in np.flatnonzero(held.finite)[: 4 * WIDEST].tolist():
        at = _find_places(values[:, column], seen)
        if at is not None:
            wandering.append(column)
            places.append(at)
    if len(wandering) < SMALLEST:
        return None
    order = np.array(places).T
    changes = float(np.mean(np.any(order[1:] != order[:-1], axis=1)))
    orders = len({row.tobytes() for row in order})
    if changes < restless or orders < FEWEST_ORDERS or _keeps_together(order, seen.shape[1]):
        return None
    return wandering, changes


def _find_places(values: Array, seen: Array) -> Ints | None:
    """In which column a number stands at each step; None where it is not always there, or mostly in one column."""
    distinct = len(np.unique(values))
    if distinct < min(DISTINCT, len(values) // 2):
        return None
    same = np.abs(seen - values[:, None]) <= CLOSE * float(np.ptp(values))
    if not same.any(axis=1).all() or float(same.mean(axis=0).max()) > 1.0 - 1.0 / SMALLEST:
        return None
    return np.asarray(np.argmax(same, axis=1), dtype=np.int64)


def _keeps_together(order: Ints, width: int) -> bool:
    """Whether any two numbers keep their distance, as those of one thing in a list of things, or on a ring, do."""
    for first in range(order.shape[1]):
        apart = (order[:, first + 1 :] - order[:, first : first + 1]) % width
        if apart.shape[1] and bool(np.any(np.all(apart == apart[:1], axis=0))):
            return True
    return False


def _describe(message: str, value: float) -> Finding:
    return Finding(
        message=message,
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="observation.columns_out_of_place", value=value, limit=0.0),),
    )
