"""The updates of a loop written by hand, read from outside and judged beside what its author hands over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Array, Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.acted_choices import ChoicesTrack
from weaklink.collect.monitor.asked_networks import AskedNetworks
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.fresh_optimizers import FreshOptimizers
from weaklink.collect.monitor.given import copy_estimates
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.loops import WatchedLoop
from weaklink.collect.monitor.mailbox import print_on_stderr
from weaklink.collect.monitor.reading.unread import list_unread
from weaklink.collect.monitor.repeated_draws import RepeatedDraws
from weaklink.collect.monitor.replayed_ages import ReplayedRows
from weaklink.collect.monitor.update_reader import UpdateReader
from weaklink.collect.monitor.watching import MonitorWatcher

PART = "reading updates"

NO_UPDATE = "no update of a network was seen that learns from the environments"


FAILED = "working out what it does failed inside weaklink"


class LoopReading:
    """Reads the updates of one loop, from `begin` to `close`; where nothing is looked at, not at all."""

    def __init__(self, watcher: MonitorWatcher, loop: WatchedLoop, governor: Governor) -> None:
        self._watcher, self._loop, self._governor = watcher, loop, governor
        self._reader: UpdateReader | None = None
        self._handed: Mapping[str, Array] = {}
        self._networks, self._choices, self._replayed = AskedNetworks(), ChoicesTrack(), ReplayedRows()
        self._optimizers, self._draws = FreshOptimizers(), RepeatedDraws()
        self._read = 0

    @property
    def learned_in(self) -> frozenset[int]:
        """The environments whose steps an update was seen to learn from, by their identity; empty where none was."""
        return frozenset() if self._reader is None else self._reader.learned_in

    def begin(self) -> None:
        """Hears environments and networks, as far as their libraries are loaded; again, what was loaded since."""
        if self._watcher.looks_at_first:
            self._watcher.attempt(PART, self._begin)

    def _begin(self) -> None:
        if self._reader is None:
            first = self._watcher.looks_at_first
            self._reader = UpdateReader(self._take, self._watcher.parts, self._governor, first, print_on_stderr)
            self._loop.read_tape = self._reader.read_tape
        self._reader.listen()

    def wrap(self, env: Any) -> Any:
        """An environment that is heard."""
        self.begin()
        reader = self._reader
        wrapped = None if reader is None else self._watcher.attempt("wrapping", lambda: reader.wrap(env))
        return env if wrapped is None else wrapped

    def keep(self, given: Mapping[str, Any]) -> None:
        """Keeps what is handed over with a rollout, to be compared with what its update shows."""
        if self._reader is not None and self._reader.reading:
            self._handed = self._watcher.attempt(PART, lambda: copy_estimates(given)) or {}

    def close(self) -> None:
        """Reads what is under way and listens no longer."""
        reader, self._reader, self._loop.read_tape = self._reader, None, None
        if reader is not None:
            reader.close()
            self._watcher.attempt(PART, lambda: self._judge_course(reader))

    def _take(self, reading: UpdateReading) -> None:
        step = self._watcher.rows.step
        try:
            rollout = assemble_rollout(reading, step, self._watcher.config, self._handed)
        except Exception:  # it is complained about elsewhere, and must not pass for an update that was in order
            self._note(reading.update, [FAILED])
            raise
        self._watcher.take_reading(rollout, told=self._loop.is_told)
        if rollout.recovered is not None:
            self._note(reading.update, list_unread(reading, rollout.recovered))
        if rollout.recovered is not None and self._reader is not None:
            self._networks.note(reading, rollout.recovered, self._reader.taken)
            self._choices.note(rollout.recovered, self._reader.recorder.count)
            self._replayed.note(reading, rollout.recovered)
            self._optimizers.note(reading)
            self._draws.note(reading)

    def _note(self, update: int, left: Sequence[str]) -> None:
        """Writes down what could not be read of an update; where arrays are handed over, these are judged instead."""
        self._read += 1
        if not self._loop.is_told:
            self._watcher.record("reading", {"update": update, "left": list(left)})

    def _judge_course(self, reader: UpdateReader) -> None:
        """At the end: what only the whole run shows, such as copies of networks that nobody ever wrote to."""
        if not self._read and reader.recorder.count:
            self._note(0, [NO_UPDATE])
        idle, asked = self._networks.find_idle(reader.read_layers(), reader.taken)
        random, acted = self._choices.find_flaws(reader.recorder.count)
        evaluated, played = reader.evaluations.find_flaws()
        replayed, drawn = self._replayed.find_flaws()
        fresh, stepped = self._optimizers.find_flaws()
        repeated, seeded = self._draws.find_flaws()
        looked = asked | acted | played | drawn | stepped | seeded
        if looked:
            flaws = (*idle, *random, *evaluated, *replayed, *fresh, *repeated)
            read = RecoveredUpdate(flaws=flaws, looked=looked)
            self._watcher.take_reading(Rollout(step=self._watcher.rows.step, update=0, recovered=read), told=True)
