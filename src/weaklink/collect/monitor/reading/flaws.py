"""All that a replay trainer does and must not do, and what of it would have shown."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.recovered import (
    ACTION_CRITIC,
    ACTION_LAG,
    ACTION_VALUES,
    CUT_OBSERVATIONS,
    ENTROPY_SIGN,
    LOST_RESETS,
    NEVER_COLLECTED,
    NO_NOISE,
    NO_TARGET_LAG,
    OTHER_ACTIONS,
    REWARD_LAG,
    REWARD_LOST,
    REWARD_SIGN,
    TARGET_ENTROPY,
    TEMPERATURE_SIGN,
    THROUGH_TARGET,
    UNCORRECTED_LOG_PROB,
    UNREACHED_ACTOR,
    RecoveredFlaw,
    RecoveredValues,
)
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.acting import find_missing_noise
from weaklink.collect.monitor.reading.actors import find_temperature_flaws, find_unreached
from weaklink.collect.monitor.reading.replayed_rows import find_row_flaws
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.target_networks import find_target_flaws

OF_TARGETS = (THROUGH_TARGET, REWARD_LAG, REWARD_SIGN, REWARD_LOST, NO_TARGET_LAG)
OF_ROWS = (ACTION_LAG, OTHER_ACTIONS, NEVER_COLLECTED, CUT_OBSERVATIONS, LOST_RESETS)
OF_SOFT = (ENTROPY_SIGN, UNCORRECTED_LOG_PROB)
OF_TEMPERATURES = (TEMPERATURE_SIGN, TARGET_ENTROPY)


def find_flaws(
    reading: UpdateReading, taken: TakenActions, critics: Sequence[RecoveredValues]
) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
    """The flaws of an update, and the kinds of which one would have shown.

    Args:
        reading: of the update.
        taken: the actions of the tape.
        critics: all heads of values.
    """
    replayed = [each for each in critics if each.kind in (ACTION_VALUES, ACTION_CRITIC)]
    known = [each.head for each in replayed if each.gamma is not None]
    calls = {head: [call for call in reading.of_head(head) if not call.climbed] for head in known}
    temperatures, told = find_temperature_flaws(reading)
    lagging = (
        RecoveredFlaw(kind=ACTION_LAG, head=each.head, count=each.compared, of=each.compared, number=each.lag)
        for each in replayed
        if each.lag
    )
    flaws = (
        *lagging,
        *find_row_flaws(reading, taken),
        *find_target_flaws(reading, calls),
        *find_unreached(reading),
        *find_missing_noise(reading, taken),
        *temperatures,
    )
    climbed = any(call.climbed for call in reading.calls)
    looked = (
        *(OF_ROWS if replayed else ()),
        *(OF_TARGETS if known else ()),
        *(OF_SOFT if any(each.soft is not None for each in replayed) else ()),
        *((UNREACHED_ACTOR, NO_NOISE) if climbed else ()),
        *(OF_TEMPERATURES if told else ()),
    )
    return flaws, frozenset(looked)
