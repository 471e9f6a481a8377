"""What met in a loss: the shapes that torch's own losses were called with."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional

from weaklink.evidence.rollout import LossCall

LOSSES = ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss")
MOST = 32

_heard: list[list[LossCall]] = []
_originals: dict[str, Any] = {}


@contextlib.contextmanager
def noting_losses() -> Iterator[list[LossCall]]:
    """Fills a list with the calls of `torch.nn.functional`'s regression losses inside, each kind of call once.

    A difference that is squared by hand is no call and is not seen.
    """
    heard: list[LossCall] = []
    if not _heard:
        for name in LOSSES:
            _originals[name] = getattr(functional, name)
            setattr(functional, name, _noting(name, _originals[name]))
    _heard.append(heard)
    try:
        yield heard
    finally:
        _heard[:] = [each for each in _heard if each is not heard]
        if not _heard:
            for name, original in _originals.items():
                if getattr(getattr(functional, name), "weaklink_notes", False):
                    setattr(functional, name, original)
            _originals.clear()


def _noting(name: str, original: Any) -> Any:
    @functools.wraps(original)
    def noted(input: Any, target: Any, *arguments: Any, **options: Any) -> Any:
        if not torch.compiler.is_compiling():
            shapes = [tuple(getattr(each, "shape", ())) for each in (input, target)]
            call = LossCall(name=name, left=shapes[0], right=shapes[1])
            for heard in _heard:
                if len(heard) < MOST and not any(_same(call, each) for each in heard):
                    heard.append(call)
        return original(input, target, *arguments, **options)

    noted.weaklink_notes = True  # type: ignore[attr-defined]
    return noted


def _same(one: LossCall, other: LossCall) -> bool:
    return (one.name, one.left, one.right) == (other.name, other.left, other.right)
