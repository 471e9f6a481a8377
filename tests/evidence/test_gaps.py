"""Stretches that a monitor left out: which curves they make impossible to judge, and which not."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.gaps import BUDGET, MOST_GAPS, Gap, add_gap, parse_gap
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.evidence.store import save
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.engine import diagnose

EVERYWHERE, HOLED = np.arange(0.0, 1000.0, 10.0), np.r_[np.arange(0.0, 100.0, 10.0), np.arange(900.0, 1000.0, 10.0)]


def a_run(*gaps, kl=HOLED, returns=EVERYWHERE):
    series = {
        "policy.kl": Series.of("policy.kl", kl, np.full(len(kl), 0.01)),
        "reward.episode_return": Series.of("reward.episode_return", returns, returns),
    }
    return Run(name="run", series=series, gaps=gaps)


def test_a_wide_hole_that_was_written_down_is_not_judged_across():
    run = a_run(Gap(90.0, 900.0, 80))
    assert "policy.kl" not in run
    assert run.holes["policy.kl"] == Gap(90.0, 900.0, 80)
    diagnosis = diagnose(run)
    assert diagnosis.blind["POL303"][0].startswith("policy.kl: not measured")
    assert all(wish.metric != "policy.kl" for wish in diagnosis.wishes)
    assert "the monitor's budget left 80 updates unmeasured between steps 90 and 900" in diagnosis.notes[-1]


def test_a_log_that_is_merely_sparse_is_judged():
    assert "policy.kl" in a_run()
    assert "policy.kl" in a_run(Gap(90.0, 200.0, 10))


def test_many_small_gaps_are_no_hole():
    sampled = np.arange(0.0, 1000.0, 50.0)
    gaps = [Gap(float(start), float(start + 50), 4) for start in sampled]
    assert "policy.kl" in a_run(*gaps, kl=sampled)


def test_the_end_of_a_run_can_be_missing():
    assert "policy.kl" not in a_run(Gap(90.0, 1000.0, 90), kl=np.arange(0.0, 100.0, 10.0))


def test_returns_are_never_rationed_but_their_part_may_fail():
    sparse = np.r_[np.arange(0.0, 50.0, 5.0), np.arange(950.0, 1000.0, 5.0)]
    kept = a_run(Gap(50.0, 950.0, 90, BUDGET), kl=EVERYWHERE, returns=sparse)
    assert kept.performance is not None
    lost = a_run(Gap(50.0, 950.0, 0, "episodes failed 9 times"), kl=EVERYWHERE, returns=sparse)
    assert lost.performance is None
    assert "episodes failed 9 times" in diagnose(lost).notes[-1]


def test_a_recording_keeps_its_gaps(tmp_path):
    run = a_run(Gap(90.0, 900.0, 80))
    save(run, tmp_path / "run")
    assert read(tmp_path / "run").gaps == run.gaps


def test_what_is_no_gap_is_passed_over():
    assert parse_gap({"start": 1, "end": 2.5, "updates": 3}) == Gap(1.0, 2.5, 3)
    assert [parse_gap(broken) for broken in (None, 7, {}, {"start": "a", "end": 2}, [1, 2])] == [None] * 5


def test_gaps_are_kept_in_bounded_memory():
    gaps: list[Gap] = []
    for number in range(5 * MOST_GAPS):
        add_gap(gaps, Gap(10.0 * number, 10.0 * number + 9.0, 1))
    assert len(gaps) <= MOST_GAPS
    assert (gaps[0].start, gaps[-1].end) == (0.0, 50.0 * MOST_GAPS - 1.0)
    assert sum(gap.updates for gap in gaps) == 5 * MOST_GAPS
