"""What environments really give and are given: a stream for each of them, and tapes of those that go in step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from weaklink.adapters.gymnasium.tape_stream import TapeStream
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape

FAULTS = (TypeError, ValueError, KeyError, IndexError, AttributeError)
"""What an environment with a form of its own leads to."""


MOST_GONE = 16
"""Environments that are remembered after they are gone: an update may still learn from their steps."""


class TapeRecorder:
    """The streams of all environments that are stepped while it listens.

    Attributes:
        on_step: called before every outermost step, by which it is known that learning is over.
        on_switch: called after a step that is trained with where the one before was not, or the other way round.
        count: steps of all environments together so far.
        resting: whether steps are counted and not kept.
        left_out: what could not be written down, a sentence each.
    """

    def __init__(self) -> None:
        self.on_step: Callable[[], object] = _do_nothing
        self.on_switch: Callable[[TapeStream], object] = _stay
        self._trains = False
        self.count = 0
        self.resting = False
        self.left_out: set[str] = set()
        self._streams: dict[int, TapeStream] = {}

    def reset(self, env: Any, result: Any, *, vector: bool, seed: Any = None) -> None:
        """Takes what `env.reset` gave, and the seed that it was given."""
        stream = self._find(env, vector)
        try:
            stream.count_reset(env, seed)
            if not self.resting:
                stream.begin(*result[:2]) if isinstance(result, tuple) else stream.begin(result)
        except FAULTS as error:
            self._give_up(stream, error)

    def step(self, env: Any, action: Any, result: Any, *, vector: bool) -> None:
        """Takes what `env.step` gave."""
        stream = self._streams.get(id(env))
        if stream is None or stream.env() is not env:
            stream = self._find(env, vector)
        stamp, self.count = self.count, self.count + 1
        if stream.unread:
            return
        if self.resting:
            stream.pass_over()
        else:
            try:
                stream.add(action, result, stamp)
            except FAULTS as error:
                self._give_up(stream, error)
        if stream.trains is not self._trains:
            self._trains = stream.trains
            self.on_switch(stream)

    def _find(self, env: Any, vector: bool) -> TapeStream:
        stream = self._streams.get(id(env))
        if stream is None or stream.env() is not env:
            self._forget_gone()
            stream = self._streams[id(env)] = TapeStream(env, vector=vector)
        return stream

    def _forget_gone(self) -> None:
        """Lets go of environments that are no longer there, but for the newest: some loops make one an evaluation."""
        gone = [place for place, stream in list(self._streams.items()) if stream.env() is None]
        for place in gone[:-MOST_GONE]:
            del self._streams[place]

    def _give_up(self, stream: TapeStream, error: Exception) -> None:
        stream.unread = f"{type(error).__name__}: {str(error)[:100]}"
        self.left_out.add(f"The steps of {stream.name} could not be written down ({stream.unread}).")

    @property
    def steps(self) -> dict[int, int]:
        """How many steps each environment has made, by its identity."""
        return {place: stream.steps for place, stream in list(self._streams.items())}

    def count_ends(self, since: Mapping[int, int]) -> Array:
        """(2,) how many steps since then were terminal, and how many a time limit cut, as far as they are kept."""
        counts = [
            stream.count_ends(stream.steps - since.get(place, 0))
            for place, stream in list(self._streams.items())
            if not stream.unread
        ]
        return np.asarray(np.sum(counts, axis=0, dtype=np.int64)) if counts else np.zeros(2, np.int64)

    def read(self, since: Mapping[int, int] | None = None) -> tuple[Tape, ...]:
        """The tapes of environments that were stepped since then; single ones that go in step are one tape.

        Args:
            since: what `steps` gave at the beginning; None for all that is kept.
        """
        groups: dict[tuple[Any, ...], list[tuple[TapeStream, int | None]]] = {}
        for place, stream in list(self._streams.items()):
            fresh = None if since is None else stream.steps - since.get(place, 0)
            if fresh != 0 and stream.steps and not stream.unread:
                alone = (place,) if stream.vector else (stream.name, stream.steps, fresh)
                groups.setdefault(alone, []).append((stream, fresh))
        tapes = (self._join([stream for stream, _ in group], group[0][1]) for group in groups.values())
        return tuple(tape for tape in tapes if tape is not None)

    def read_stream(self, stream: TapeStream, since: int) -> Tape | None:
        """The tape of one environment alone, from this one of its steps on."""
        return self._join([stream], stream.steps - since) if stream.steps > since and not stream.unread else None

    def read_training(self, since: Mapping[int, int]) -> Tape | None:
        """The tape of the environments that are trained in, as far as all of them have come since then."""
        streams = [each for each in self._list_alive() if each.trains and not each.unread]
        fresh = [stream.steps - since.get(id(stream.env()), 0) for stream in streams]
        most = min(fresh, default=0)
        return self._join(streams, most, [each - most for each in fresh]) if most else None

    def mark_training(self, tape: Tape) -> None:
        """Takes note that an update learned from a tape."""
        for place in tape.places:
            if place in self._streams:
                self._streams[place].trains = self._trains = True

    def expect_training(self) -> None:
        """Has a step of an environment that is not trained in count as a switch, whatever was stepped before."""
        self._trains = True

    def find_training(self) -> TapeStream | None:
        """An environment that is trained in and still there, where one is known."""
        return next((each for each in self._list_alive() if each.trains), None)

    def find_beside(self, name: str) -> TapeStream | None:
        """An environment of this class that was stepped and is not known to be trained in."""
        return next((each for each in self._list_alive() if not each.trains and each.steps and each.name == name), None)

    def _list_alive(self) -> list[TapeStream]:
        return [stream for stream in list(self._streams.values()) if stream.env() is not None]

    def _join(
        self, streams: Sequence[TapeStream], steps: int | None, newer: Sequence[int] | None = None
    ) -> Tape | None:
        try:
            return _join(streams, steps, newer or [0] * len(streams))
        except FAULTS as error:  # rows of different lengths, say
            for stream in streams:
                self._give_up(stream, error)
            return None


def _do_nothing() -> None:
    """Before a step where nobody asked for more."""


def _stay(stream: TapeStream) -> None:
    """After a step where nobody asked for more."""


def _join(streams: Sequence[TapeStream], steps: int | None, newer: Sequence[int]) -> Tape | None:
    """The tape of streams that go in step: time by time, member by member.

    Args:
        streams: of the environments.
        steps: how many of the newest; None for all.
        newer: how many steps each is ahead, which are left out.
    """
    parts = [stream.read(steps, ahead) for stream, ahead in zip(streams, newer, strict=True)]
    times = min((len(part["rewards"]) if part else 0) for part in parts)
    if not times or len({part["observations"].shape[2:] for part in parts}) > 1:
        return None
    names = [name for name in parts[0] if all(name in part for part in parts)]
    columns = {name: np.concatenate([part[name][-times:] for part in parts], axis=1) for name in names}
    return Tape(
        **{name: column.reshape(-1, *column.shape[2:]) for name, column in columns.items()},
        members=sum(stream.members for stream in streams),
        first=streams[0].steps - times,
        environment=streams[0].name,
        begun=sum(stream.begun for stream in streams),
        reseeded=sum(stream.reseeded for stream in streams),
        bounds=streams[0].bounds,
        choices=streams[0].choices,
        places=tuple(id(stream.env()) for stream in streams),
    )
