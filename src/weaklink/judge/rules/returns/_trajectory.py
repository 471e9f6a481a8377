"""Rewards, values and ends of a rollout, ready to be recomputed: checked, and cut to what can be done in a moment."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Estimates
from weaklink.base.finding import CannotTell
from weaklink.base.reference.advantages import gae
from weaklink.base.reference.discounting import Array, Flags
from weaklink.judge.rules.returns._agreement import numbers

MOST_STEPS, MOST_ENVIRONMENTS = 4096, 64
"""How much is recomputed: the last steps, because estimates run backwards, and environments evenly chosen."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The inputs of an estimator, (T, N) each; `counted` are the rows that can be known."""

    rewards: Array
    values: Array
    terminated: Flags
    truncated: Flags
    last_value: Array
    gamma: float
    final_values: Array | None
    counted: Flags
    rows: slice
    columns: slice

    @property
    def magnitude(self) -> float:
        """The size of the numbers that are added up."""
        largest = float(np.abs(self.rewards).max()) + 2 * float(np.abs(self.values).max())
        finals = 0.0 if self.final_values is None else float(np.abs(np.where(self.ended, self.final_values, 0.0)).max())
        return max(largest + float(np.abs(self.last_value).max(initial=0.0)) + finals, 1e-30)

    @property
    def ended(self) -> Flags:
        """Where an episode ended."""
        return self.terminated | self.truncated

    def horizon(self, lam: float) -> float:
        """How many steps count in a sum."""
        return float(min(len(self.rewards), 1.0 / max(1.0 - self.gamma * lam, 1e-9)))

    def inputs(self, lam: float, gamma: float | None = None) -> tuple[object, ...]:
        """The arguments of an estimator of advantages."""
        discount = self.gamma if gamma is None else gamma
        head = (self.rewards, self.values, self.terminated, self.truncated, self.last_value, discount, lam)
        return head if self.final_values is None else (*head, self.final_values)

    def advantages(self, lam: float, gamma: float | None = None) -> Array:
        """The right advantages."""
        return gae(*self.inputs(lam, gamma))  # type: ignore[arg-type]

    def readings(self) -> list[Trajectory]:
        """This one and, where the value after a time limit is not known, the one that counts nothing after it."""
        if self.final_values is not None or not self.truncated.any():
            return [self]
        return [self, replace(self, terminated=self.ended, truncated=np.zeros_like(self.truncated))]

    def tail(self, steps: int) -> Trajectory:
        """The last steps alone: estimates run backwards, so that they follow from themselves."""
        cut = slice(max(0, len(self.rewards) - steps), None)
        return replace(
            self,
            rewards=self.rewards[cut],
            values=self.values[cut],
            terminated=self.terminated[cut],
            truncated=self.truncated[cut],
            final_values=None if self.final_values is None else self.final_values[cut],
            counted=self.counted[cut],
        )

    def cut(self, array: object) -> Array | None:
        """Another array of the same rows in the same form, None where it does not match."""
        whole = numbers(array)  # type: ignore[arg-type]
        steps, environments = self.rows.stop, self.columns.stop
        if whole is None or whole.size != steps * environments or whole.shape[:1] != (steps,):
            return None
        return whole.reshape(steps, environments)[self.rows, self.columns]


def trajectory(estimates: Estimates) -> Trajectory | CannotTell:
    """The parts of a rollout that an estimator needs, or what is missing."""
    rewards, values = numbers(estimates.rewards), numbers(estimates.values)
    lacking = [name for name in ("values", "terminated", "gamma") if getattr(estimates, name) is None]
    if lacking or rewards is None or values is None or estimates.gamma is None:
        return CannotTell(tuple(lacking) or ("rewards",), "without it nothing can be recomputed")
    if not rewards.size or rewards.ndim < 1:
        return CannotTell(("estimates",), "the rollout is empty")
    steps, environments = len(rewards), rewards.size // len(rewards)
    flags = [_flags(part, steps, environments) for part in (estimates.terminated, estimates.truncated)]
    if values.shape[:1] != (steps,) or values.size != rewards.size or flags[0] is None:
        return CannotTell(("estimates",), "rewards, values and ends have different shapes")
    terminated, truncated = flags[0], flags[1] if flags[1] is not None else np.zeros((steps, environments), bool)
    last, counted = _last(estimates, environments), np.ones((steps, environments), bool)
    if last is None:
        last, ends = np.zeros(environments), terminated | truncated
        counted = np.cumsum(ends[::-1], axis=0)[::-1] > 0
    rows = slice(max(0, steps - MOST_STEPS), steps)
    columns = slice(0, environments, -(-environments // MOST_ENVIRONMENTS))
    finals = _shaped(estimates.final_values, steps, environments)
    made = Trajectory(
        rewards=rewards.reshape(steps, environments)[rows, columns],
        values=values.reshape(steps, environments)[rows, columns],
        terminated=terminated[rows, columns],
        truncated=(truncated & ~terminated)[rows, columns],
        last_value=last[columns],
        gamma=float(estimates.gamma),
        final_values=None if finals is None else finals[rows, columns],
        counted=counted[rows, columns],
        rows=rows,
        columns=columns,
    )
    return _usable(made)


def _usable(made: Trajectory) -> Trajectory | CannotTell:
    finals = 0.0 if made.final_values is None else np.where(made.ended, made.final_values, 0.0)
    parts = (made.rewards, made.values, made.last_value, finals)
    if not all(np.isfinite(part).all() for part in parts) or not np.isfinite(made.gamma):
        return CannotTell(("estimates",), "some numbers are not finite")
    largest = max(float(np.abs(part).max(initial=0.0)) for part in parts)
    if largest > 1e100:
        return CannotTell(("estimates",), "numbers are too large to compare")
    if not made.counted.any():
        return CannotTell(("last_value",), "no episode ended and the value after the last step is not known")
    if made.final_values is not None:
        cleaned = np.where(made.ended, made.final_values, 0.0)
        return replace(made, final_values=cleaned)
    return made


def _last(estimates: Estimates, environments: int) -> Array | None:
    last = numbers(estimates.last_value)
    if last is None or last.size not in (1, environments):
        return None
    return np.array(np.broadcast_to(last.reshape(-1), (environments,)))


def _shaped(array: object, steps: int, environments: int) -> Array | None:
    whole = numbers(array)  # type: ignore[arg-type]
    fits = whole is not None and whole.size == steps * environments
    return whole.reshape(steps, environments) if whole is not None and fits else None


def _flags(array: object, steps: int, environments: int) -> Flags | None:
    shaped = _shaped(array, steps, environments)
    return None if shaped is None else np.asarray(np.nan_to_num(shaped) != 0.0)
