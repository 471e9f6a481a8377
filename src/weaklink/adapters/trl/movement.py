"""What one optimizer step of a Hugging Face trainer did to the weights."""

from __future__ import annotations

from typing import Any

import torch

from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.rollout import WeightMovement

MOST_KEPT = 500_000_000
"""So many weights are copied at most; of a larger model some tensors are left out."""

ROUTED = "experts"
STARTS_AT_ZERO = "lora_A"


class StepWeights:
    """The weights before an optimizer step, with their gradients."""

    def __init__(self, model: Any, optimizer: Any, *, first: bool) -> None:
        named = list(model.named_parameters())
        self._first = first
        self._held = {id(each) for group in optimizer.param_groups for each in group["params"]}
        self.learning_rate = max((float(group["lr"]) for group in optimizer.param_groups), default=0.0)
        self._before: dict[str, Any] = {}
        room = MOST_KEPT
        for name, parameter in named:
            if parameter.requires_grad and parameter.numel() <= room:
                room -= parameter.numel()
                self._before[name] = parameter.detach().clone()
        reached = [(name, each.grad) for name, each in named if each.grad is not None]
        norms = torch.stack([gradient.detach().float().norm() for _, gradient in reached]).tolist() if reached else []
        self._norms = dict(zip((name for name, _ in reached), norms, strict=True))

    def moved(self, model: Any) -> WeightMovement:
        """The same weights after it."""
        parameters = tuple(
            Parameter(
                name=name,
                size=int(parameter.numel()),
                trainable=bool(parameter.requires_grad),
                gradient=self._norms.get(name),
                in_optimizer=id(parameter) in self._held,
                changed=self._change(name, parameter),
                excused=self._excuse(name, parameter),
            )
            for name, parameter in model.named_parameters()
        )
        return WeightMovement(parameters=parameters, optimizer_steps=1, learning_rate=self.learning_rate)

    def _change(self, name: str, parameter: Any) -> float | None:
        before = self._before.get(name)
        if before is None:
            return None
        moved = float((parameter.detach().float() - before.float()).norm())
        size = max(float(before.float().norm()), 1e-3 * float(before.numel() ** 0.5))
        return moved / size

    def _excuse(self, name: str, parameter: Any) -> str:
        if not parameter.requires_grad:
            return "frozen on purpose"
        if ROUTED in name:
            return "an expert that no token was sent to"
        if self._first and STARTS_AT_ZERO in name:
            return "an adapter whose other half starts at zero"
        return ""
