"""What actions do, as evidence: each dimension taken through its range, and when a single changed action shows."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array

Flags = NDArray[np.bool_]


class ActionSweep(msgspec.Struct, frozen=True, kw_only=True):
    """One dimension of the action taken through its range from the same states, all else equal.

    Rows are states, columns the values tried (`values` in the environment's own units; `positions` the same from -1,
    the lowest, to +1, the highest; for a choice the numbers of the choices). Effects are distances between what
    followed and what followed from the reference value (the middle of the range; the first choice), in units of each
    observation column's spread under random play: `near` after one or two steps, `far` after `horizon` steps.
    `near_reward` and `far_reward` are differences of the rewards summed so far. `still` says where the observation
    did not change at all in the first step. `motion` is how far each state moves over the horizon under the reference.
    `alike` groups the places of values that were followed by exactly the same observations and rewards in every state.
    `looks` numbers the states by what is seen there: two with the same number look the same. It is empty where that is
    not known. `own` says of each group in which share of first states, of those where it changes anything, it changes
    something at once that no other value does, so that it is no waiting. `fine` has the next observation for many
    values from the lowest to the highest, evenly taken: states, values, columns; it is empty for choices and where that
    was not looked at.
    """

    dimension: int
    label: str
    values: Array
    positions: Array
    near: Array
    far: Array
    near_reward: Array
    far_reward: Array
    still: Flags
    motion: Array
    horizon: int
    alike: tuple[tuple[int, ...], ...] = ()
    looks: tuple[int, ...] = ()
    own: tuple[float, ...] = ()
    fine: Array = msgspec.field(default_factory=lambda: np.empty((0, 0, 0)))


class ActionLatency(msgspec.Struct, frozen=True, kw_only=True):
    """Steps until a single changed action shows, an entry for each state; NaN where it does not within the horizon.

    `seen` counts to the first observation that differs, 1 for the very next one. `paid` counts to the first reward
    that differs, apart from the reward of the changed action itself.
    """

    seen: Array
    paid: Array
    horizon: int

    @property
    def first_seen(self) -> float:
        """The least number of steps over all states; NaN where no action showed."""
        return float(np.nanmin(self.seen)) if np.isfinite(self.seen).any() else np.nan

    @property
    def first_paid(self) -> float:
        """The least number of steps until a reward was changed; NaN where none was."""
        return float(np.nanmin(self.paid)) if np.isfinite(self.paid).any() else np.nan


class ActionTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Single actions tried one by one from the same states, and what each led to in one step.

    The first axis is of states: what was `seen` there, and after how many `times` steps of an episode. `actions` has a
    row for each action that was tried: first the reference (rest, the middle of the range, or any choice), then each
    dimension at its lowest and its highest, then, for each pair of dimensions, one of them high and the other low, and
    the same the other way round (`swaps` has the two dimensions and the places of the two rows). `rows` and `rewards`
    are what followed, NaN where the step ended the episode. `heeded` says of each time from the reset on whether any of
    the actions tried then made a difference within a few steps; it is empty where that was not looked at. `outcomes`
    counts the different things that followed from `compared` actions in the first step, a row for each start and a
    column for each draw of its random numbers; it is empty where that was not looked at either.
    """

    seen: Array
    times: NDArray[np.int64]
    actions: Array
    rows: Array
    rewards: Array
    swaps: tuple[tuple[int, int, int, int], ...] = ()
    heeded: Flags
    outcomes: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    compared: int = 0
