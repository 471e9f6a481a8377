"""How fast samples are collected and learnt from, and whether the two keep pace."""

from __future__ import annotations


class Throughput:
    """Samples and seconds of collecting and of learning since the last answer; the times are told to it."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._collected = self._collecting = 0.0
        self._learnt = self._learning = self._updates = 0.0

    def collected(self, samples: float, seconds: float) -> None:
        """Takes samples that were collected, and how long that took."""
        self._collected += samples
        self._collecting += seconds

    def learnt(self, samples: float, seconds: float, updates: float = 1.0) -> None:
        """Takes samples that were learnt from (each as often as it was used), and how long that took."""
        self._learnt += samples
        self._learning += seconds
        self._updates += updates

    def taken(self) -> dict[str, float]:
        """The speeds since the last answer, by their names in the vocabulary; what has no time to it is left out."""
        found: dict[str, float] = {}
        if self._collecting > 0.0:
            found["system.collect_time"] = self._collecting
            found["system.actor_samples_per_second"] = self._collected / self._collecting
        if self._learning > 0.0:
            found["system.learn_time"] = self._learning
            found["system.learner_samples_per_second"] = self._learnt / self._learning
            found["system.learner_steps_per_second"] = self._updates / self._learning
        acting, learning = (found.get(f"system.{who}_samples_per_second") for who in ("actor", "learner"))
        if acting and learning is not None:
            found["system.balance"] = learning / acting
        self._forget()
        return found
