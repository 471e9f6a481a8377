"""The critic of an on-policy update: which head it is, what it answered while collecting, what its loss asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, Tape, UpdateReading
from weaklink.collect.monitor.reading.estimators import EstimatorFit, TapeSteps, fit_trace, fit_trace_and_weight
from weaklink.collect.monitor.reading.joined import JoinedCalls, join_calls
from weaklink.collect.monitor.reading.state_values import fit_repeated

EXPLAINED = 0.02
"""A loss that leaves more than this share of the gradients is none that pulls a value towards a target."""


@dataclass(frozen=True, slots=True, eq=False)
class CriticReading:
    """What was read of a critic.

    Attributes:
        head: its name.
        times: the part of the tape that was learned from.
        steps: that part, by time and member.
        fillers: (T, N) steps at which the environment was only reset.
        weight: of the loss, times the rows of a minibatch.
        trace: how the targets follow from rewards and values; None where no estimator was recognised.
    """

    head: str
    times: slice
    steps: TapeSteps
    fillers: Array
    weight: float
    trace: EstimatorFit | None


def read_critic(reading: UpdateReading) -> CriticReading | None:
    """The critic whose targets are known for most rows; None where there is none."""
    found = [critic for head in reading.heads if (critic := _read_head(reading, head)) is not None]
    return max(found, key=lambda critic: np.isfinite(critic.steps.targets).sum(), default=None)


def read_values(answers: tuple[HeadAnswer, ...], head: str, tape: Tape) -> tuple[Array, Array]:
    """What a head said of each observation of the tape while collecting, and of the one that followed; NaN for none."""
    values, following = np.full(tape.rows, np.nan), np.full(tape.rows, np.nan)
    for answer in answers:
        if answer.head == head and answer.when == COLLECTING and answer.outputs.shape[1] == 1:
            for rows, into in ((answer.rows, values), (answer.next_rows, following)):
                found = rows != UNMATCHED
                into[rows[found]] = answer.outputs[found, 0]
    # the observation that follows is the next row's, unless the next row begins another episode
    later, same = np.full(tape.rows, np.nan), np.zeros(tape.rows, bool)
    later[: -tape.members] = values[tape.members :]
    same[: -tape.members] = np.all(tape.next_observations[: -tape.members] == tape.observations[tape.members :], axis=1)
    return values, np.where(np.isnan(following) & same, later, following)


def _read_head(reading: UpdateReading, head: str) -> CriticReading | None:
    calls, tape = reading.of_head(head), reading.tape
    joined = join_calls(calls)
    joined = joined.take(joined.rows != UNMATCHED)
    if calls[0].outputs.shape[1] != 1 or not len(joined.rows):
        return None
    values, following = read_values(reading.answers, head, tape)
    values = np.where(np.isnan(values), _read_first(joined, tape.rows, joined.outputs[:, 0]), values)
    times = _find_times(joined.rows, values.reshape(tape.times, tape.members), tape.members)

    def cut(numbers: Array) -> Array:
        return np.asarray(numbers.reshape(tape.times, tape.members)[times])

    nothing = np.full(tape.rows, np.nan)
    parts = (tape.rewards, values, following, tape.terminated, tape.truncated, nothing)
    steps, fillers = TapeSteps(*map(cut, parts)), cut(tape.fillers)
    fit = fit_repeated(joined.rows, joined.outputs[:, 0], joined.asked[:, 0])
    if fit is not None:
        if fit.weight <= 0.0 or fit.unexplained > EXPLAINED:
            return None
        steps = replace(steps, targets=cut(fit.spread(tape.rows)))
        return CriticReading(head, times, steps, fillers, fit.weight, fit_trace(steps))
    return _read_once(head, times, steps, fillers, joined, tape)


def _find_times(rows: Array, values: Array, members: int) -> slice:
    """The times that were learned from, less the first one where the critic was asked before it was listened to.

    Estimates run backwards, so what comes after does not depend on it.
    """
    first, last = int(rows.min()) // members, int(rows.max()) // members
    return slice(first + int(np.isnan(values[first]).any() and last > first), last + 1)


def _read_once(
    head: str, times: slice, steps: TapeSteps, fillers: Array, joined: JoinedCalls, tape: Tape
) -> CriticReading | None:
    """Where every row came once, the weight of the loss is the one with which the targets follow from the rewards."""
    lead = steps.rewards.shape
    values, asked = (
        _read_first(joined, tape.rows, numbers).reshape(tape.times, tape.members)[times].reshape(lead)
        for numbers in (joined.outputs[:, 0], joined.asked[:, 0])
    )
    trace = fit_trace_and_weight(steps, values, asked)
    if trace is None or trace.weight is None or trace.weight <= 0.0:
        return None
    return CriticReading(
        head, times, replace(steps, targets=values - asked / trace.weight), fillers, trace.weight, trace
    )


def _read_first(joined: JoinedCalls, rows: int, numbers: Array) -> Array:
    """The numbers of the first optimizer step by row of the tape: no weight has moved since collecting."""
    found = np.full(rows, np.nan)
    first = joined.steps == joined.steps.min(initial=0)
    found[joined.rows[first]] = numbers[first]
    return found
