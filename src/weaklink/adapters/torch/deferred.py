"""Numbers that a device computes, read without waiting for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch

WIDEST = 128
"""How many numbers one entry of the queue can hold."""

Then = Callable[[list[float]], None]


class DeferredNumbers:
    """A short queue of numbers on their way from a device.

    On CUDA they are copied into pinned memory behind the work that is already queued, with an event behind the copy;
    they are handed over by a later `put` or `collect`, once that event has passed. Anywhere else at once.
    """

    def __init__(self, length: int = 32) -> None:
        self._free: list[tuple[Any, Any]] = []
        self._under_way: deque[tuple[Any, Any, int, Then]] = deque()
        self._length = length
        self._made = 0
        self.dropped = 0

    def put(self, numbers: Sequence[Any], then: Then) -> None:
        """Takes tensors of one number each, all on one device.

        Args:
            numbers: at most `WIDEST` of them.
            then: is called with the numbers, now or at a later call. Where the queue is full it never is.
        """
        self.collect()
        if not numbers:
            then([])
            return
        with torch.no_grad():
            packed = torch.stack([_to_scalar(number) for number in numbers[:WIDEST]])
        if packed.device.type != "cuda":
            then(packed.tolist())
            return
        with torch.cuda.device(packed.device):
            self._sent(packed, then)

    def _sent(self, packed: Any, then: Then) -> None:
        if torch.cuda.is_current_stream_capturing():
            self.dropped += 1
            return
        slot = self._slot()
        if slot is None:
            self.dropped += 1
            return
        memory, event = slot
        memory[: len(packed)].copy_(packed, non_blocking=True)
        event.record()
        self._under_way.append((memory, event, len(packed), then))

    def _slot(self) -> tuple[Any, Any] | None:
        if self._free:
            return self._free.pop()
        if self._made >= self._length:
            return None
        if not self._made:  # all at once: pinning memory may wait for the device
            memory = torch.empty((self._length, WIDEST), dtype=torch.float32, device="cpu", pin_memory=True)
            self._free = [(row, torch.cuda.Event()) for row in memory]
            self._made = self._length
            return self._free.pop()
        return None

    def collect(self) -> None:
        """Hands over what has arrived, in the order in which it was put."""
        while self._under_way and self._under_way[0][1].query():
            memory, event, count, then = self._under_way.popleft()
            found = memory[:count].tolist()
            self._free.append((memory, event))
            then(found)

    def finish(self) -> None:
        """Waits for all that is under way: for the end of a training."""
        for entry in list(self._under_way):
            entry[1].synchronize()
        self.collect()


def _to_scalar(number: Any) -> Any:
    return number if number.dtype is torch.float32 and not number.ndim else number.reshape(()).to(torch.float32)
