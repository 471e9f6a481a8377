"""Networks that act on earlier observations, behind a normaliser whose statistics run on."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.flaw_kinds import LATE_ACTING
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, Tape, UpdateReading
from weaklink.collect.monitor.reading.acted_late import find_late_acting

TIMES, MEMBERS = 120, 4


def collect(lag: int, *, together: bool, noise: float = 0.0, raw: bool = False, judged: bool = False) -> UpdateReading:
    """A rollout in which a policy was asked about normalised observations of so many steps ago.

    A critic may be asked as well, after each step, about the one that was just made (`judged`).
    """
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
        # the statistics of a normaliser move on a little at every step
        scale, offset = (1.0, 0.0) if raw else (1.0 / (2.0 + 0.001 * time), -0.002 * time)
        nowhere = np.full(MEMBERS, UNMATCHED)
        stamp = int(tape.stamps[time * MEMBERS])
        for head, back in ([("critic", 1)] if judged else []) + [("pi", lag)]:
            given = walk[max(time - back, 0)] * scale + offset
            given = (given + noise * rng.normal(size=given.shape)).astype(np.float32)
            answers.append(HeadAnswer(head, COLLECTING, 0, given, given[:, :1], nowhere, nowhere.copy(), stamp))
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


def test_a_critic_that_is_asked_after_the_step_is_not_late() -> None:
    for raw in (False, True):
        for together in (False, True):
            assert find_lags(collect(0, together=together, raw=raw, judged=True)) == []
            assert find_lags(collect(2, together=together, raw=raw, judged=True)) != []
