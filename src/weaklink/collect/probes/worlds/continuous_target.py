"""A target is seen, and the reward falls with the distance of the action from it."""

from __future__ import annotations

from typing import Any, ClassVar

from weaklink.collect.probes.world import Transition, World


class ContinuousTarget(World):
    """The right action is the target that is seen."""

    name = "continuous-target"
    adds = "continuous actions: their log-probability, squashing and scale"
    asked: ClassVar[tuple[str, ...]] = ("distance", "density", "temperature")
    targets: ClassVar[tuple[float, ...]] = (-0.8, -0.4, 0.0, 0.4, 0.8)
    looks = tuple((target,) for target in targets)
    labels = tuple(f"target {target:g}" for target in targets)
    starts = tuple(range(5))
    choices = 0
    tolerance = 0.3
    effort = 2.0

    def target(self, state: int) -> float:
        """The right action in the units of the bounds."""
        low, high = self.bounds
        return low + (self.targets[state] + 1.0) / 2.0 * (high - low)

    def law(self, state: int, choice: Any) -> tuple[Transition, ...]:
        low, high = self.bounds
        reward = 1.0 - 2.0 * abs(float(choice) - self.target(state)) / (high - low)
        return (Transition(1.0, state, reward, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (self.target(state),)
