"""Healthy runs as the live monitor recorded them: nothing unexpected early, in the middle or late, and no alarm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.quality.test_healthy_runs import STAGES, until
from tests.sparing import spare
from weaklink.base.evidence import store
from weaklink.base.finding import Level
from weaklink.collect.monitor.live import LiveRun
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.rule_judge import RuleJudge

HERE = Path(__file__).parent / "healthy_live"
RUNS = sorted((HERE / "runs").iterdir())
LOOKS = 30
AGAIN = {"ppo-pendulum", "ppo-acrobot-normalised", "ppo-torchrl-cartpole", "ppo-maskable-choices"}
"""Runs of an algorithm that another has too: they are looked at early, in the middle and late."""

EXPECTED: dict[str, dict[str, str]] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_nothing_unexpected(folder: Path, stage: str):
    diagnosis = diagnose(until(read(folder), STAGES[stage]))
    expected = EXPECTED.get(folder.name, {})
    alarms = {f.code: f.message for f in diagnosis.findings if f.severity >= Level.WARN and f.code not in expected}
    assert not alarms
    assert not diagnosis.unable


@pytest.mark.parametrize("folder", spare(RUNS, lambda folder: folder.name not in AGAIN), ids=lambda folder: folder.name)
def test_no_alarm_while_it_grows(folder: Path):
    path = folder / store.FILE
    rows = [row for line in store.read_lines(path) if (row := store.parse_row(line)) is not None]
    live = LiveRun(folder.name, store.read_header(path)["config"], RuleJudge(RuleSettings()))
    every, alarms = max(1, len(rows) // LOOKS), {}
    for number, row in enumerate(rows, 1):
        live.add(row["step"], row["time"], row["metrics"])
        if number % every == 0 or number == len(rows):
            alarms |= {finding.code: finding.message for finding in live.alarms()}
    assert not {code: told for code, told in alarms.items() if code not in EXPECTED.get(folder.name, {})}


def test_every_expectation_is_of_a_recorded_run_and_says_why():
    assert set(EXPECTED) <= {folder.name for folder in RUNS}
    assert all(len(why) > 20 for findings in EXPECTED.values() for why in findings.values())
