"""Heads of small torch networks whose calls, answers and gradients are kept beside a tape, as an update is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from weaklink.base.evidence.update import COLLECTING, LEARNING, FreeParameter, HeadAnswer, HeadCall, Tape, UpdateReading


class Recorder:
    """Keeps what heads answer and what backward asks of them."""

    def __init__(self) -> None:
        self.calls: list[HeadCall] = []
        self.answers: list[HeadAnswer] = []
        self.parameters: list[FreeParameter] = []
        self.step = 0

    def call(self, head: str, inputs: torch.Tensor, output: torch.Tensor, rows: Any) -> torch.Tensor:
        """A pass with gradients: its call is kept when backward reaches it."""
        step, seen = self.step, output.detach().clone().reshape(len(output), -1)
        given = inputs.detach().numpy().reshape(len(inputs), -1)

        def keep(gradient: torch.Tensor) -> None:
            asked = gradient.detach().clone().numpy().reshape(len(seen), -1)
            self.calls.append(HeadCall(head, step, given, seen.numpy(), asked, np.asarray(rows)))

        output.register_hook(keep)
        return output

    def answer(
        self, head: str, inputs: torch.Tensor, output: torch.Tensor, rows: Any = None, next_rows: Any = None
    ) -> torch.Tensor:
        """A pass without gradients."""
        none = np.full(len(inputs), -1)
        given = (none if each is None else np.asarray(each) for each in (rows, next_rows))
        when = COLLECTING if self.step == 0 else LEARNING
        seen = output.detach().clone().numpy().reshape(len(output), -1)
        self.answers.append(HeadAnswer(head, when, self.step, inputs.numpy().reshape(len(inputs), -1), seen, *given))
        return output

    def parameter(self, name: str, values: torch.Tensor) -> None:
        """A parameter of no module, after backward."""
        gradient = None if values.grad is None else values.grad.detach().clone().numpy()
        self.parameters.append(FreeParameter(name, self.step, values.detach().clone().numpy(), gradient))

    def reading(self, tape: Tape) -> UpdateReading:
        """Everything that was kept; the losses were asked for after the last step of the tape."""
        after = int(tape.stamps[-1]) + 1 if tape.rows else 0
        calls = tuple(replace(call, stamp=after) for call in self.calls)
        return UpdateReading(1, self.step, tape, calls, tuple(self.answers), tuple(self.parameters))
