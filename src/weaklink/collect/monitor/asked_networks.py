"""Networks that are asked and not trained, followed from the first update that was read to the end of the run.

A target network and a copy that acts are written to now and then. One that is the same at the end as at the
beginning, while the network that it is a copy of learned all the while, never was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.flaw_kinds import IDLE_ACTOR, IDLE_TARGET, SLOW_ACTOR
from weaklink.base.evidence.recovered import ACTION_CRITIC, OF_EACH_ACTION, RecoveredFlaw, RecoveredUpdate
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading, is_part
from weaklink.collect.monitor.reading.tape_rows import list_bootstrapped

FEWEST_STEPS = 1_000
"""Optimizer steps without a change from which on a copy counts as forgotten: full copies of DQN are at most a few
thousand steps apart, and a run that ends before the first one had none."""

FEWEST_UPDATES = 64
"""Updates without a change from which on a copy that acts does, where a policy learns from what it has just played:
actors of V-trace lie a few updates behind."""

FEWEST_ROWS = 8
"""Steps of an update at which a copy must have been asked what to do: with epsilon near 1 hardly any is."""


HARDLY, CLEARLY = 0.02, 0.5
"""The share of its size by which a layer that acts must move, and by which one that learns beside it has moved."""


class FirstSight(NamedTuple):
    """The weights of a layer when it was first seen, and the optimizer steps that had been made by then."""

    weights: Array
    taken: int


class AskedNetworks:
    """The layers that answer and do not learn, by name, with what they are asked for."""

    def __init__(self) -> None:
        self._seen: dict[str, FirstSight] = {}
        self._changed: dict[str, FirstSight] = {}
        self._learning: set[str] = set()
        self._roles: dict[str, str] = {}
        self._climbing: set[str] = set()
        self._patience: dict[str, int] = {}

    def note(self, reading: UpdateReading, read: RecoveredUpdate, taken: int) -> None:
        """Takes an update that was read.

        Args:
            reading: the update.
            read: what was worked out of it.
            taken: optimizer steps of the run so far.
        """
        for trace in reading.layers:
            self._seen.setdefault(trace.head, FirstSight(trace.weights, taken))
            since = self._changed.get(trace.head)
            if since is None or not np.array_equal(since.weights, trace.weights):
                self._changed[trace.head] = FirstSight(trace.weights, taken)
            if trace.learns:
                self._learning.add(trace.head)
        replayed = {each.head for each in read.values if each.kind in (*OF_EACH_ACTION, ACTION_CRITIC) and each.gamma}
        for call in (each for each in reading.calls if each.head in replayed and not each.climbed):
            for answer in list_bootstrapped(reading, call):
                self._roles.setdefault(answer.head, IDLE_TARGET)
        for head in _list_acting(reading):
            self._roles[head] = IDLE_ACTOR
            if read.policies:
                self._patience[head] = min(FEWEST_STEPS, FEWEST_UPDATES * max(reading.steps, 1))
        steps = {call.step for call in reading.calls if call.climbed}
        self._climbing.update(call.head for call in reading.calls if call.step in steps and not call.climbed)

    def find_idle(self, now: Mapping[str, Array], taken: int) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """The copies that have not changed since they were first seen, and the kinds of which one would have shown.

        Args:
            now: the weights of layers at the end, by name.
            taken: optimizer steps of the run so far.
        """
        flaws: dict[str, RecoveredFlaw] = {}
        looked = set[str]()
        sizes = {len(self._seen[head].weights) for head in self._learning}
        for head in sorted((self._seen.keys() & now.keys()) - self._learning):
            for name, kind in self._roles.items():
                # a first copy of a target network may be late, a last one of a policy that acts may not be early
                sight = self._changed[head] if name in self._patience else self._seen[head]
                steps, size = taken - sight.taken, len(sight.weights)
                if not is_part(head, name) or size not in sizes or steps < self._patience.get(name, FEWEST_STEPS):
                    continue
                looked.add(kind)
                if np.array_equal(now[head], sight.weights):
                    flaws.setdefault(kind, RecoveredFlaw(kind=kind, head=head, count=steps, of=steps))
        slow = self._find_slow(now, taken)
        return (*flaws.values(), *slow), frozenset(looked | ({SLOW_ACTOR} if self._climbing else set()))

    def _find_slow(self, now: Mapping[str, Array], taken: int) -> list[RecoveredFlaw]:
        """Actors that climb a critic and hardly moved in all that time, while another network that learns did."""
        moved = {
            head: float(np.linalg.norm(now[head] - sight.weights)) / max(float(np.linalg.norm(sight.weights)), 1e-30)
            for head, sight in self._seen.items()
            if head in self._learning and head in now and taken - sight.taken >= FEWEST_STEPS
        }
        slow = sorted((moved[head], head) for head in self._climbing if head in moved)
        fast = max((share for head, share in moved.items() if head not in self._climbing), default=0.0)
        if not slow or slow[-1][0] >= HARDLY or fast < CLEARLY:
            return []
        return [RecoveredFlaw(kind=SLOW_ACTOR, head=slow[-1][1], count=taken, of=taken, number=slow[-1][0], other=fast)]


def _list_acting(reading: UpdateReading) -> list[str]:
    """Heads that nothing was learned at and that were asked about steps just before they were made."""
    stamps = reading.tape.stamps
    asked: dict[str, set[int]] = {}
    for answer in reading.answers:
        there = answer.rows[answer.rows != UNMATCHED]
        asked.setdefault(answer.head, set()).update(there[stamps[there] == answer.stamp].tolist())
    acting = [head for head, rows in asked.items() if len(rows) >= FEWEST_ROWS]
    return [] if set(acting) & set(reading.heads) else acting
