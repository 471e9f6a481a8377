"""The value of each action by what a head of action values puts out: a number an action, or a distribution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weaklink.base.evidence.recovered import ACTION_VALUES, ATOMS, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.value_distributions import find_blocks


def make_scorer(reading: UpdateReading, critic: RecoveredValues) -> Callable[[Array], Array] | None:
    """From (n, outputs) of a head to (n, actions) by which actions are compared; None where it is not known how.

    Atoms rise, so that their number stands for what they are worth.
    """
    if critic.kind == ACTION_VALUES:
        return np.asarray
    joined, choices = join_calls(reading.of_head(critic.head)), reading.tape.choices
    blocks = find_blocks(joined.asked, choices) if choices > 1 and joined.outputs.shape[1] % choices == 0 else None
    if blocks is None:
        return None

    def score(outputs: Array) -> Array:
        tables = blocks.shape(np.asarray(outputs, np.float64))
        if critic.kind == ATOMS:
            return np.asarray(np.exp(log_softmax(tables)) @ np.arange(tables.shape[2]))
        return np.asarray(tables.mean(axis=2))

    return score
