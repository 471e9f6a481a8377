"""Next actions that an actor was asked for at the observations of the rows themselves, not at those that followed.

The critics are asked what such an action is worth at the next observation, so that their answers look right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import ACTION_FOR_OWN
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.tape_rows import TakenActions, find_beside, find_following, find_unplaced

FEWEST = 32
"""Rows that must show it, as all rows must that tell."""


def find_own_actions(reading: UpdateReading, taken: TakenActions) -> Iterator[RecoveredFlaw]:
    """Critics of actions whose next actions no actor was asked for at the next observations, and one at their own.

    An actor that was asked about anything else that is not on the tape may have been asked for them there.
    """
    if taken.discrete:
        return
    dimensions = taken.table.shape[1]
    width = reading.tape.observations.shape[1] + dimensions
    critics = (call for call in reading.calls if call.outputs.shape[1] == 1 and call.inputs.shape[1] == width)
    wrong, told, head = 0, 0, ""
    for call in (each for each in critics if not each.climbed):
        following = find_following(reading, call)
        judged = [each for each in following if each.inputs.shape[1] == width]
        if not judged or np.array_equal(judged[0].inputs[:, -dimensions:], call.inputs[:, -dimensions:]):
            continue
        elsewhere = len(following) > len(judged) or bool(find_unplaced(reading, call))
        own = [each for each in find_beside(reading, call) if each.outputs.shape[1] in (dimensions, 2 * dimensions)]
        told, head = told + len(call.rows), head or call.head
        wrong += len(call.rows) if not elsewhere and any(each.inputs.shape[1] != width for each in own) else 0
    if wrong >= FEWEST and wrong == told:
        yield RecoveredFlaw(kind=ACTION_FOR_OWN, head=head, count=wrong, of=told)
