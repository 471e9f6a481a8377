"""Rewards, values and episode ends of a rollout, checked and cut to a size that is recomputed quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Estimates
from weaklink.base.finding import CannotTell
from weaklink.base.reference.advantages import gae
from weaklink.base.reference.discounting import Array, Flags
from weaklink.judge.rules.returns._agreement import TOO_LARGE, read_numbers

# how much is recomputed, for speed: the last steps, since estimates run backwards, and some environments
MOST_STEPS, MOST_ENVIRONMENTS = 4096, 64


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The inputs of an estimator, (T, N) each; `counted` are the rows whose right value can be known."""

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
        """The size of the numbers that are summed."""
        largest = float(np.abs(self.rewards).max()) + 2 * float(np.abs(self.values).max())
        finals = 0.0 if self.final_values is None else float(np.abs(np.where(self.ended, self.final_values, 0.0)).max())
        return max(largest + float(np.abs(self.last_value).max(initial=0.0)) + finals, 1e-30)

    @property
    def ended(self) -> Flags:
        """Where an episode ended."""
        return self.terminated | self.truncated

    def horizon(self, lam: float) -> float:
        """How many steps contribute to a sum."""
        return float(min(len(self.rewards), 1.0 / max(1.0 - self.gamma * lam, 1e-9)))

    def inputs(self, lam: float, gamma: float | None = None) -> tuple[object, ...]:
        """The arguments of an estimator of advantages."""
        discount = self.gamma if gamma is None else gamma
        head = (self.rewards, self.values, self.terminated, self.truncated, self.last_value, discount, lam)
        return head if self.final_values is None else (*head, self.final_values)

    def advantages(self, lam: float, gamma: float | None = None) -> Array:
        """The right advantages."""
        return gae(*self.inputs(lam, gamma))  # type: ignore[arg-type]

    def list_readings(self) -> list[Trajectory]:
        """This one and, where values after time limits are not known, one with time limits taken as terminations."""
        if self.final_values is not None or not self.truncated.any():
            return [self]
        return [self, replace(self, terminated=self.ended, truncated=np.zeros_like(self.truncated))]

    def name_place(self, place: Sequence[np.intp]) -> str:
        """The step and, where there are several, the environment of a row, in the numbering of the rollout."""
        member = f", environment {int(place[1]) * (self.columns.step or 1)}" if self.columns.stop > 1 else ""
        return f"step {int(place[0]) + self.rows.start}{member}"

    def tail(self, steps: int) -> Trajectory:
        """The last steps alone: estimates run backwards, so these do not depend on earlier ones."""
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
        """The same rows of another array; None where its shape does not match."""
        whole = read_numbers(array)  # type: ignore[arg-type]
        steps, environments = self.rows.stop, self.columns.stop
        if whole is None or whole.size != steps * environments or whole.shape[:1] != (steps,):
            return None
        return whole.reshape(steps, environments)[self.rows, self.columns]


def read_trajectory(estimates: Estimates) -> Trajectory | CannotTell:
    """The parts of a rollout that an estimator needs, or what is missing."""
    rewards, values = read_numbers(estimates.rewards), read_numbers(estimates.values)
    lacking = [name for name in ("values", "terminated", "gamma") if getattr(estimates, name) is None]
    if lacking or rewards is None or values is None or estimates.gamma is None:
        return CannotTell(tuple(lacking) or ("rewards",), "without it nothing can be recomputed")
    if not rewards.size or rewards.ndim < 1:
        return CannotTell(("estimates",), "the rollout is empty")
    shape = steps, environments = len(rewards), rewards.size // len(rewards)
    terminated, truncated = _read_flags(estimates.terminated, shape), _read_flags(estimates.truncated, shape)
    if values.shape[:1] != (steps,) or values.size != rewards.size or terminated is None:
        return CannotTell(("estimates",), "rewards, values and done flags have different shapes")
    truncated = np.zeros(shape, bool) if truncated is None else truncated & ~terminated
    last, counted = _read_last_values(estimates, terminated | truncated)
    rows = slice(max(0, steps - MOST_STEPS), steps)
    columns = slice(0, environments, -(-environments // MOST_ENVIRONMENTS))
    finals = _reshape(estimates.final_values, shape)
    made = Trajectory(
        rewards=rewards.reshape(shape)[rows, columns],
        values=values.reshape(shape)[rows, columns],
        terminated=terminated[rows, columns],
        truncated=truncated[rows, columns],
        last_value=last[columns],
        gamma=float(estimates.gamma),
        final_values=None if finals is None else np.where(terminated | truncated, finals, 0.0)[rows, columns],
        counted=counted[rows, columns],
        rows=rows,
        columns=columns,
    )
    return _check(made)


def _check(made: Trajectory) -> Trajectory | CannotTell:
    finals = np.zeros(1) if made.final_values is None else made.final_values
    parts = (made.rewards, made.values, made.last_value, finals)
    if not all(np.isfinite(part).all() for part in parts) or not np.isfinite(made.gamma):
        return CannotTell(("estimates",), "some numbers are not finite")
    if max(float(np.abs(part).max(initial=0.0)) for part in parts) > TOO_LARGE:
        return CannotTell(("estimates",), "numbers are too large to compare")
    if not made.counted.any():
        return CannotTell(("last_value",), "no episode ended and the value after the last step is not known")
    return made


def _read_last_values(estimates: Estimates, ended: Flags) -> tuple[Array, Flags]:
    """The value after the last step of each environment; without it only the steps up to an episode end count."""
    last, environments = read_numbers(estimates.last_value), ended.shape[1]
    if last is not None and last.size in (1, environments):
        return np.array(np.broadcast_to(last.reshape(-1), (environments,))), np.ones_like(ended)
    return np.zeros(environments), np.cumsum(ended[::-1], axis=0)[::-1] > 0


def _reshape(array: object, shape: tuple[int, int]) -> Array | None:
    whole = read_numbers(array)  # type: ignore[arg-type]
    return whole.reshape(shape) if whole is not None and whole.size == shape[0] * shape[1] else None


def _read_flags(array: object, shape: tuple[int, int]) -> Flags | None:
    shaped = _reshape(array, shape)
    return None if shaped is None else np.asarray(np.nan_to_num(shaped) != 0.0)
