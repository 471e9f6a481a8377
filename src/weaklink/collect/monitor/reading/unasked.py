"""A critic that the policy's loss takes its advantages from, and that no loss asks anything of.

A network may have outputs that nobody uses. That a head is a critic shows in the weights of the policy's loss: they are
the advantages that its values give, to the last digits, and not those without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from weaklink.base.evidence.flaw_kinds import UNASKED_CRITIC
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.estimators import TapeSteps, compute_gae
from weaklink.collect.monitor.reading.tape_rows import read_steps
from weaklink.collect.monitor.reading.weights import WeightRows, fit_weights

GAMMAS, LAMBDAS = (0.9, 0.95, 0.98, 0.99, 0.995, 1.0), (1.0, 0.95, 0.9, 0.5, 0.0)
"""Where the search for the estimator begins."""

ROUNDS = 24
"""Rounds in which a rate comes closer to the best one, the distance halved where none is better."""

FIRM = 0.9999
"""The correlation from which on weights are made of the advantages that they were compared with."""

CLEARLY = 0.01
"""What values leave of the weights, as a share of what is left without them, where the weights are made of them."""

MOST_STEPS, FEWEST = 8, 32
"""Optimizer steps whose rows are compared, and rows of them that are too few."""


def find_unasked(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """The critics among the heads of which no loss asks anything."""
    if any(call.outputs.shape[1] == 1 for call in reading.calls):
        return ()  # another critic learns
    return tuple(
        RecoveredFlaw(kind=UNASKED_CRITIC, head=head, count=count, of=count)
        for head in reading.unasked
        for count in _count_weighed(reading, head)
    )


def _count_weighed(reading: UpdateReading, head: str) -> Iterator[int]:
    """The rows whose weight is made of the values of a head, where all of them are."""
    if any(answer.outputs.shape[1] != 1 for answer in reading.answers if answer.head == head):
        return
    steps = read_steps(reading, head, np.full(reading.tape.rows, np.nan))
    for other in reading.heads:
        seen = read_weights(reading, other)
        if seen is None or not len(seen.steps):
            continue
        seen = seen.take(seen.steps < seen.steps.min() + MOST_STEPS)
        with_values, without = _search(steps, seen), _search(_forget_values(steps), seen)
        if len(seen.rows) >= FEWEST and with_values > FIRM and 1.0 - with_values**2 < CLEARLY * (1.0 - without**2):
            yield len(np.unique(seen.rows))


def _forget_values(steps: TapeSteps) -> TapeSteps:
    return replace(steps, values=0.0 * steps.values, next_values=0.0 * steps.next_values)


def _search(steps: TapeSteps, seen: WeightRows) -> float:
    """The largest correlation of weights with the advantages of any discount and lambda."""
    rates = max(product(GAMMAS, LAMBDAS), key=lambda each: _correlate(steps, seen, each))
    best, reach = _correlate(steps, seen, rates), 0.02
    for _ in range(ROUNDS):
        moves = ((reach, 0.0), (-reach, 0.0), (0.0, 4.0 * reach), (0.0, -4.0 * reach))
        tried = {move: _correlate(steps, seen, (rates[0] + move[0], rates[1] + move[1])) for move in moves}
        move = max(tried, key=lambda each: tried[each])
        if tried[move] > best:
            best, rates = tried[move], (rates[0] + move[0], rates[1] + move[1])
        else:
            reach /= 2.0
    return best


def _correlate(steps: TapeSteps, seen: WeightRows, rates: tuple[float, float]) -> float:
    if not (0.0 <= rates[0] <= 1.0 and 0.0 <= rates[1] <= 1.0):
        return 0.0
    advantages = steps.spread(compute_gae(steps, *rates), int(steps.rows.max()) + 1)
    fit = fit_weights(seen, advantages, powers=(1, 0))
    return 0.0 if fit is None else max(fit.correlation, 0.0)
