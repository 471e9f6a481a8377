"""Recorded healthy runs, early, in the middle and late: nothing unexpected at warn or above."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import diagnose

HERE = Path(__file__).parent / "healthy"
RUNS = sorted((HERE / "runs").iterdir())
STAGES = {"early": 0.2, "middle": 0.5, "late": 1.0}
EXPECTED: dict[str, dict[str, str]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def until(run: Run, share: float) -> Run:
    """The run as it was when this share of its steps had been made."""
    last = share * run.last_step
    return replace(run, series={name: _cut(series, last) for name, series in run.series.items()})


def _cut(series: Series, last: float) -> Series:
    keep = series.steps <= last
    return Series.of(series.name, series.steps[keep], series.values[keep], provenance=series.provenance)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("knows", ["with config", "without config"])
@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_nothing_unexpected(folder: Path, stage: str, knows: str):
    run = until(read(folder), STAGES[stage])
    if knows == "without config":
        run = replace(run, config=Config())
    diagnosis = diagnose(run)
    expected = EXPECTED.get(f"{folder.name} {stage}", {})
    alarms = {f.code: f.message for f in diagnosis.findings if f.severity >= Level.WARN and f.code not in expected}
    assert not alarms
    assert not diagnosis.unable


def test_most_finished_runs_are_called_healthy():
    verdicts = [diagnose(read(folder)).verdict for folder in RUNS]
    assert verdicts.count(Verdict.HEALTHY) >= 0.7 * len(verdicts)


def test_every_expectation_is_of_a_recorded_run_and_says_why():
    names = {f"{folder.name} {stage}" for folder in RUNS for stage in STAGES}
    assert set(EXPECTED) <= names
    assert all(len(why) > 20 for findings in EXPECTED.values() for why in findings.values())
