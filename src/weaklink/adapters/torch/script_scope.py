"""What a script calls its networks and its settings, read from its variables while it steps an optimizer."""

from __future__ import annotations

from collections.abc import Mapping
from types import FrameType
from typing import Any

from torch import nn

from weaklink.adapters.variables import find_targets, read_settings


class ScriptScope:
    """The variables of the functions that step the optimizers of one captured update.

    Attributes:
        settings: hyper-parameters by canonical name.
    """

    def __init__(self) -> None:
        self.settings: dict[str, float] = {}
        self._targets: dict[str, nn.Module] = {}
        self._shared: dict[str, None] = {}

    def read(self, frame: FrameType) -> None:
        """Reads the variables of a function and of those that called it."""
        self.settings = read_settings(frame)
        self._targets = {name: each for name, each in find_targets(frame).items() if isinstance(each, nn.Module)}

    def note_step(self, held: Mapping[int, Any]) -> None:
        """Notes targets that hold weights which an optimizer is about to move, by identity."""
        for name, network in self._targets.items():
            if any(id(each) in held for each in network.parameters()):
                self._shared[name] = None

    @property
    def shared(self) -> tuple[str, ...]:
        """The variables that are called targets and hold weights which are moved."""
        return tuple(self._shared)
