"""What of an update could not be read: a loop is called healthy only for what its losses were seen to ask for.

An update is read whole where the rows of every head are on the tape, every critic's targets follow an estimator that is
known, every policy's weights follow its advantages, what targets go on with at terminal steps is known, and critics of
actions are given those that were taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import (
    ACTION_CRITIC,
    STATE_VALUES,
    TERMINAL,
    RecoveredPolicy,
    RecoveredUpdate,
    RecoveredValues,
)
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.replayed_rows import are_taken
from weaklink.collect.monitor.reading.side_by_side import JOINT
from weaklink.collect.monitor.reading.tape_rows import read_actions

MOSTLY, REPLAYED = 0.9, 0.25
"""The share of a head's rows that must be on the tape; of replayed ones fewer are: those that repeat have no place."""

FOLLOWS = 0.99
"""The correlation of weights and advantages from which on nothing else can have a part in them."""

EXPLAINED = 0.05
"""What the actions that were taken may leave of a policy's gradients."""

FEWEST_ENDS = 3
"""Terminal steps from which on what targets go on with there can be told."""


def list_unread(reading: UpdateReading, found: RecoveredUpdate) -> tuple[str, ...]:
    """What was not read of an update, a sentence each; empty where it was read whole."""
    return (
        *_list_lost(reading, found),
        *_list_unknown(reading, found),
        *(each for values in found.values for each in _list_targets(reading, values)),
        *_list_actions(reading, found),
        *(each for policy in found.policies for each in _list_weights(policy)),
    )


def _list_lost(reading: UpdateReading, found: RecoveredUpdate) -> Iterator[str]:
    replayed = {each.head for each in found.values if each.kind != STATE_VALUES and each.gamma is not None}
    for head in reading.heads:
        rows = np.concatenate([call.rows for call in reading.of_head(head)])
        if len(rows) and np.mean(rows != UNMATCHED) < (REPLAYED if head in replayed or found.climbs else MOSTLY):
            yield f"the rows that {head} learns from were not found among what was collected"


def _list_unknown(reading: UpdateReading, found: RecoveredUpdate) -> Iterator[str]:
    """Heads of which nothing was worked out; an actor beside a critic that is climbed has its loss there."""
    told = (found.values, found.policies, found.climbs, found.flaws)
    known = {head for part in told for each in part for head in str(getattr(each, "head", "")).split(JOINT)}
    climbed = {call.head for call in reading.calls if call.climbed}
    learned = {call.head for call in reading.calls if call.head in climbed and not call.climbed}
    read = {each.head for each in found.values}
    for head in reading.heads:
        acts = bool(climbed or found.climbs) and head not in climbed
        if (head not in known and not acts) or head in learned - read:  # a critic has a loss of its own, too
            yield f"what the loss asks of {head} is none that is known"


def _list_targets(reading: UpdateReading, values: RecoveredValues) -> Iterator[str]:
    if values.gamma is None and not values.source and not values.all_alike:
        yield f"the targets at {values.head} follow no estimator that is known"
    if values.kind != STATE_VALUES or values.gamma is None:
        return
    rows = np.unique(np.concatenate([call.rows for call in reading.of_head(values.head)]))
    ended = int(np.count_nonzero(np.asarray(reading.tape.terminated, bool)[rows[rows != UNMATCHED]]))
    if ended >= FEWEST_ENDS and not any(end.place == TERMINAL for end in values.ends):
        yield f"what the targets at {values.head} go on with at terminal steps could not be told"


def _list_actions(reading: UpdateReading, found: RecoveredUpdate) -> Iterator[str]:
    """Critics that are given other actions than those taken; what environments do with one is not always what is
    stored."""
    critics = [each.head for each in found.values if each.kind == ACTION_CRITIC]
    for head in critics:
        if not are_taken(reading, head, read_actions(reading.tape)):
            yield f"the actions that {head} is given are not those that were taken"


def _list_weights(policy: RecoveredPolicy) -> Iterator[str]:
    if policy.unexplained is not None and policy.unexplained > EXPLAINED:
        yield f"the loss at {policy.head} scores other actions than those that were taken"
    elif not policy.ends and (policy.correlation is None or abs(policy.correlation) < FOLLOWS):
        yield f"the weights of actions at {policy.head} follow the advantages of no estimator that is known"
