"""Networks that act on earlier observations, behind a normaliser whose statistics run on."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.flaw_kinds import LATE_ACTING
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, Tape, UpdateReading
from weaklink.collect.monitor.reading.acted_late import find_late_acting

TIMES, MEMBERS = 120, 4


def collect(lag: int, *, together: bool, noise: float = 0.0) -> UpdateReading:
    """A rollout in which a policy was asked about normalised observations of so many steps ago."""
    rng = np.random.default_rng(0)
    rows = TIMES * MEMBERS
    walk = np.cumsum(rng.normal(size=(TIMES + 1, MEMBERS, 3)), axis=0).astype(np.float32)
    ended = np.zeros((TIMES, MEMBERS), bool)
    ended[59] = True
    nothing, every = np.zeros(rows, bool), np.ones(rows, bool)
    stamps = np.repeat(np.arange(TIMES) * MEMBERS, MEMBERS)
    tape = Tape(
        walk[:-1].reshape(rows, 3), np.zeros(rows), np.zeros(rows), nothing, ended.ravel(), walk[1:].reshape(rows, 3),
        nothing, every, stamps if together else np.arange(rows), MEMBERS,
    )  # fmt: skip
    answers = []
    for time in range(TIMES):
        scale = 1.0 / (2.0 + 0.001 * time)  # its statistics move on a little at every step
        given = walk[max(time - lag, 0)] * scale - 0.002 * time
        given = (given + noise * rng.normal(size=given.shape)).astype(np.float32)
        nowhere = np.full(MEMBERS, UNMATCHED)
        stamp = int(tape.stamps[time * MEMBERS])
        answers.append(HeadAnswer("pi", COLLECTING, 0, given, given[:, :1], nowhere, nowhere.copy(), stamp))
    return UpdateReading(update=1, steps=1, tape=tape, answers=tuple(answers))


def find_lags(reading: UpdateReading) -> list[float]:
    return [flaw.number for flaw in find_late_acting(reading) if flaw.kind == LATE_ACTING]


def test_a_normalised_observation_of_the_step_before_is_told() -> None:
    assert find_lags(collect(1, together=True)) == [1]
    assert find_lags(collect(1, together=False)) == [1], "environments that are stepped one after the other"
    assert find_lags(collect(2, together=False)) == [2]


def test_the_observation_of_the_step_itself_accuses_nobody() -> None:
    assert find_lags(collect(0, together=True)) == []
    assert find_lags(collect(0, together=False)) == []


def test_what_follows_no_step_exactly_tells_nothing() -> None:
    assert find_lags(collect(1, together=True, noise=0.3)) == []
