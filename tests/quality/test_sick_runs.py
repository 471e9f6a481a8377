"""Recorded runs with one planted fault: the right link is named first and what follows is folded under it."""

from __future__ import annotations

from pathlib import Path

import pytest

from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import diagnose

RUNS = Path(__file__).parent / "sick" / "runs"


def diagnosed(name: str) -> Diagnosis:
    diagnosis = diagnose(read(RUNS / name))
    assert not diagnosis.unable
    return diagnosis


@pytest.mark.parametrize("task", ["cartpole", "acrobot", "pendulum", "inverted-pendulum"])
def test_a_learning_rate_of_a_tenth_is_a_policy_update_too_large(task):
    diagnosis = diagnosed(f"learning-rate-{task}")
    assert diagnosis.verdict is Verdict.BROKEN
    assert diagnosis.first_break.code == "OPT101"  # the setting is known, so it comes before what it leads to
    assert diagnosis.under("OPT101")[0].link == "policy"
    folded = {finding.code: finding.consequence_of for finding in diagnosis.findings}
    if "EXP301" in folded:
        assert folded["EXP301"] == diagnosis.first_break.code


@pytest.mark.parametrize("task", ["cartpole", "acrobot"])
def test_entropy_collapse_is_folded_under_the_policy_update(task):
    diagnosis = diagnosed(f"learning-rate-{task}")
    assert "EXP301" in {finding.code for finding in diagnosis.under(diagnosis.first_break.code)}


def test_the_same_fault_is_seen_in_a_log_of_another_trainer():
    diagnosis = diagnosed("cleanrl-learning-rate-acrobot")
    assert diagnosis.under(diagnosis.first_break.code)[0].link == "policy"
    assert "EXP301" in {finding.code for finding in diagnosis.under(diagnosis.first_break.code)}


@pytest.mark.parametrize("task", ["cartpole", "acrobot"])
def test_a_reward_scale_is_named_first_in_a_log_of_another_trainer(task):
    diagnosis = diagnosed(f"cleanrl-reward-scale-{task}")
    assert diagnosis.first_break.code == "REW307"
    assert {f.consequence_of for f in diagnosis.findings if f.severity > 1 and f.code != "REW307"} <= {"REW307"}


@pytest.mark.parametrize("task", ["cartpole", "acrobot", "pendulum", "inverted-pendulum"])
def test_rewards_times_a_thousand_are_a_reward_scale(task):
    diagnosis = diagnosed(f"reward-scale-{task}")
    assert diagnosis.first_break.code == "REW307"
    assert diagnosis.first_break.link == "reward"


def test_every_other_alarm_of_a_scaled_reward_is_its_consequence():
    diagnosis = diagnosed("reward-scale-pendulum")
    assert {f.consequence_of for f in diagnosis.findings if f.severity > 1 and f.code != "REW307"} <= {"REW307"}


@pytest.mark.parametrize(
    ("run", "link"),
    [
        ("learning-rate-zero-cartpole", "policy"),
        ("learning-rate-a2c-cartpole", "exploration"),
        ("learning-rate-dqn-cartpole", "value"),
    ],
)
def test_a_learning_rate_is_blamed_first_and_then_the_link_that_shows_it(run, link):
    diagnosis = diagnosed(run)
    assert diagnosis.first_break.code == "OPT101"
    assert diagnosis.under("OPT101")[0].link == link


def test_an_entropy_bonus_blames_exploration():
    assert diagnosed("entropy-bonus-cartpole").first_break.link == "exploration"


def test_a_policy_that_learnt_the_wrong_way_round_is_never_called_healthy():
    assert diagnosed("reward-sign-cartpole").verdict is not Verdict.HEALTHY
