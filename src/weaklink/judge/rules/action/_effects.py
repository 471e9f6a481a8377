"""What the sweeps of a survey say about the dimensions of the action."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey, Sweep
from weaklink.base.stats import level

NOTHING = 1e-9
"""Effects up to this, in units of the spread of an observation, are none."""

FEWEST_STATES = 3
"""States without which a sweep says nothing."""

EXTREME = 0.99
"""A position from here on is the end of the range."""


def enough(sweep: Sweep, states: int = FEWEST_STATES) -> bool:
    """Whether the dimension was tried at several values from several states."""
    return len(sweep.positions) > 1 and min(len(sweep.motion), len(sweep.near)) >= states


def moves(sweep: Sweep) -> bool:
    """Whether the dimension changes what is observed, in any state; what is not finite counts as a change."""
    return bool(np.any(~(np.abs(sweep.near) <= NOTHING)) or np.any(~(np.abs(sweep.far) <= NOTHING)))


def pays(sweep: Sweep) -> bool:
    """Whether the dimension changes the reward, in any state."""
    return bool(np.any(~(np.abs(sweep.near_reward) <= NOTHING)) or np.any(~(np.abs(sweep.far_reward) <= NOTHING)))


def numeric(survey: Survey) -> tuple[Sweep, ...]:
    """The sweeps over dimensions that are numbers: an amount, and no choice."""
    if survey.action is None:
        return ()
    kinds = [column.kind for column in survey.action.columns]
    numbers = {place for place, kind in enumerate(kinds) if kind == "number"}
    return tuple(sweep for sweep in survey.sweeps if sweep.dimension in numbers)


def strongest(effects: Array, positions: Array) -> Array:
    """The larger effect of the two ends of the range, for each state."""
    ends = np.abs(positions) >= EXTREME
    return np.asarray(np.where(np.isfinite(effects[:, ends]), effects[:, ends], np.inf).max(axis=1))


def middle(values: Array) -> float:
    """The median; infinite where there is nothing to take it of."""
    return level(values) if len(values) else float("inf")


def reward_scale(survey: Survey, horizon: int) -> float:
    """How much the rewards of random play, summed over this many steps, differ from one stretch to another."""
    play = survey.plays.get("random")
    if play is None or not len(play.rewards):
        return 0.0
    sums = []
    for start, length in zip(play.starts.tolist(), play.lengths.tolist(), strict=True):
        total = np.concatenate([[0.0], np.cumsum(play.rewards[start : start + length])])
        # stretches that end with the episode, where many tasks pay
        ends = np.arange(length, 0, -horizon)
        sums.append(total[ends] - total[np.maximum(ends - horizon, 0)])
    together = np.concatenate(sums)
    together = together[np.isfinite(together)]
    return float(together.std()) if len(together) else 0.0
