"""Healthy environments get no alarm: a fast part of bench/preflight_faults.py, in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sparing import spare
from tests.surveying import UNHURRIED
from weaklink.base.finding import Level

# a survey watches warnings itself; pytest must not turn them into exceptions inside of an environment
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.slow]

EXPECTED = json.loads((Path(__file__).parent / "worlds" / "healthy.json").read_text(encoding="utf-8"))
STEPS, EPISODES = 3_000, 40

CHOSEN = [
    "CartPole-v1",
    "MountainCarContinuous-v0",
    "Pendulum-v1",
    "Blackjack-v1",
    "FrozenLake-v1",
    "Taxi-v4",
    "Reacher-v5",
    "MiniGrid-Empty-5x5-v0",
]
"""One of each kind: `make bench-preflight` surveys them all."""

QUICKEST = {"CartPole-v1", "MountainCarContinuous-v0", "FrozenLake-v1"}
"""Numbers seen and choices, numbers done, a table."""


@pytest.mark.parametrize("name", spare(CHOSEN, lambda name: name in QUICKEST))
def test_a_healthy_environment_gets_no_alarm_that_is_not_expected(name):
    from weaklink import preflight

    expected = set(EXPECTED[name])
    alarms = [
        f"{finding.severity.word} {finding.code} {finding.message}"
        for finding in preflight(
            name, isolate=False, seconds=UNHURRIED, steps=STEPS, episodes=EPISODES, seed=0
        ).diagnosis.findings
        if finding.severity >= Level.WARN and not {finding.code, finding.consequence_of} & expected
    ]
    assert alarms == []


def test_every_expectation_has_a_code_and_a_reason():
    assert set(CHOSEN) <= set(EXPECTED)
    for name, codes in EXPECTED.items():
        for code, reason in codes.items():
            assert code[:3] in ("ENV", "OBS", "ACT", "REW", "TSK"), name
            assert reason.endswith("."), name
