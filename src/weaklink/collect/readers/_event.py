"""Where an event of TensorBoard, a protocol buffer, keeps its numbers.

Events that log the same tags have the same bytes but for the time, the step and the values, so an event is
described by the places of those: what is learnt from one then reads thousands.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weaklink.collect.readers._protobuf import BYTES, VARINT, MessageField, read_fields, read_varint

# A number's place tells its form by a code of the struct module (numpy has the same ones) or by one of these.
AS_VARINT, AS_HALF_BITS, AS_NOTHING = "varint", "half bits", "nothing"

_CODES = dict(zip((1, 2, 3, 4, 5, 6, 9, 10, 17, 19, 22, 23), "fdiBhbq?HeIQ", strict=True))
_STRING = 7
_VALUE_FIELDS = {
    5: "f",
    6: "d",
    7: AS_VARINT,
    10: AS_VARINT,
    11: AS_VARINT,
    13: AS_HALF_BITS,
    16: AS_VARINT,
    17: AS_VARINT,
}


class NumberPlace(NamedTuple):
    """Where a number lies in an event, and in which form."""

    start: int
    end: int
    form: str


NOWHERE = NumberPlace(0, 0, AS_NOTHING)


@dataclass(slots=True)
class LoggedEvent:
    """The places of an event's time, step and numbers by tag, and the texts and settings that it carries."""

    time: NumberPlace = NOWHERE
    step: NumberPlace = NOWHERE
    numbers: list[tuple[str, NumberPlace]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def fixed_bits(self, length: int, width: int) -> NDArray[np.uint8]:
        """The bits that all events of this layout share, zero from the event's length to the row's width."""
        bits = np.zeros(width, np.uint8)
        bits[:length] = 0xFF
        for place in (self.time, self.step, *(place for _, place in self.numbers)):
            bits[place.start : place.end] = 0x80 if place.form in (AS_VARINT, AS_HALF_BITS) else 0
        return bits


class EventLayouts:
    """The layouts met so far, by which an event like an earlier one is known without parsing it again."""

    _MOST_LENGTHS, _MOST_PER_LENGTH = 4096, 32

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[int, int, LoggedEvent]]] = {}

    def event(self, data: bytes) -> LoggedEvent:
        """The places of an event's numbers; raises Malformed where the bytes are no event."""
        number = int.from_bytes(data, "little")
        for mask, fixed, event in self._known.get(len(data), ()):
            if number & mask == fixed:
                return event
        event = parse_event(data)
        if event.numbers and not event.texts and not event.settings:
            mask = int.from_bytes(event.fixed_bits(len(data), len(data)).tobytes(), "little")
            self._keep(len(data), (mask, number & mask, event))
        return event

    def _keep(self, length: int, layout: tuple[int, int, LoggedEvent]) -> None:
        if len(self._known) >= self._MOST_LENGTHS:
            self._known.clear()
        alike = self._known.setdefault(length, [])
        alike.insert(0, layout)
        del alike[self._MOST_PER_LENGTH :]


def parse_event(data: bytes) -> LoggedEvent:
    """Finds the numbers and texts of an event; raises Malformed where the bytes are none."""
    event = LoggedEvent()
    for part in read_fields(data, 0, len(data)):
        match part.number, part.wire:
            case 1, 1:
                event.time = NumberPlace(part.start, part.end, "d")
            case 2, 0:
                event.step = NumberPlace(part.start, part.end, AS_VARINT)
            case 5, 2:
                for value in read_fields(data, part.start, part.end):
                    if value.number == 1 and value.wire == BYTES:
                        _read_value(data, value, event)
    return event


def read_number(data: bytes, place: NumberPlace) -> float:
    """The number at a place of one event."""
    if place.form == AS_NOTHING:
        return 0.0
    if place.form == AS_VARINT:
        value = read_varint(data, place.start, place.end)[0]
        return float(value - (1 << 64) if value >> 63 else value)
    if place.form == AS_HALF_BITS:
        bits = read_varint(data, place.start, place.end)[0] & 0xFFFF
        return float(struct.unpack("<e", bits.to_bytes(2, "little"))[0])
    return float(struct.unpack_from("<" + place.form, data, place.start)[0])


def read_numbers(rows: NDArray[np.uint8], place: NumberPlace) -> NDArray[np.float64]:
    """The numbers at the same place of many events, one event a row."""
    if place.form == AS_NOTHING:
        return np.zeros(len(rows))
    columns = rows[:, place.start : place.end]
    with np.errstate(invalid="ignore"):
        if place.form not in (AS_VARINT, AS_HALF_BITS):
            return np.ascontiguousarray(columns).view("<" + place.form)[:, 0].astype(np.float64)
        total = np.zeros(len(rows), np.uint64)
        for index in range(columns.shape[1]):
            total |= (columns[:, index] & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * index)
        if place.form == AS_HALF_BITS:
            return total.astype(np.uint16).view(np.float16).astype(np.float64)
    return total.view(np.int64).astype(np.float64)


def _read_value(data: bytes, value: MessageField, event: LoggedEvent) -> None:
    tag, plugin = "", ""
    place: NumberPlace | None = None
    texts: list[str] = []
    for part in read_fields(data, value.start, value.end):
        match part.number, part.wire:
            case 1, 2:
                tag = _read_text(data, part)
            case 2, 5:
                place = NumberPlace(part.start, part.end, "f")
            case 8, 2:
                place, texts = _read_tensor(data, part)
            case 9, 2:
                plugin, content = _read_plugin(data, part)
                if plugin == "hparams" and content is not None:
                    event.settings.update(_read_session_settings(data, content))
    if tag and place is not None and plugin != "hparams":
        event.numbers.append((tag, place))
    if texts and (plugin == "text" or (not plugin and tag.endswith("/text_summary"))):
        event.texts.append((tag, "\n".join(texts)))


def _read_tensor(data: bytes, tensor: MessageField) -> tuple[NumberPlace | None, list[str]]:
    """The place of a tensor's only number, or the strings of a tensor of strings."""
    kind, single = 0, True
    place: NumberPlace | None = None
    strings: list[MessageField] = []
    for part in read_fields(data, tensor.start, tensor.end):
        if part.number == 1 and part.wire == VARINT:
            kind = read_varint(data, part.start, part.end)[0]
        elif part.number == 2 and part.wire == BYTES:
            single = _is_single(data, part)
        elif part.number == 4 and part.wire == BYTES:
            place = NumberPlace(part.start, part.end, "")
        elif part.number == 8 and part.wire == BYTES:
            strings.append(part)
        elif part.number in _VALUE_FIELDS:
            place = NumberPlace(part.start, part.end, _VALUE_FIELDS[part.number])
    if kind == _STRING:
        return None, [_read_text(data, part) for part in strings]
    code = _CODES.get(kind)
    if code is None or not single:
        return None, []
    if place is None:
        return NOWHERE, []  # a zero may be left out
    place = place if place.form else place._replace(form=code)
    return (place if _is_one_number(data, place) else None), []


def _is_one_number(data: bytes, place: NumberPlace) -> bool:
    if place.form in (AS_VARINT, AS_HALF_BITS):
        return place.end > place.start and read_varint(data, place.start, place.end)[1] == place.end
    return place.end - place.start == struct.calcsize("<" + place.form)


def _is_single(data: bytes, shape: MessageField) -> bool:
    for dimension in read_fields(data, shape.start, shape.end):
        if dimension.number == 2 and dimension.wire == BYTES:
            sizes = [part for part in read_fields(data, dimension.start, dimension.end) if part[:2] == (1, VARINT)]
            if not sizes or read_varint(data, sizes[-1].start, sizes[-1].end)[0] != 1:
                return False
    return True


def _read_plugin(data: bytes, metadata: MessageField) -> tuple[str, MessageField | None]:
    name, content = "", None
    for plugin in read_fields(data, metadata.start, metadata.end):
        if plugin.number == 1 and plugin.wire == BYTES:
            for part in read_fields(data, plugin.start, plugin.end):
                if part.number == 1 and part.wire == BYTES:
                    name = _read_text(data, part)
                elif part.number == 2 and part.wire == BYTES:
                    content = part
    return name, content


def _read_session_settings(data: bytes, content: MessageField) -> dict[str, Any]:
    """The hyper-parameters that the hparams plugin keeps with the start of a session."""
    settings: dict[str, Any] = {}
    for session in read_fields(data, content.start, content.end):
        if session.number == 3 and session.wire == BYTES:
            for entry in read_fields(data, session.start, session.end):
                if entry.number == 1 and entry.wire == BYTES:
                    settings.update(_read_setting(data, entry))
    return settings


def _read_setting(data: bytes, entry: MessageField) -> dict[str, Any]:
    name = ""
    value: float | str | bool | None = None
    for part in read_fields(data, entry.start, entry.end):
        if part.number == 1 and part.wire == BYTES:
            name = _read_text(data, part)
        elif part.number == 2 and part.wire == BYTES:
            for held in read_fields(data, part.start, part.end):
                match held.number, held.wire:
                    case 2, 1:
                        value = read_number(data, NumberPlace(held.start, held.end, "d"))
                    case 3, 2:
                        value = _read_text(data, held)
                    case 4, 0:
                        value = bool(read_varint(data, held.start, held.end)[0])
    return {name: value} if name and value is not None else {}


def _read_text(data: bytes, part: MessageField) -> str:
    return data[part.start : part.end].decode("utf-8", "replace")
