"""A watcher that keeps whatever it is told, and that hides no fault of the adapter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weaklink.base.evidence.rollout import COLLECTED, UPDATED, Rollout


class Recording:
    def __init__(self, looked: int = 3, measuring: bool = True) -> None:
        self.stop = False
        self.config: dict[str, Any] = {}
        self.context: dict[str, Any] = {}
        self.rollouts: list[Rollout] = []
        self.numbers: list[tuple[float, dict[str, float]]] = []
        self.episodes: list[tuple[float, float, float]] = []
        self.evaluations: list[tuple[float, Any, Any]] = []
        self.save: Callable[[str], Any] | None = None
        self._looked, self._measuring = looked, measuring

    def attempt(self, part: str, work: Callable[[], Any]) -> Any:
        return work()

    def looks(self, update: int) -> bool:
        return update <= self._looked

    def measures(self, update: int | None = None) -> bool:
        return self._measuring

    def take(self, rollout: Rollout) -> None:
        self.rollouts.append(rollout)

    def metrics(self, step: float, numbers: Mapping[str, float]) -> None:
        self.numbers.append((step, dict(numbers)))

    def episode(self, step: float, total: float, length: float, parts: Any = None) -> None:
        self.episodes.append((step, total, length))

    def evaluation(self, step: float, returns: Any, lengths: Any = None) -> None:
        self.evaluations.append((step, returns, lengths))

    def record(self, kind: str, content: Any) -> None:
        raise AssertionError("nothing else is recorded")

    def on_doubt(self, fit):
        self.fit = fit

    def on_failure(self, save: Callable[[str], Any]) -> None:
        self.save = save

    @property
    def collected(self) -> list[Rollout]:
        return [each for each in self.rollouts if each.moment == COLLECTED]

    @property
    def updated(self) -> list[Rollout]:
        return [each for each in self.rollouts if each.moment == UPDATED]

    @property
    def names(self) -> set[str]:
        return {name for _, numbers in self.numbers for name in numbers}
