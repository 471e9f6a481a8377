"""A look at a rank while its step is made and its numbers are on their way from the device."""

from __future__ import annotations

from typing import Any

import msgspec
import torch

from weaklink.adapters.torch.fingerprints import Fingerprint
from weaklink.adapters.torch.rank_track import RankTrack
from weaklink.base.evidence.ranks import RankLook


class OpenLook:
    """A look while its step is made and its numbers are on their way."""

    def __init__(self, track: RankTrack, told: dict[str, Any], held: list[Any]) -> None:
        self.track, self.told, self.held = track, told, held
        self.rows: Any = None
        self._prints: dict[str, Fingerprint] = {}
        self._event: Any = None

    def add(self, part: str, tensors: list[Any], owners: list[int] | None = None) -> None:
        """Takes the fingerprint of a part; that of parameters that are left alone on purpose counts as nothing.

        Args:
            part: its name.
            tensors: one for each parameter, or several.
            owners: the place of the parameter that each belongs to, where that is not the tensor's own.
        """
        places = range(len(self.held)) if owners is None else owners
        device, ignored = self.held[0].device, self.track.ignored
        chosen = [
            None
            if tensor is None or tensor.device != device or tensor.is_sparse or id(self.held[place]) in ignored
            else tensor
            for tensor, place in zip(tensors, places, strict=True)
        ]
        self._prints[part] = Fingerprint(chosen, owners, len(self.held))

    def send(self) -> None:
        """Has the numbers brought from the device without waiting for them."""
        parts = [print_.tensors for print_ in self._prints.values()]
        if not self.held[0].is_cuda:
            return
        for tensors in parts:
            tensors[:] = [each.to("cpu", non_blocking=True) for each in tensors]
        if self.rows is not None:
            self.rows = self.rows.to("cpu", non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record()

    def has_arrived(self, *, wait: bool) -> bool:
        """Whether it can be read."""
        if self._event is not None and wait:
            self._event.synchronize()
        return self._event is None or bool(self._event.query())

    def read(self) -> dict[str, Any]:
        """The look as it is recorded."""
        told, sketches = dict(self.told), {}
        for part, print_ in self._prints.items():
            told[part], sketch = print_.read()
            if sketch:
                sketches[part] = sketch
        if self.rows is not None:
            told["rows"] = [f"{each & 0xFFFFFFFFFFFFFFFF:016x}" for each in self.rows.tolist()]
        found: dict[str, Any] = msgspec.to_builtins(RankLook(**told, sketches=sketches))
        return found


def list_state(optimizer: Any, held: list[Any]) -> tuple[list[Any], list[int]]:
    """The tensors of the state of all parameters, and beside each the place of the parameter that it belongs to."""
    tensors, owners = [], []
    for place, parameter in enumerate(held):
        for _, each in sorted(optimizer.state.get(parameter, {}).items()):
            if torch.is_tensor(each) and each.numel() > 1:
                tensors.append(each)
                owners.append(place)
    return tensors, owners


def read_counts(optimizer: Any, held: list[Any]) -> tuple[float, ...]:
    """The fewest and the most steps that the state counts, as far as the processor has them."""
    counts = [optimizer.state.get(parameter, {}).get("step") for parameter in held]
    known = [float(each) for each in counts if each is not None and not getattr(each, "is_cuda", False)]
    return (min(known), max(known)) if known else ()
