"""Rewards that were given a factor and an offset before targets were made of them, and critics in units of their own.

`(reward + 8) / 8` is a reward that was shaped on purpose, `reward - mean` one of a task without an end. A critic whose
targets are `(return - mean) / spread` learns the same: with `a` the factor and `c` the offset of one step,
`target[t] = a * reward[t] + c + gamma * next value + gamma * lambda * (target - value)[t + 1]`. Only at terminal steps
they differ: the shaped reward ends with `a * reward + c`, the other target with `a * reward + c / (1 - gamma)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import NOTHING, TERMINAL
from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import CLEAR, EstimatorFit, TapeSteps, fit_trace
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_column_lines, measure_spread

STEADY = 2e-5
"""What one factor for all rewards may leave of the targets' spread, in single precision."""

MOST_OFF = 0.05
"""The share of rows within episodes that may not follow: with two numbers more than usual more is asked of the rest."""

EXACT, OTHER_UNITS = 1e-5, 1e-3
"""What a change of units may leave of a critic's answers, and by how much it must change them."""


def fit_moved(steps: TapeSteps, settings: Mapping[str, float]) -> tuple[TapeSteps, EstimatorFit] | None:
    """The steps with the rewards that their targets were made of, and the estimator; None where no line fits exactly.

    Two numbers more explain more, so the factor must be above zero, what it makes of rewards must show, and a discount
    that is known must be the one that is found: values in units of their own would show another.

    Args:
        steps: the rollout with its targets.
        settings: the rates as the trainer was set to them, as far as they are known.
    """
    fit = fit_trace(steps, standardised=True, scaled=True)
    if fit is None or fit.unexplained > STEADY or fit.off.sum() > MOST_OFF * fit.counted:
        return None
    shows = fit.scale > 0.0 and measure_part(steps, fit.scale) > VISIBLE
    told = settings.get("gamma", fit.gamma)
    if not shows or abs(fit.gamma - told) > CLEAR or not VISIBLE < fit.gamma <= 1.0 + VISIBLE:
        return None
    return settle_ends(replace(steps, rewards=fit.scale * steps.rewards + fit.offset), fit), fit


def measure_part(steps: TapeSteps, scale: float) -> float:
    """The spread of what a factor makes of the rewards within episodes, as a share of that of the targets."""
    return abs(scale) * measure_spread(steps.rewards[~steps.ended]) / max(measure_spread(steps.targets), 1e-30)


def settle_ends(steps: TapeSteps, fit: EstimatorFit) -> TapeSteps:
    """The steps with the offset at terminal ones that targets in units of their own have, where those show it."""
    if fit.gamma > 1.0 - VISIBLE:
        return steps
    beyond = fit.offset * fit.gamma / (1.0 - fit.gamma)
    other = replace(steps, rewards=np.where(steps.terminated, steps.rewards + beyond, steps.rewards))
    ends = read_ends(other, fit.gamma, fit.lam)
    return other if any((end.place, end.goes_on_with) == (TERMINAL, NOTHING) for end in ends) else steps


def find_units(before: Array, now: Array) -> tuple[float, float] | None:
    """The factor and offset by which a critic's answers to the same rows were given other units, before anything was
    learned in between; None where they are the same answers, or other ones.

    Args:
        before: (n,) what it answered at first.
        now: (n,) what it answered later.
    """
    if len(before) < FEWEST or not measure_spread(before) > 0.0:
        return None
    lines = fit_column_lines(before[:, None], now[:, None])
    if not lines.left[0] <= EXACT or not lines.scales[0] > 0.0:
        return None
    moved = np.abs(now - before).max() > OTHER_UNITS * max(measure_spread(before), measure_spread(now))
    return (float(lines.scales[0]), float(lines.offsets[0])) if moved else None
