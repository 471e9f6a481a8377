"""What met in a loss: the shapes that torch's own regression losses were called with, and the tensors themselves."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional

from weaklink.base.evidence.rollout import LossCall

LOSSES = ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss")
MOST_KINDS = 32

_listening: list[Losses] = []
_originals: dict[str, Any] = {}


class Losses:
    """Every kind of call of a loss; a difference that is squared by hand is no call and is not seen.

    Args:
        met: is told the two tensors of each call before it is made.
    """

    def __init__(self, met: Callable[[Any, Any], object] | None = None) -> None:
        self._met = met
        self._kinds: dict[tuple[str, tuple[int, ...], tuple[int, ...]], None] = {}

    def note(self, name: str, left: Any, right: Any) -> None:
        """Takes a call."""
        if torch.compiler.is_compiling() or not (hasattr(left, "shape") and hasattr(right, "shape")):
            return
        if right.requires_grad and not left.requires_grad:
            left, right = right, left
        if len(self._kinds) < MOST_KINDS:
            self._kinds[name, tuple(left.shape), tuple(right.shape)] = None
        if self._met is not None:
            self._met(left, right)

    @property
    def calls(self) -> tuple[LossCall, ...] | None:
        """Every kind of call in the order of the first; None where no loss was called."""
        found = tuple(LossCall(name=name, left=left, right=right) for name, left, right in self._kinds)
        return found or None


@contextlib.contextmanager
def noted(losses: Losses) -> Iterator[Losses]:
    """Has the losses of `torch.nn.functional` told inside; several may listen, and end in any order."""
    if not _listening:
        for name in LOSSES:
            _originals[name] = getattr(functional, name)
            setattr(functional, name, wrap_loss(name, _originals[name], _tell))
    _listening.append(losses)
    try:
        yield losses
    finally:
        _listening[:] = [each for each in _listening if each is not losses]
        if not _listening:
            for name, original in _originals.items():
                if getattr(getattr(functional, name), "weaklink_notes", False):
                    setattr(functional, name, original)
            _originals.clear()


def _tell(name: str, left: Any, right: Any) -> None:
    for losses in _listening:
        losses.note(name, left, right)


def wrap_loss(name: str, original: Any, tell: Callable[[str, Any, Any], None]) -> Any:
    """A loss of two tensors that tells of each call before it is made."""

    @functools.wraps(original)
    def told(*arguments: Any, **options: Any) -> Any:
        pair = [*arguments, *options.values()][:2]
        if len(pair) == 2:
            tell(name, *pair)
        return original(*arguments, **options)

    told.weaklink_notes = True  # type: ignore[attr-defined]
    return told
