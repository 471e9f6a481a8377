"""Targets that are corrected for the policy that acted, an older one than the one that learns: V-trace.

With the ratio of both policies for each action, `rho` no larger than 1, and `A = target - value`,
`A[t] = rho[t] * (reward[t] + gamma * value[t + 1] - value[t]) + gamma * lambda * rho[t] * A[t + 1]`. What is asked of a
value is `-weight * A`, so that weight, gamma and lambda are the factors of three columns. Where the ratio is 1 this is
generalised advantage estimation; elsewhere a step counts as one with another reward, which is worked out from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.recovered import STATE_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.lines import VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.state_values import SQUARE
from weaklink.collect.monitor.reading.tape_rows import read_steps
from weaklink.collect.monitor.reading.values import ValueRecovery

FEWEST, ONCE = 64, 0.95
"""Rows that must tell, and the share of rows of a pass that came once: others have no ratio of their own."""

APART, SOME = 0.02, 0.1
"""How far a ratio lies from 1 where it makes a difference, and the share of rows that must have such a one."""

INVERSE = "ratio inverted"


class CorrectedFit(NamedTuple):
    """The numbers of a fit, and the ratios by which errors and traces are cut."""

    weight: float
    gamma: float
    lam: float
    ratios: Array
    traces: Array
    unexplained: float


def recover_corrected(reading: UpdateReading, calls: Sequence[HeadCall], log_ratios: Array) -> ValueRecovery | None:
    """A critic of observations whose targets are those of V-trace; None where they are not.

    Args:
        reading: of the update.
        calls: of one head with one output.
        log_ratios: (rows of the tape,) the log-probability of each action by the policy that learns, less that by the
            one that acted; NaN where nobody knows.
    """
    joined = join_calls(calls)
    rows = joined.rows[joined.rows >= 0]
    if len(rows) < FEWEST or len(np.unique(rows)) < ONCE * len(rows):
        return None
    values, asked = np.full(reading.tape.rows, np.nan), np.full(reading.tape.rows, np.nan)
    values[rows], asked[rows] = (each[joined.rows >= 0, 0] for each in (joined.outputs, joined.asked))
    steps = read_steps(reading, calls[0].head, values)
    steps = replace(steps, values=steps.targets)  # what is subtracted is what the network says while it learns
    pulled, logs = (steps.gather(each) for each in (asked, log_ratios))
    for inverse in (False, True):
        fit = _fit(steps, pulled, -logs if inverse else logs)
        if fit is not None:
            return _describe(reading, calls[0].head, steps, pulled, fit, INVERSE if inverse else "")
    return None


def _fit(steps: TapeSteps, asked: Array, log_ratios: Array) -> CorrectedFit | None:
    """The fit that leaves least, with errors and traces that are cut at 1 or not at all."""
    told = np.isfinite(log_ratios) & np.isfinite(asked)
    if not told.any() or float(np.mean(np.abs(np.expm1(log_ratios[told])) > APART)) < SOME:
        return None
    with np.errstate(over="ignore"):
        whole = np.exp(log_ratios)
    cut = np.minimum(whole, 1.0)
    fits = (_fit_factors(steps, asked, ratios, traces) for ratios in (cut, whole) for traces in (cut, whole))
    return min((fit for fit in fits if fit is not None), key=lambda fit: fit.unexplained, default=None)


def _fit_factors(steps: TapeSteps, asked: Array, ratios: Array, traces: Array) -> CorrectedFit | None:
    ahead = np.where(np.isfinite(steps.next_values), steps.next_values, steps.shift(steps.values))
    columns = (ratios * (steps.values - steps.rewards), ratios * ahead, traces * steps.shift(asked))
    inner = ~steps.ended & np.isfinite(asked) & np.all([np.isfinite(column) for column in columns], axis=0)
    if inner.sum() < FEWEST:
        return None
    table, wanted = np.stack([column[inner] for column in columns], axis=1), asked[inner]
    spread = measure_spread(wanted)
    allowed = VISIBLE * spread + measure_rounding(table, wanted)
    found = fit_mostly(table, wanted, allowed)
    if found is None or not found[0][0] > 0.0:
        return None
    weight, gamma = float(found[0][0]), -float(found[0][1] / found[0][0])
    if not VISIBLE < gamma <= 1.0 + VISIBLE:
        return None
    lam = float(found[0][2]) / gamma
    if not -VISIBLE <= lam <= 1.0 + VISIBLE:
        return None
    left = found[1][np.abs(found[1]) <= allowed]
    return CorrectedFit(weight, gamma, lam, ratios, traces, float(np.sqrt(np.mean(left**2))) / max(spread, 1e-30))


def _describe(
    reading: UpdateReading, head: str, steps: TapeSteps, asked: Array, fit: CorrectedFit, source: str
) -> ValueRecovery:
    targets = steps.values - asked / fit.weight
    found = RecoveredValues(
        head=head,
        kind=STATE_VALUES,
        loss=SQUARE,
        weight=fit.weight,
        targets=steps.spread(targets, reading.tape.rows),
        unexplained=fit.unexplained,
        gamma=fit.gamma,
        lam=fit.lam,
        source=source,
    )
    if source:
        return ValueRecovery(found, corrected=True)
    # at ends only steps whose ratio is cut to 1 can be compared with those of another estimator
    full = np.abs(fit.ratios - 1.0) < VISIBLE
    plain = replace(
        steps,
        rewards=np.where(steps.ended, steps.rewards, _change_rewards(steps, targets, fit)),
        targets=np.where(steps.ended & ~full, np.nan, targets),
    )
    following = np.where(steps.ended, steps.next_values, steps.shift(targets))
    ahead = np.where(steps.terminated, 0.0, np.where(np.isfinite(following), following, steps.next_values))
    above = steps.spread(fit.ratios * (steps.rewards + fit.gamma * ahead - steps.values), reading.tape.rows)
    found = replace(found, ends=read_ends(plain, fit.gamma, fit.lam))
    return ValueRecovery(found, plain, above=above, nearly=True, corrected=True)


def _change_rewards(steps: TapeSteps, targets: Array, fit: CorrectedFit) -> Array:
    """The rewards with which the same targets need no correction."""
    ahead = np.where(np.isfinite(steps.next_values), steps.next_values, steps.shift(steps.values))
    errors = fit.ratios * (steps.rewards + fit.gamma * ahead - steps.values)
    later = fit.gamma * fit.lam * (fit.traces - 1.0) * steps.shift(targets - steps.values)
    return np.asarray(steps.values + errors - fit.gamma * ahead + later)
