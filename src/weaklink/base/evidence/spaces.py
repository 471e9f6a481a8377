"""Spaces as evidence: what an agent can see or do, in words that no framework owns, and how a value becomes a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array

SMALLEST_IMAGE = 16
"""Pixels along the shorter edge; anything smaller is a grid of numbers."""

UNBOUNDED_SPREAD = 1.0
"""The spread of random actions along a dimension that has no bounds."""

COMPOUND = ("dict", "tuple")


class Column(msgspec.Struct, frozen=True):
    """One number of a flattened value: its label, what kind of number it is, and its bounds.

    `kind` is `number`, `category` (a choice whose numbers have no order), `binary` or `pixel`.
    """

    label: str
    kind: str
    low: float
    high: float


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """A space, described.

    `kind` is `box`, `discrete`, `multi_discrete`, `multi_binary`, `dict`, `tuple` or `other`. `low` and `high` are flat
    and only a box has them; `choices` has the number of choices of each discrete dimension, `first` the smallest of
    each; `parts` holds the spaces inside a dict or tuple, by key. `other` is whatever cannot be flattened: text,
    graphs, sequences.
    """

    kind: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    low: Array | None = None
    high: Array | None = None
    choices: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    parts: dict[str, Space] = {}

    @property
    def size(self) -> int:
        """How many numbers a flattened value has."""
        if self.kind in COMPOUND:
            return sum(part.size for part in self.parts.values())
        if self.kind == "other":
            return 0
        return len(self.choices) or int(np.prod(self.shape))

    @property
    def is_image(self) -> bool:
        """Whether a box holds pixels: two large dimensions, and one of at most a few channels if there is a third."""
        if self.kind != "box" or len(self.shape) not in (2, 3):
            return False
        edges = sorted(self.shape)[-2:]
        channels = min(self.shape) if len(self.shape) == 3 else 1
        return edges[0] >= SMALLEST_IMAGE and channels <= 16

    @property
    def is_discrete(self) -> bool:
        """Whether all of it is a choice among a few."""
        return self.kind in ("discrete", "multi_discrete", "multi_binary")

    @property
    def is_goal(self) -> bool:
        """Whether it is the observation of a goal-conditioned environment."""
        return {"achieved_goal", "desired_goal"} <= set(self.parts)

    @property
    def images(self) -> dict[str, Space]:
        """The images in it, by key; the whole space has the empty key."""
        if self.is_image:
            return {"": self}
        return {
            f"{key}.{inner}".rstrip("."): image
            for key, part in self.parts.items()
            for inner, image in part.images.items()
        }

    @property
    def columns(self) -> tuple[Column, ...]:
        """What each number of a flattened value is; for very wide spaces this is long."""
        return tuple(self._columns(""))

    def _columns(self, prefix: str) -> list[Column]:
        if self.parts:
            return [column for key, part in self.parts.items() for column in part._columns(f"{prefix}{key}.")]
        name = prefix.rstrip(".")
        if self.kind in ("discrete", "multi_discrete"):
            kind = "binary" if self.kind == "multi_discrete" and set(self.choices) == {2} else "category"
            low_high = zip(self.first, self.choices, strict=True)
            bounds = [(float(first), float(first + count - 1)) for first, count in low_high]
        elif self.kind == "multi_binary":
            kind, bounds = "binary", [(0.0, 1.0)] * self.size
        elif self.kind == "box":
            kind, bounds = "pixel" if self.is_image else "number", self._bounds()
        else:
            return []
        labels = [name] if self.kind == "discrete" else [f"{name}[{place}]" for place in range(len(bounds))]
        return [Column(label, kind, low, high) for label, (low, high) in zip(labels, bounds, strict=True)]

    def _bounds(self) -> list[tuple[float, float]]:
        if self.low is None or self.high is None:
            return [(-np.inf, np.inf)] * self.size
        return list(zip(self.low.tolist(), self.high.tolist(), strict=True))


def make_flattener(space: Space) -> Callable[[Any], Any]:
    """A function that turns a value of the space into something assignable to one row of an array."""
    if space.kind == "box" and len(space.shape) == 1:
        return _return_unchanged
    if space.kind in COMPOUND:
        inner = {key: make_flattener(part) for key, part in space.parts.items()}
        if space.kind == "tuple":
            return lambda value: _join_parts(f(v) for f, v in zip(inner.values(), value, strict=True))
        return lambda value: _join_parts(flat(value[key]) for key, flat in inner.items())
    if space.kind == "other":
        return lambda value: np.empty(0)
    return lambda value: np.asarray(value, dtype=float).reshape(-1)


def _return_unchanged(value: object) -> Any:
    return value


def _join_parts(parts: Any) -> Array:
    return np.concatenate([np.empty(0), *(np.asarray(part, dtype=float).reshape(-1) for part in parts)])


def unflatten(space: Space, row: Array) -> Any:
    """The value of the space that a flattened row stands for, as its environment wants it."""
    if space.kind == "dict":
        return {key: unflatten(space.parts[key], piece) for key, piece in _split(space, row)}
    if space.kind == "tuple":
        return tuple(unflatten(space.parts[key], piece) for key, piece in _split(space, row))
    if space.kind == "discrete":
        return np.int64(round(float(row[0])))
    return _cast_values(space, row).reshape(space.shape)


def _cast_values(space: Space, values: Array) -> Any:
    dtype = np.dtype(space.dtype or "float64")
    return (np.round(values) if _is_whole(space) else values).astype(dtype)


def _is_whole(space: Space) -> bool:
    return np.dtype(space.dtype or "float64").kind in "iub"


def unflatten_rows(space: Space, rows: Array) -> list[Any]:
    """Many rows at once; boxes and discrete spaces are converted as a whole."""
    if space.kind == "discrete":
        return list(np.round(rows[:, 0]).astype(np.int64))
    if space.kind == "box" and space.shape:
        return list(_cast_values(space, rows).reshape(len(rows), *space.shape))
    return [unflatten(space, row) for row in rows]


def _split(space: Space, row: Array) -> list[tuple[str, Array]]:
    pieces, at = [], 0
    for key, part in space.parts.items():
        pieces.append((key, row[at : at + part.size]))
        at += part.size
    return pieces


def sample_space(space: Space, count: int, rng: np.random.Generator) -> Array:
    """Random values of the space, a flattened row each: uniform within bounds, normal where there are none."""
    if space.kind in COMPOUND:
        return np.concatenate(
            [np.empty((count, 0)), *(sample_space(p, count, rng) for p in space.parts.values())], axis=1
        )
    if space.choices:
        first = np.asarray(space.first)
        return rng.integers(first, first + np.asarray(space.choices), (count, len(space.choices))).astype(float)
    if space.kind == "multi_binary":
        return rng.integers(0, 2, (count, space.size)).astype(float)
    return _sample_box(space, count, rng)


def _sample_box(space: Space, count: int, rng: np.random.Generator) -> Array:
    low, high = find_bounds(space)
    bounded = np.isfinite(low) & np.isfinite(high)
    uniform = rng.uniform(np.where(bounded, low, 0.0), np.where(bounded, high, 1.0), (count, space.size))
    normal = np.clip(rng.normal(0.0, UNBOUNDED_SPREAD, (count, space.size)), low, high)
    drawn = np.where(bounded, uniform, normal)
    if _is_whole(space):
        drawn = np.where(bounded, np.floor(rng.uniform(low, high + 1.0, drawn.shape)), drawn)
    return np.asarray(drawn)


def find_bounds(space: Space) -> tuple[Array, Array]:
    """The bounds of each number of a flattened value; infinite where there are none."""
    bounds = np.array([(column.low, column.high) for column in space.columns]).reshape(-1, 2)
    return bounds[:, 0], bounds[:, 1]


def find_rest_action(space: Space) -> Array | None:
    """The value that means doing nothing: zero in every dimension; None where the space has choices or no zero."""
    if not space.size or any(column.kind != "number" for column in space.columns):
        return None
    low, high = find_bounds(space)
    return np.zeros(space.size) if bool(np.all((low <= 0) & (high >= 0))) else None


def list_positions(space: Space, count: int) -> Array:
    """For each dimension of a box `count` values from its lowest to its highest, a row each; unbounded ones from -1."""
    low, high = find_bounds(space)
    low = np.where(np.isfinite(low), low, -UNBOUNDED_SPREAD)
    high = np.where(np.isfinite(high), high, UNBOUNDED_SPREAD)
    return np.linspace(low, high, count)
