"""What a network is given, described: each entry's range and course, what is constant, copied or not finite."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import SMALLEST_IMAGE
from weaklink.verbs.debug.minimal.evidence import SeenEntry, SeenPart, SeenPicture

MOST_ENTRIES = 32
MOST_POINTS = 48
MOST_CHANNELS = 4
WIDEST, HIGHEST = 48, 24
"""Characters of a picture; they are twice as high as wide."""

LARGE = 100.0
"""Beyond this, large numbers drown the others and saturate a network's first layer."""

TINY = 1e-9
CONSTANT, NOT_FINITE, BIG = "constant", "not finite", "large"
MOST_COMPARED = 4096
"""Entries among which copies are looked for."""


def describe_part(name: str, from_type: str, rows: Array) -> SeenPart:
    """One part of the observation, from an array with one row a step."""
    shape = tuple(int(edge) for edge in rows.shape[1:])
    pictures = _make_pictures(rows) if _is_image(shape) else ()
    flat = np.asarray(rows, dtype=np.float64).reshape(len(rows), -1)
    notes: list[tuple[str, ...]] = [] if pictures else _note_entries(flat)
    places = _pick_entries(notes) if not pictures else []
    entries = [_make_entry(flat[:, place], _make_label(name, place, flat.shape[1]), notes[place]) for place in places]
    if pictures:
        entries = [_make_entry(flat.reshape(-1), _make_label(name, 0, 1), _note_image(flat))]
    return SeenPart(
        name=name,
        shape=shape,
        from_type=from_type,
        to_type=str(rows.dtype),
        rows=len(rows),
        entries=tuple(entries),
        left_out=0 if pictures else flat.shape[1] - len(entries),
        odd=sum(bool(note) for note in notes) + sum(bool(entry.notes) for entry in entries if pictures),
        pictures=pictures,
    )


def _make_label(name: str, place: int, width: int) -> str:
    return f"{name or 'observation'}[{place}]" if width > 1 else name or "observation"


def _note_entries(flat: Array) -> list[tuple[str, ...]]:
    """What is odd about each entry."""
    first: dict[bytes, int] = {}
    found: list[tuple[str, ...]] = []
    for place in range(flat.shape[1]):
        column = flat[:, place]
        notes = []
        if not np.isfinite(column).all():
            notes.append(NOT_FINITE)
        elif float(np.ptp(column)) <= TINY * max(float(np.abs(column).max()), 1.0):
            notes.append(CONSTANT)
        elif place < MOST_COMPARED:
            twin = first.setdefault(column.tobytes(), place)
            notes += [f"the same as [{twin}]"] if twin != place else []
        if np.isfinite(column).any() and float(np.nanmax(np.abs(column[np.isfinite(column)]))) > LARGE:
            notes.append(BIG)
        found.append(tuple(notes))
    return found


def _note_image(flat: Array) -> tuple[str, ...]:
    if not np.isfinite(flat).all():
        return (NOT_FINITE,)
    return (CONSTANT,) if float(np.ptp(flat)) <= TINY else ()


def _pick_entries(notes: list[tuple[str, ...]]) -> list[int]:
    """The entries to show: all where there are few, else first those that are odd, in the order of the observation."""
    every = range(len(notes))
    if len(notes) <= MOST_ENTRIES:
        return list(every)
    odd = [place for place in every if notes[place]][: MOST_ENTRIES // 2]
    plain = [place for place in every if not notes[place]]
    few = MOST_ENTRIES - len(odd)
    spread = (
        [plain[place] for place in np.linspace(0, len(plain) - 1, min(few, len(plain))).astype(int)] if plain else []
    )
    return sorted({*odd, *spread})


def _make_entry(column: Array, label: str, notes: tuple[str, ...]) -> SeenEntry:
    finite = column[np.isfinite(column)]
    if not len(finite):
        nothing = float("nan")
        return SeenEntry(label=label, low=nothing, mean=nothing, high=nothing, spread=nothing, notes=notes)
    return SeenEntry(
        label=label,
        low=float(finite.min()),
        mean=float(finite.mean()),
        high=float(finite.max()),
        spread=float(finite.std()),
        trace=tuple(
            float(value) for value in finite[np.linspace(0, len(finite) - 1, min(len(finite), MOST_POINTS)).astype(int)]
        ),
        notes=notes,
    )


def _is_image(shape: tuple[int, ...]) -> bool:
    return len(shape) in (2, 3) and sorted(shape)[-2] >= SMALLEST_IMAGE


def _make_pictures(rows: Array) -> tuple[SeenPicture, ...]:
    """The last frame, channel by channel, each made small and stretched from black to white."""
    frame = np.asarray(rows[-1], dtype=np.float64)
    channels = [frame] if frame.ndim == 2 else _split_channels(frame)
    names = [f"channel {place}" for place in range(len(channels))] if len(channels) > 1 else ["the last frame"]
    return tuple(
        SeenPicture(label=name, rows=_shrink(channel))
        for name, channel in zip(names[:MOST_CHANNELS], channels, strict=False)
    )


def _split_channels(frame: Array) -> list[Array]:
    axis = int(np.argmin(frame.shape))
    return [np.asarray(channel) for channel in np.moveaxis(frame, axis, 0)]


def _shrink(channel: Array) -> tuple[tuple[int, ...], ...]:
    channel = np.nan_to_num(channel)
    high, wide = channel.shape
    width = min(wide, WIDEST)
    height = max(1, min(HIGHEST, round(high * width / wide / 2)))
    rows = np.array_split(channel, height, axis=0)
    blocks = np.array([[block.mean() for block in np.array_split(row, width, axis=1)] for row in rows])
    low, reach = float(blocks.min()), float(np.ptp(blocks))
    levels = np.zeros_like(blocks) if reach <= 0 else (blocks - low) / reach * 255
    return tuple(tuple(int(level) for level in row) for row in np.round(levels))
