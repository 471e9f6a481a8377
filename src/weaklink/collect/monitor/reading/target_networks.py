"""How a target network follows the network that learns, read off the weights of their last layers.

After each step a slow copy is `(1 - rate) * slow + rate * fast`, with one rate for all weights: 0 where it waits, 1
where it is copied in full.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import NO_TARGET_LAG, SHARED_TARGET
from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading, is_part
from weaklink.collect.monitor.reading.tape_rows import list_bootstrapped

FEWEST_STEPS = 4
"""Steps over which a rate must be one and the same."""

EXACTLY = 1e-3
"""What a rate may leave of the way between both networks, in single precision."""

FAST = 0.9
"""The rate from which on a copy does not lag: those of target networks are below 0.1."""

OFTEN = 0.4
"""The share of steps from which on a full copy does not lag either: those of DQN come hundreds of steps apart, and a
trainer with a delayed actor may copy at every second step."""


def find_target_flaws(reading: UpdateReading, critics: Mapping[str, list[HeadCall]]) -> tuple[RecoveredFlaw, ...]:
    """Target networks of critics that are no slower than the critics themselves.

    Args:
        reading: of the update.
        critics: the passes of every head that was read as action values or as a critic of actions.
    """
    found = []
    for head, calls in critics.items():
        asked = {answer.head for call in calls for answer in list_bootstrapped(reading, call)} - {head}
        fast = {trace.step: trace.weights for trace in reading.layers if trace.head == head and trace.learns}
        copies = {trace.head for trace in reading.layers if any(is_part(trace.head, name) for name in asked)}
        for name in sorted(copies):
            slow = {trace.step: trace.weights for trace in reading.layers if trace.head == name and not trace.learns}
            rates = _fit_rates(fast, slow)
            moves = [rate for rate in rates or () if abs(rate) > EXACTLY]
            if rates and len(moves) >= max(FEWEST_STEPS, OFTEN * len(rates)) and min(moves) >= FAST:
                rate = float(np.median(moves))
                found.append(RecoveredFlaw(kind=NO_TARGET_LAG, head=name, count=len(moves), of=len(rates), number=rate))
                break
    return tuple(found)


def find_shared(names: Sequence[str], values: Sequence[RecoveredValues]) -> Iterator[RecoveredFlaw]:
    """Variables that are called targets and hold weights that are moved, beside a critic of next values of actions."""
    if any(each.kind != STATE_VALUES and each.gamma is not None for each in values):
        for name in names[:1]:
            yield RecoveredFlaw(kind=SHARED_TARGET, head=name, count=len(names), of=len(names))


def _fit_rates(fast: Mapping[int, Array], slow: Mapping[int, Array]) -> list[float] | None:
    """The rate of each step between two looks at which the fast network moved; None where a step has none."""
    steps = sorted(set(fast) & set(slow))
    rates = []
    for before, after in itertools.pairwise(steps):
        one, other, goal = (np.asarray(each, np.float64) for each in (slow[before], slow[after], fast[after]))
        way = goal - one
        size = float(way @ way) if way.shape == other.shape else 0.0
        if np.array_equal(fast[before], fast[after]) or size == 0.0:
            continue
        rate = float(way @ (other - one)) / size
        if float(np.abs(other - one - rate * way).max()) > EXACTLY * float(np.abs(way).max()):
            return None
        rates.append(rate)
    return rates
