"""A problem on tokens: what is paid, with which settings it is trained, and what a right trainer's numbers are."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from typing import ClassVar

from weaklink.base.evidence.outcome import Measure
from weaklink.base.evidence.tokens import TokenSettings, TokenTraining
from weaklink.collect.probes.language.gradients import SeenUpdate, list_updates

PROMPTS = ("who", "what where", "when what why", "when what when how")
"""Of different lengths, so that they are padded, and each with a last word of its own."""

FEW = 0.125
"""The effort of a rung that needs no learning, only a look at the first updates."""

EXACT = 1e-3
"""The share of what the loss asks for that may be numerical noise."""


LEARNED = ("drift", "probability", "KL left")
"""What only a training that came to its end can show."""


class LanguageProbe(ABC):
    """One rung. Subclasses say what is paid and what is measured; the attributes are those of any rung."""

    name: ClassVar[str]
    adds: ClassVar[str]
    temperature: ClassVar[float] = 1.0
    beta: ClassVar[float] = 0.0
    learning_rate: ClassVar[float] = 0.01
    group: ClassVar[int] = 8
    longest: ClassVar[int] = 6
    displaced: ClassVar[bool] = False
    tools: ClassVar[bool] = False
    effort: ClassVar[float] = FEW
    asked: ClassVar[tuple[str, ...]] = ("tokens",)
    told_apart_by: ClassVar[tuple[str, ...]] = ()
    stands_alone: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """As it is shown and asked for."""
        return type(self).__name__

    @property
    def id(self) -> str:
        """Under which a finding names it."""
        return f"tokens/{self.title}"

    @property
    def world(self) -> LanguageProbe:
        """The problem, which has one form only."""
        return self

    def reward(self, prompt: tuple[str, ...], completion: tuple[str, ...]) -> float:
        """What a completion is paid: by itself something for each, more for some prompts, spread more for some."""
        level, spread = ((0.0, 1.0), (3.0, 0.3), (-2.0, 2.0), (6.0, 1.0))[len(prompt) % 4]
        return level + spread * (zlib.crc32(" ".join(completion).encode()) % 1000) / 1000.0

    @abstractmethod
    def measures(self, seen: TokenTraining) -> tuple[Measure, ...]:
        """What the training shows; nothing where it shows nothing."""

    @property
    def settings(self) -> TokenSettings:
        """What the trainer is asked to train with."""
        return TokenSettings(
            learning_rate=self.learning_rate,
            temperature=self.temperature,
            beta=self.beta,
            group=self.group,
            longest=self.longest,
        )

    def first(self, seen: TokenTraining) -> SeenUpdate | None:
        """What the first update learned from; None where nothing was asked of the model's own tokens."""
        updates = list_updates(seen)
        return updates[0] if updates and updates[0].own > 0.0 else None
