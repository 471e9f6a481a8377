"""Gymnasium-like spaces described, by the names of their classes: old gym and its lookalikes serve as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.spaces import Space


def describe_space(space: Any) -> Space:
    """The description of a space; whatever cannot be flattened becomes `other`."""
    names = {ancestor.__name__ for ancestor in type(space).__mro__}
    if "Box" in names:
        return Space(
            kind="box",
            shape=tuple(int(edge) for edge in space.shape),
            dtype=np.dtype(space.dtype).name,
            low=_flatten_bound(space.low, space.shape),
            high=_flatten_bound(space.high, space.shape),
        )
    if "MultiDiscrete" in names:
        counts = np.asarray(space.nvec).reshape(-1)
        first = np.asarray(getattr(space, "start", np.zeros_like(counts))).reshape(-1)
        shape = tuple(np.asarray(space.nvec).shape)
        return Space(
            kind="multi_discrete",
            shape=shape,
            dtype=np.dtype(space.dtype).name,
            choices=tuple(counts.tolist()),
            first=tuple(first.tolist()),
        )
    if "MultiBinary" in names:
        return Space(kind="multi_binary", shape=tuple(space.shape), dtype=np.dtype(space.dtype).name)
    if "Discrete" in names:
        return Space(kind="discrete", dtype="int64", choices=(int(space.n),), first=(int(getattr(space, "start", 0)),))
    if "Dict" in names:
        return Space(kind="dict", parts={str(key): describe_space(part) for key, part in space.spaces.items()})
    if "Tuple" in names:
        return Space(kind="tuple", parts={str(place): describe_space(part) for place, part in enumerate(space.spaces)})
    return Space(kind="other")


def _flatten_bound(bound: Any, shape: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.broadcast_to(np.asarray(bound, dtype=np.float64), shape).reshape(-1).copy()
