"""A reading of a growing file as bytes, and the reading again: what was taken in so far, of known kinds alone.

Nothing is unpickled: a reading is made again of plain values and of the classes listed here, whatever the bytes say.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.gaps import Gap
from weaklink.base.evidence.lines import LineDamage
from weaklink.base.evidence.merging import PointMerger, SeriesPoints
from weaklink.base.evidence.ranks import RankLook
from weaklink.base.evidence.series import SeriesBuilder
from weaklink.base.evidence.snapshots import EpisodeTrace, EvenSampler, MetricHistogram, Snapshots
from weaklink.base.evidence.surveyed import SurveyedEnvironment
from weaklink.base.finding import Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.readers._lot import ColumnLot
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers._tfrecord import RecordFaults
from weaklink.collect.readers.csv_table import CsvTable, TableShape
from weaklink.collect.readers.json_lines import JsonLinesReading
from weaklink.collect.readers.raw import RawLog
from weaklink.collect.readers.recording import RecordedLog, RecordingReading
from weaklink.collect.readers.tensorboard import EventsReading

KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        RecordingReading, JsonLinesReading, CsvTable, EventsReading, RawLog, RecordedLog, LogRows, ColumnLot,
        TableShape, RecordFaults, SeriesBuilder, PointMerger, SeriesPoints, LineDamage, Snapshots, EvenSampler,
        MetricHistogram, EpisodeTrace, Gap, RankLook, SurveyedEnvironment, Finding, Evidence, Level, Link,
    )
}  # fmt: skip
"""All that a reading is made of, beside plain values and arrays."""

PLAIN = (type(None), bool, int, float, str, bytes)


class CannotFreeze(Exception):
    """Something in a reading is of no known kind."""


def freeze(reading: object) -> bytes:
    """A reading as bytes.

    Raises:
        CannotFreeze: something in it is of no known kind.
    """
    packer = _Packer()
    root = packer.pack(reading)
    try:
        return msgspec.msgpack.encode((packer.arrays, packer.things, root))
    except (TypeError, OverflowError, RecursionError) as error:
        raise CannotFreeze(str(error)) from error


def thaw(content: bytes) -> Any:
    """The reading that was frozen.

    Raises:
        ValueError: these bytes hold none.
    """
    try:
        arrays, things, root = msgspec.msgpack.decode(content)
        return _Unpacker(arrays, things).unpack(root)
    except (msgspec.MsgspecError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"no reading: {error}") from error


class _Packer:
    """Makes plain lists of a reading. What is met twice is written once: objects by who they are, arrays by content."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.things: list[Any] = []
        self._known_arrays: dict[tuple[bytes, str, tuple[int, ...]], int] = {}
        self._known_things: dict[int, int] = {}

    def pack(self, value: Any) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind in (list, tuple):
            return [kind.__name__, [self.pack(part) for part in value]]
        if kind is dict:
            return ["dict", [[self.pack(key), self.pack(part)] for key, part in value.items()]]
        if kind is np.ndarray and value.dtype.kind in "fiub":
            return ["array", self._pack_array(value)]
        if KINDS.get(kind.__name__) is not kind:
            raise CannotFreeze(f"{kind.__name__} cannot be kept")
        return ["thing", self._pack_thing(value, kind)]

    def _pack_array(self, array: np.ndarray[Any, Any]) -> int:
        content = (array.tobytes(), array.dtype.str, array.shape)
        if content not in self._known_arrays:
            self._known_arrays[content] = len(self.arrays)
            self.arrays.append(content)
        return self._known_arrays[content]

    def _pack_thing(self, thing: Any, kind: type[Any]) -> int:
        if id(thing) not in self._known_things:
            number = self._known_things[id(thing)] = len(self.things)
            self.things.append(None)
            self.things[number] = [kind.__name__, [[name, self.pack(part)] for name, part in _list_parts(thing)]]
        return self._known_things[id(thing)]


def _list_parts(thing: Any) -> list[tuple[str, Any]]:
    if isinstance(thing, Enum):
        return [("value", thing.value)]
    if isinstance(thing, msgspec.Struct):
        return [(name, getattr(thing, name)) for name in thing.__struct_fields__]
    if isinstance(thing, SeriesPoints):
        return list(thing._asdict().items())
    return list(vars(thing).items())


class _Unpacker:
    """Makes a reading of plain lists."""

    def __init__(self, arrays: list[Any], things: list[Any]) -> None:
        self._arrays = [np.frombuffer(data, kind).reshape(shape).copy() for data, kind, shape in arrays]
        self._packed = things
        self._things: dict[int, Any] = {}

    def unpack(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        kind, content = value
        if kind == "array":
            return self._arrays[content]
        if kind == "thing":
            return self._unpack_thing(content)
        if kind == "dict":
            return {self.unpack(key): self.unpack(part) for key, part in content}
        parts = [self.unpack(part) for part in content]
        return tuple(parts) if kind == "tuple" else parts

    def _unpack_thing(self, number: int) -> Any:
        if number in self._things:
            return self._things[number]
        name, packed = self._packed[number]
        kind = KINDS[name]
        if issubclass(kind, Enum | msgspec.Struct | tuple):
            parts = {part: self.unpack(value) for part, value in packed}
            return self._things.setdefault(number, kind(**parts))
        thing = self._things[number] = object.__new__(kind)  # before its parts, which may refer to it
        for part, value in packed:
            object.__setattr__(thing, part, self.unpack(value))
        return thing
