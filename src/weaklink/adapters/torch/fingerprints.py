"""Fingerprints of tensors that ranks can compare without talking: exact on any device, and cheap.

A digest is a weighted sum of bits in whole numbers, so that no order of summing and no device changes it. A sketch is
a projection on a few random signs: the distance of two sketches is about the distance of the tensors.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import torch

from weaklink.adapters.torch.generators import read_torch_states
from weaklink.adapters.torch.sampling import take_local
from weaklink.adapters.torch.tensors import list_tensors

MOST = 1 << 16
"""Elements of all tensors together that a fingerprint looks at: some milliseconds on a processor."""

WIDTH = 32
"""Numbers of a sketch: the distance that two of them tell is right within a quarter."""

MOST_PARTS = 256
"""Digests of one fingerprint; where there are more tensors, neighbours share one."""

MOST_ROWS, MOST_COLUMNS = 256, 4096
"""Rows of a batch, and elements of a row, that are looked at."""

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_SPREAD = 0x5851F42D4C957F2D
"""An odd multiplier that spreads whole numbers over 64 bits (Knuth, MMIX)."""


class Fingerprint:
    """Digests and a sketch, still on their device; `read` waits for them.

    Args:
        tensors: dense ones of one device; None stands for nothing.
        owners: whose each tensor is, where several belong together: digests are by owner then.
        count: how many owners there are.
    """

    def __init__(self, tensors: Sequence[Any], owners: Sequence[int] | None = None, count: int = 0) -> None:
        self._owners, self._count = owners, count
        self._there = [tensor is not None and tensor.numel() > 0 for tensor in tensors]
        held = [take_local(tensor) for tensor, there in zip(tensors, self._there, strict=True) if there]
        self._numbers: list[Any] = []
        if not held:
            return
        stride = -(-sum(tensor.numel() for tensor in held) // MOST) or 1
        with torch.no_grad():
            flat = [tensor.reshape(-1)[::stride] for tensor in held]
            self._numbers.append(_digest(flat))
            if all(tensor.is_floating_point() for tensor in flat):
                self._numbers.append(_sketch(flat))

    @property
    def tensors(self) -> list[Any]:
        """What has to arrive before it can be read; a copy elsewhere can be put in their place."""
        return self._numbers

    def read(self) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The digests, an empty one for nothing, and the sketch."""
        found = iter(self._numbers[0].tolist() if self._numbers else ())
        each = [f"{next(found) & 0xFFFFFFFFFFFFFFFF:016x}" if there else "" for there in self._there]
        if self._owners is not None:
            each = _gather(each, self._owners, self._count)
        sketch = tuple(self._numbers[1].tolist()) if len(self._numbers) > 1 else ()
        return tuple(_join(each)), sketch


def name_parts(names: Sequence[str]) -> list[str]:
    """A name for each digest: that of its tensor, or of the first where neighbours share one."""
    return list(names[:: -(-len(names) // MOST_PARTS) or 1])


def _gather(digests: list[str], owners: Sequence[int], count: int) -> list[str]:
    """One digest for all that belongs to an owner, an empty one where nothing does."""
    held = [""] * count
    for digest, owner in zip(digests, owners, strict=True):
        held[owner] += digest
    return [each and _hash(each.encode()) for each in held]


def _join(digests: list[str]) -> list[str]:
    size = -(-len(digests) // MOST_PARTS) or 1
    if size == 1:
        return digests
    return [_hash("".join(digests[at : at + size]).encode()) for at in range(0, len(digests), size)]


def _digest(flat: list[Any]) -> Any:
    """One whole number a tensor: the sum of its bits, each weighted by its place."""
    bits = torch.cat([_to_bits(tensor) for tensor in flat])
    ends = torch.tensor([tensor.numel() for tensor in flat]).cumsum(0) - 1
    mixed = (bits ^ (bits >> 11)) * _make_weights(len(bits), str(bits.device))
    sums = mixed.cumsum(0)[ends.to(bits.device)]
    return torch.diff(sums, prepend=sums.new_zeros(1))


def _to_bits(tensor: Any) -> Any:
    if tensor.dtype is torch.bool or tensor.is_complex():
        tensor = tensor.to(torch.uint8) if tensor.dtype is torch.bool else torch.view_as_real(tensor).reshape(-1)
    return tensor.view(_BITS[tensor.element_size()]).to(torch.int64)


def _sketch(flat: list[Any]) -> Any:
    values = torch.cat([tensor.to(torch.float64) for tensor in flat])
    weights = _make_weights(len(values), str(values.device))
    signs = (weights >> 33 & 1).to(torch.float64).mul_(2.0).sub_(1.0)
    padded = torch.nn.functional.pad(values * signs, (0, -len(values) % WIDTH))
    return padded.reshape(-1, WIDTH).sum(0)


@lru_cache(maxsize=4)
def _make_weights(count: int, device: str) -> Any:
    """An odd whole number for each place, always the same ones."""
    places = torch.arange(1, count + 1, dtype=torch.int64, device=device)
    mixed = places * _SPREAD
    return (mixed ^ (mixed >> 29)) * _SPREAD | 1


def digest_rows(given: Any) -> Any:
    """A whole number for each row of what a network is given, on its device; None where it has no rows."""
    tensors = [each for each in list_tensors(given) if each.ndim and not each.is_sparse]
    if not tensors or tensors[0].requires_grad or not tensors[0].numel():
        return None
    count, device = len(tensors[0]), tensors[0].device
    found = None
    with torch.no_grad():
        for place, tensor in enumerate(each for each in tensors if len(each) == count and each.device == device):
            rows = take_local(tensor)[:: -(-count // MOST_ROWS)]
            rows = rows.reshape(len(rows), -1)
            rows = rows[:, :: -(-rows.shape[1] // MOST_COLUMNS) or 1]
            bits = _to_bits(rows.reshape(-1)).reshape(rows.shape)
            mixed = ((bits ^ (bits >> 11)) * _make_weights(rows.shape[1], str(device))).sum(1) * (2 * place + 1)
            found = mixed if found is None else found + mixed
    return found


def digest_shapes(parameters: Sequence[Any]) -> str:
    """One digest of the shapes and types of all parameters."""
    return _hash(repr([(tuple(each.shape), str(each.dtype)) for each in parameters]).encode())


def digest_streams() -> dict[str, str]:
    """A digest of the state of each random generator of the process, of which nothing is drawn."""
    state: Any = np.random.get_state()  # noqa: NPY002
    kind, words, position, *_ = state
    found = {
        "random": f"{hash(random.getstate()[1]):016x}",  # whole numbers: their hash is the same in every process
        "numpy": _hash(f"{kind}{position}".encode() + words.tobytes()),
    }
    for name, state in read_torch_states().items():
        parts = state if isinstance(state, list) else [state]
        found[f"torch {name}"] = _hash(b"".join(part.numpy().tobytes() for part in parts))
    return found


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
