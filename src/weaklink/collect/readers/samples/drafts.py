"""A sample in the making."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import ToldTrajectory


class SampleDraft:
    """What a row has told so far."""

    __slots__ = ("body", "epoch", "figures", "grade", "labels", "nested", "rewards", "trained", "values")

    def __init__(self) -> None:
        self.epoch: float | None = None
        self.grade: float | None = None
        self.nested: list[Mapping[str, Any]] = []
        self.values: dict[str, Any] = {}
        self.rewards: dict[str, float] = {}
        self.labels: dict[str, str] = {}
        self.figures: dict[str, float] = {}
        self.trained: dict[str, Any] = {}
        self.body = False

    def take(self, told: ToldTrajectory) -> None:
        """Takes over what a trajectory tells; texts that the row gives itself stay."""
        self.body = True
        self.values["calls"] = tuple(told.calls)
        self.values["turns"] = told.turns
        self.values["invented"] = told.invented
        self.values["inlined"] = told.inlined
        self.values["tool_messages"] = told.tool_messages
        self.values["longest_echo"] = told.longest_echo
        self.values["asked_again"] = told.asked_again
        if told.paid:
            self.values["step_rewards"] = tuple(told.paid)
        if told.trained.get("assistant"):
            self.values["trains_on_results"] = told.trained.get("tool")
            if any(role in told.trained for role in ("user", "system")):
                self.values["trains_on_prompt"] = any(told.trained.get(role, False) for role in ("user", "system"))
        if told.completion and not self.values.get("completion"):
            self.values["completion"] = told.completion
        if told.prompt and not self.values.get("prompt"):
            self.values["prompt"] = told.prompt
