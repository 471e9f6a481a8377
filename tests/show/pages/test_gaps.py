"""Stretches that a monitor left out are gaps in the curves; what is measured every few updates by plan is not."""

from __future__ import annotations

import numpy as np

from tests.show.pages.reading import charts, curve, read_back, steps
from weaklink.base.evidence.gaps import Gap
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.show.subjects.run import build

NAME = "policy.kl"
BEFORE, AFTER = np.arange(0.0, 2_000.0, 10.0), np.arange(5_000.0, 8_000.0, 10.0)


def drawn(at: np.ndarray, *gaps: Gap):
    run = Run(name="run", series={NAME: Series.of(NAME, at, np.sin(at / 100.0) + 2.0)}, gaps=gaps)
    [page] = read_back(build(diagnose(run), run))["pages"]
    chart = charts(page)["policy-kl"]
    return chart, curve(chart["lines"][0]), steps(chart["lines"][0], page)


def test_updates_that_were_not_measured_are_a_gap():
    chart, values, at = drawn(np.concatenate([BEFORE, AFTER]), Gap(1_990.0, 5_000.0, 300))
    [hole] = np.flatnonzero(np.isnan(values))
    assert at[hole - 1] == 1_990.0
    assert at[hole + 1] >= 5_000.0
    assert np.all(np.diff(at) > 0)
    assert "Not measured in 1 interval" in chart["note"]


def test_a_gap_of_a_long_curve_is_never_averaged_over():
    far = np.concatenate([BEFORE, AFTER + np.arange(len(AFTER)), np.arange(9_000.0, 60_000.0, 10.0)])
    _, values, at = drawn(far, Gap(1_990.0, 5_000.0, 300))
    [hole] = np.flatnonzero(np.isnan(values))
    assert at[hole - 1] == 1_990.0
    assert len(values) < len(far)


def test_a_log_without_known_gaps_and_a_plan_of_every_few_updates_have_none():
    for at, gaps in (
        (np.concatenate([BEFORE, AFTER]), ()),
        (BEFORE, tuple(Gap(step, step + 10.0, 4) for step in BEFORE)),
    ):
        chart, values, _ = drawn(at, *gaps)
        assert not np.isnan(values).any()
        assert "Not measured" not in chart["note"]
