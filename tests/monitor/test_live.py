"""Which illnesses count while a run grows: those that last."""

from __future__ import annotations

from weaklink.collect.monitor.live import LiveRun
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.rule_judge import RuleJudge


def grown(rows, step=100.0, kl=3.0):
    """A run in which the policy leaves its trust region at every update."""
    live = LiveRun("run", {}, RuleJudge(RuleSettings()))
    for number in range(1, rows + 1):
        live.add(number * step, float(number), {"policy.kl": kl})
    return live


def codes(live):
    return {finding.code for finding in live.alarms()}


def test_one_look_is_not_enough():
    live = grown(100)
    assert codes(live) == set()
    assert codes(live) == set()


def test_rows_of_the_same_step_are_nothing_new():
    live = grown(20)
    assert codes(live) == set()
    for _ in range(5):
        live.add(2_000.0, 30.0, {"value.loss": 1.0})
    assert codes(live) == set()


def test_what_lasts_over_a_twentieth_of_the_run_is_told():
    live = grown(100)
    assert codes(live) == set()
    for number in (101, 102, 103):
        live.add(number * 100.0, float(number), {"policy.kl": 3.0})
    assert codes(live) == set()
    for number in (104, 105, 106):
        live.add(number * 100.0, float(number), {"policy.kl": 3.0})
    assert codes(live) == {"POL303"}


def test_a_number_that_is_none_is_told_at_once():
    live = grown(20, kl=0.01)
    for number in range(21, 26):
        live.add(number * 100.0, float(number), {"policy.kl": float("nan")})
    assert codes(live) == {"OPT300"}
