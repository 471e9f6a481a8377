"""What an environment holds: the numbers among its own attributes, step by step beside what it showed."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class HeldState(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The attributes of the innermost environment over a short random play.

    `names` has the attribute of each column (`goal`, `car.speed`), of as many columns as it has numbers. `before` has
    what was held when a step was made, beside `observations`, and `after` what was held when it had been, beside
    `successors`. An attribute that held something else than these numbers, or another count of them, is NaN there.
    Episodes follow one another; long ones are left before their end. `terminated` says of each whether it terminated.
    `relabelled` has what `compute_reward` of a goal environment says of each step, None where there is none, and
    `inner_rewards` what the environment inside of the user's wrappers paid, None where no wrapper could change it.
    `settings` has single numbers that were the same at every step, by name.
    """

    names: tuple[str, ...]
    before: Array
    after: Array
    observations: Array
    successors: Array
    actions: Array
    rewards: Array
    lengths: Ints
    terminated: Flags
    relabelled: Array | None = None
    inner_rewards: Array | None = None
    settings: dict[str, float] = {}

    @property
    def paid(self) -> Array:
        """The rewards in the units of the attributes: those of the environment that holds them."""
        return self.rewards if self.inner_rewards is None else self.inner_rewards

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The columns by name: `goal[1]`, or `fuel` where it is a single number."""
        counts = {name: self.names.count(name) for name in self.names}
        seen: dict[str, int] = {}
        labels = []
        for name in self.names:
            place = seen.get(name, 0)
            seen[name] = place + 1
            labels.append(name if counts[name] == 1 else f"{name}[{place}]")
        return tuple(labels)

    @cached_property
    def attributes(self) -> dict[str, Ints]:
        """The columns of each attribute."""
        names = np.array(self.names)
        return {name: np.flatnonzero(names == name) for name in dict.fromkeys(self.names)}

    @cached_property
    def firsts(self) -> Ints:
        """The steps with which episodes begin."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths, dtype=np.int64)

    @cached_property
    def lasts(self) -> Ints:
        """The steps with which they end."""
        return np.asarray(np.cumsum(self.lengths) - 1, dtype=np.int64)

    @cached_property
    def finite(self) -> Flags:
        """The columns that held a number at every step."""
        return np.asarray(np.isfinite(self.before).all(axis=0) & np.isfinite(self.after).all(axis=0))

    @cached_property
    def drawn(self) -> Flags:
        """The columns that stay the same through every episode and are not the same in all of them."""
        begun = self.before[np.repeat(self.firsts, self.lengths)]
        fixed = np.all((self.before == begun) & (self.after == begun), axis=0)
        starts = self.before[self.firsts]
        return np.asarray(self.finite & fixed & np.any(starts != starts[:1], axis=0))


class ExchangedAttribute(msgspec.Struct, frozen=True, kw_only=True):
    """What followed where one attribute was given the value of another episode, all else the same.

    An attribute that a reset draws anew and no step changes was exchanged right after `tried` resets, and the same
    actions were played as without. `shown` counts the plays in which any observation was another, `paid` those in which
    the reward of a step before the last was another or the episode terminated elsewhere, but for a difference that is
    the same at every step; `reordered` those in which observations had the same numbers in another order, and nothing
    else was changed. `beside` names something larger that resets draw too, a map or a list of things, in which the
    attribute may stand a second time; it is empty where there is none.
    """

    name: str
    tried: int
    shown: int
    paid: int
    reordered: int
    beside: str = ""
