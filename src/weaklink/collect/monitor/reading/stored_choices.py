"""How the choices that a loss scores became others than those that were taken: recoded one by one, or out of order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.categorical import ChoiceFit, fit_choices
from weaklink.collect.monitor.reading.joined import JoinedCalls
from weaklink.collect.monitor.reading.rearranging import MIXED, OTHER_MEMBER, REVERSED, SHIFTED
from weaklink.collect.monitor.reading.weights import EXACT, WeightFit, WeightRows, fit_weights

FEWEST, FEWEST_OF_ONE = 32, 3
"""Rows that must tell, and rows with one choice from which on it is plain as what that choice is scored."""

NEARLY_ALL, MOSTLY = 0.99, 0.75

LEFT = 0.25
"""The share of the rows with another choice that the right order may leave."""

UNRELATED = 0.9
"""The correlation with the advantages from which on weights are those of the choices that were taken."""


def find_recoded(scored: Array, told: Array, taken: Array) -> tuple[tuple[int, int], ...]:
    """The choices that are scored as another one, each always as the same; none where chance has a part in it.

    Args:
        scored: (n,) the choice that the loss scores.
        told: (n,) whether the row tells.
        taken: (n,) the choice that the environment was given.
    """
    scored, taken = scored[told], taken[told]
    if len(taken) < FEWEST:
        return ()
    pairs = []
    for choice in np.unique(taken):
        own = scored[taken == choice]
        found, counts = np.unique(own[own != choice], return_counts=True)
        if len(own) < FEWEST_OF_ONE or counts.sum() <= (1.0 - NEARLY_ALL) * len(own):
            continue
        # rows that hardly tell count as scored as they were taken
        if counts.max() < NEARLY_ALL * counts.sum() or counts.sum() < MOSTLY * len(own):
            return ()
        pairs.append((int(choice), int(found[counts.argmax()])))
    return tuple(pairs)


def find_order(
    joined: JoinedCalls, fit: ChoiceFit, seen: WeightRows, taken: Array, members: int, advantages: Sequence[Array]
) -> str:
    """How the choices of a whole rollout must be rearranged to be those that are scored; empty where nothing helps.

    With three or more choices the scored ones are compared. With two, a gradient fits either: then the weights must
    follow the advantages of their rows exactly, once the choices are rearranged.

    Args:
        joined: the calls of the policy.
        fit: of the choices that were taken.
        seen: the weights of these.
        taken: (rows of the tape,) the choices that the environments were given.
        members: of the tape.
        advantages: (rows of the tape,) each, that may be the policy's.
    """
    several = joined.outputs.shape[1] > 2
    for name, stored in _list_stored(taken, members):
        chosen = stored[joined.rows]
        if several and _agree(chosen, taken[joined.rows], fit):
            return name
        if not several and _explains(joined, chosen, seen, fit, advantages):
            return name
    return ""


def _agree(chosen: Array, taken: Array, fit: ChoiceFit) -> bool:
    """Whether other choices are the scored ones in nearly all of the rows in which those that were taken are not."""
    told = fit.told
    off, own = (float(np.mean(each[told] != fit.scored[told])) for each in (chosen, taken)) if told.any() else (1.0, 0)
    return int(told.sum()) >= FEWEST and off < LEFT * own


def _explains(
    joined: JoinedCalls, chosen: Array, seen: WeightRows, fit: ChoiceFit, advantages: Sequence[Array]
) -> bool:
    """Whether the weights of other choices than the taken ones follow the advantages of their rows exactly."""
    other = fit_choices(joined.outputs, joined.asked, chosen)
    # what is stored of the policy that acted belongs to the choice that was taken
    moved = seen.log_ratios + other.log_probs - fit.log_probs
    weighed = WeightRows(seen.rows, seen.batches, other.weights, other.entropy_column, moved, seen.steps)
    fits = (fit_weights(weighed, each) for each in advantages)
    return any(each is not None and each.correlation > EXACT for each in fits)


def is_unrelated(explained: WeightFit | None) -> bool:
    """Whether weights are compared with advantages, and follow none of them."""
    return explained is not None and abs(explained.correlation) < UNRELATED


def _list_stored(taken: Array, members: int) -> Iterator[tuple[str, Array]]:
    """By name, what is in each row of a storage whose choices are out of order."""
    times = len(taken) // max(members, 1)
    if times * members != len(taken) or times < 2:
        return
    table = taken.reshape(times, members)
    if members > 1:
        yield MIXED, table.T.ravel()
        yield MIXED, taken.reshape(members, times).T.ravel()
        yield OTHER_MEMBER, np.roll(table, 1, axis=1).ravel()
        yield OTHER_MEMBER, np.roll(table, -1, axis=1).ravel()
    yield REVERSED, table[::-1].ravel()
    yield SHIFTED, np.roll(table, 1, axis=0).ravel()
    yield SHIFTED, np.roll(table, -1, axis=0).ravel()
