"""A rollout of an on-policy trainer, put together from what was read of an update: none of it is what the trainer says.

Rewards and ends come from the tape, values from what the critic answered while collecting, returns from what its loss
pulled each value towards, advantages from how strongly the policy's loss made each action likelier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.recovered import RecoveredUpdate, RecoveredValues
from weaklink.base.evidence.rollout import UPDATED, Array, Estimates, Minibatch, Probabilities, Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.advantages import gae
from weaklink.collect.monitor.policy_reading import read_advantages
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.lines import are_standardised
from weaklink.collect.monitor.reading.recovering import recover_update

FEWEST_ROWS = 32
"""Rows of a rollout below which nothing is made of it."""

FEWEST_KNOWN = 0.95
"""The share of rows of which something must be known for it to be judged."""

FEWEST_TARGETS = 0.5
"""The share of rows whose target must be known. A clipped loss is silent about what it clips in every epoch, one row in
seven in an ordinary PPO: then the targets are not judged, and the advantages still are."""


NOISE = 1e-5
"""How far log-probabilities lie apart that single precision computed in batches of different sizes."""

CLOSE = 1e-3
"""Differences below this share of the spread of the targets do not count."""


@dataclass(frozen=True, slots=True, eq=False)
class LearntSteps:
    """The steps that were learned from, (T, N) each; NaN where a number is not known.

    Attributes:
        next_values: of the observation that followed.
        targets: what the critic's loss pulled each value towards.
        advantages: what the policy's loss weighed each action with, in the critic's units.
    """

    rewards: Array
    terminated: Array
    truncated: Array
    values: Array
    next_values: Array
    targets: Array
    advantages: Array

    @property
    def goes_on_elsewhere(self) -> bool:
        """Whether the critic answered something else of what followed than of the next row, as behind a normaliser that
        moves on: then estimates are made of more numbers than one a row."""
        ended = self.terminated | self.truncated
        apart = np.where(ended[:-1], 0.0, np.nan_to_num(self.next_values[:-1] - self.values[1:]))
        return bool(np.abs(apart).max(initial=0.0) > CLOSE * float(np.nanstd(self.targets)))

    def read_last(self, gamma: float | None) -> Array | None:
        """The value after the last step; None where the critic was not asked.

        Where the target of a last step goes on with another value than the one that was found, the target's own is
        taken, which accuses nobody: what was asked of a critic between collecting and learning may be about anything.
        Targets that all go on with nothing are none such.
        """
        ended = (self.terminated | self.truncated)[-1]
        last = np.where(ended, 0.0, self.next_values[-1])
        implied = np.where(ended, 0.0, (self.targets - self.rewards)[-1] / gamma) if gamma else last
        if not np.isfinite(last).all():
            return None
        silent = np.abs(implied[~ended]).max(initial=0.0) < CLOSE * float(np.nanstd(self.targets))
        return last if silent or not np.isfinite(implied).all() else implied

    def read_finals(self, gamma: float | None) -> Array | None:
        """Values of the last observations of episodes that were cut.

        Where the critic was not seen to answer, the value is the one that the target implies, which accuses nobody;
        None where all of these are nothing: then time limits are taken for ends.
        """
        if not self.truncated.any() or not gamma:
            return None
        implied = (self.targets - self.rewards) / gamma
        asked = np.isfinite(self.next_values)
        finals = np.where(self.truncated, np.where(asked, self.next_values, implied), 0.0)
        silent = self.truncated & ~asked
        spread = float(np.nanstd(self.targets))
        if not np.isfinite(finals).all() or (silent.any() and np.abs(finals[silent]).max() < CLOSE * spread):
            return None
        return finals

    def estimate(self, gamma: float | None, lam: float | None) -> Array:
        """The right advantages, as far as they can be known."""
        if gamma is None or lam is None:
            return np.asarray(np.nan_to_num(self.targets - self.values))
        last, flags = self.read_last(gamma), (self.terminated, self.truncated)
        last = np.zeros(self.rewards.shape[1]) if last is None else last
        return np.asarray(gae(self.rewards, self.values, *flags, last, gamma, lam, self.read_finals(gamma)))


def assemble_rollout(
    reading: UpdateReading, step: float, config: Mapping[str, Any], handed: Mapping[str, Array] | None = None
) -> Rollout:
    """The rollout of an update that was read: what its losses asked for, and the parts that follow from it.

    Args:
        reading: the update.
        step: environment steps so far.
        config: the hyper-parameters, as far as they are known.
        handed: `returns` and `advantages` as the trainer handed them over; they are compared with what was read.
    """
    recovery = recover_update(reading, config)
    rollout = Rollout(
        step=step,
        update=reading.update,
        moment=UPDATED,
        algorithm=str(config.get("algorithm", "")),
        recovered=recovery.update,
        losses=reading.losses,
        probabilities=_make_probabilities(recovery.update),
        notes=reading.left_out,
    )
    for critic in recovery.critics:
        if critic.steps is not None and critic.values.gamma is not None and not critic.nearly:
            steps = _list_steps(recovery.reading, critic.steps, critic.values.head)
            estimates = _make_estimates(steps, critic.values, config)
            if estimates is not None:
                minibatch = _compare(steps, handed or {})
                return replace(rollout, family="on-policy", estimates=estimates, minibatch=minibatch)
    targets = next((critic.targets for critic in recovery.critics if critic.targets is not None), None)
    return rollout if targets is None else replace(rollout, family="off-policy", targets=targets)


def _make_probabilities(read: RecoveredUpdate) -> Probabilities | None:
    """How far the policy that learns was from the one that acted, before its first step and at the end.

    What was stored is not known, and not needed: ratios say it all.
    """
    for policy in read.policies:
        if policy.first_ratios is not None:
            return Probabilities(
                stored=np.zeros(len(policy.first_ratios)),
                fresh=policy.first_ratios,
                after=policy.last_ratios,
                floor=NOISE,
                epochs=None if read.epochs is None else round(read.epochs),
                used_ratio_spread=policy.used_ratio_spread,
                clipped=policy.at_bound,
            )
    return None


def _compare(steps: LearntSteps, handed: Mapping[str, Array]) -> Minibatch | None:
    """What was read beside what was handed over for the same rows; the first time may be missing from the former."""
    columns = {}
    for name, read in (("returns", steps.targets), ("advantages", steps.advantages)):
        told = handed.get(name)
        if told is not None and told.shape[1:] == read.shape[1:] and 0 <= len(told) - len(read) <= 1:
            known = np.isfinite(read)
            columns[name] = read[known], told[len(told) - len(read) :][known]
    return Minibatch(columns=columns) if columns else None


def _make_estimates(steps: LearntSteps, read: RecoveredValues, config: Mapping[str, Any]) -> Estimates | None:
    """What was made of rewards and values; None where too little is known of it."""
    known = np.isfinite(steps.targets)
    if known.size < FEWEST_ROWS or known.mean() < FEWEST_TARGETS or not np.isfinite(steps.values).all():
        return None
    if steps.goes_on_elsewhere:
        return None
    told = Config.of(dict(config))
    gamma, lam = told.number("gamma"), told.number("gae_lambda")
    gamma, lam = (read.gamma if gamma is None else gamma), (read.lam if lam is None else lam)
    # what is not known is taken to be right, so that such rows accuse nobody
    right, used = steps.estimate(gamma, lam), np.isfinite(steps.advantages)
    if are_standardised(steps.targets):  # less a value in other units such a return is no advantage
        used = np.zeros_like(used)
    return Estimates(
        rewards=steps.rewards,
        values=steps.values,
        terminated=steps.terminated,
        truncated=steps.truncated,
        last_value=steps.read_last(gamma),
        final_values=steps.read_finals(gamma),
        gamma=gamma,
        lam=lam,
        advantages=np.where(used, steps.advantages, right) if used.mean() >= FEWEST_KNOWN else None,
        returns=np.where(known, steps.targets, right + steps.values) if known.mean() >= FEWEST_KNOWN else None,
    )


def _list_steps(reading: UpdateReading, taped: TapeSteps, critic: str) -> LearntSteps:
    """All that is known of the steps that were learned from."""
    tape = reading.tape
    used = read_advantages(reading, taped.spread(taped.targets - taped.values, tape.rows), critic)
    times = _find_times(taped)
    rewards = np.where(np.isfinite(taped.rewards), taped.rewards, taped.gather(tape.rewards))
    columns = (
        rewards, taped.terminated, taped.truncated, taped.values, taped.next_values, taped.targets,
        taped.gather(np.full(tape.rows, np.nan) if used is None else used),
    )  # fmt: skip
    whole = LearntSteps(*(column[times] for column in columns))
    fillers = taped.gather(tape.fillers)[times] == 1.0
    left_out = fillers & ~np.isfinite(whole.targets)
    return _drop(whole, left_out) if left_out.any() and left_out.sum() == fillers.sum() else whole


def _find_times(taped: TapeSteps) -> slice:
    """The times that were learned from, less the first one where the critic was asked before it was listened to.

    Estimates run backwards, so what comes after does not depend on it.
    """
    learnt = np.flatnonzero(np.isfinite(taped.targets).any(axis=1))
    if not len(learnt):
        return slice(0, 0)
    first, last = int(learnt[0]), int(learnt[-1])
    return slice(first + int(np.isnan(taped.values[first]).any() and last > first), last + 1)


def _drop(steps: LearntSteps, dropped: Array) -> LearntSteps:
    """The steps without those at which an environment was only reset and which the trainer leaves out as well.

    Members then have different numbers of steps; the last ones of each are kept, for estimates run backwards.
    """
    times = int((~dropped).sum(axis=0).min())
    members = range(dropped.shape[1])

    def keep(numbers: Array) -> Array:
        return np.stack([numbers[~dropped[:, member], member][-times:] for member in members], axis=1)

    return LearntSteps(*(keep(getattr(steps, each.name)) for each in fields(LearntSteps)))
