"""Numbers of states of which several stand for the network as one and the same input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import MERGED_STATES
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading


def find_merged_states(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """Fewer different inputs than states that the environment was in; none where its observations are no numbers."""
    tape = reading.tape
    if tape.states is None or not reading.heads:
        return
    states, inputs = len(np.unique(tape.states)), len(np.unique(tape.observations, axis=0))
    if inputs < states:
        yield RecoveredFlaw(kind=MERGED_STATES, head=reading.heads[0], count=inputs, of=states)
