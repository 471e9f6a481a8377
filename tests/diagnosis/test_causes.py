from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings


def test_the_earlier_break_is_named_first():
    # the policy is torn at a tenth of the run; gradients explode only later
    run = run_of(
        {
            "policy.clip_fraction": step_change(0.1, 0.7, at=0.1, spread=0.01),
            "optimizer.gradient_norm": step_change(1.0, 1e6, at=0.7, spread=0.1),
            "reward.episode_return": noisy(20, 2),
        }
    )
    assert diagnose(run).first_break.code == "POL301"


def test_and_the_other_way_round():
    run = run_of(
        {
            "policy.clip_fraction": step_change(0.1, 0.7, at=0.7, spread=0.01),
            "optimizer.gradient_norm": step_change(1.0, 1e6, at=0.1, spread=0.1),
            "reward.episode_return": noisy(20, 2),
        }
    )
    assert diagnose(run).first_break.code == "OPT301"


def test_what_follows_is_folded_and_two_faults_stay_two():
    run = run_of(
        {
            "policy.clip_fraction": step_change(0.1, 0.7, at=0.1, spread=0.01),
            "exploration.entropy": step_change(0.69, 0.001, at=0.4),
            "system.env_steps_per_second": ramp(1000, 100, 5),
            "reward.episode_return": noisy(20, 2),
        }
    )
    diagnosis = diagnose(run)
    under = {finding.code for finding in diagnosis.under("POL301")}
    assert {"EXP301", "REW301"} <= under
    assert {finding.link for finding in diagnosis.causes if finding.severity > 1} == {Link.POLICY, Link.SYSTEM}


def test_a_symptom_never_goes_before_its_cause():
    run = run_of({"policy.kl": noisy(20, 2), "reward.episode_return": noisy(20, 2)})
    diagnosis = diagnose(run)
    assert diagnosis.first_break.code == "POL303"
    assert next(f for f in diagnosis.findings if f.code == "REW301").consequence_of == "POL303"


def test_a_healthy_trainer_that_learns_nothing_is_sent_to_the_tiers():
    run = run_of(
        {
            "policy.kl": noisy(0.01, 0.001),
            "policy.clip_fraction": noisy(0.1, 0.01),
            "value.explained_variance": rising(0, 0.8),
            "exploration.entropy": ramp(0.69, 0.4, 0.01),
            "optimizer.gradient_norm": noisy(1.0, 0.1),
            "reward.episode_return": noisy(20, 2),
        },
        {"total_timesteps": 204_800},
    )
    diagnosis = diagnose(run)
    assert diagnosis.first_break.code == "REW301"
    assert "the trainer works" in diagnosis.advice[0]
    assert [tier[:2] for tier in diagnosis.advice[1:]] == ["1.", "2.", "3."]


def test_too_little_evidence_is_unclear_and_learning_is_healthy():
    assert diagnose(run_of({"policy.kl": [0.01]})).verdict is Verdict.UNCLEAR
    learning = run_of(
        {
            "policy.kl": noisy(0.01, 0.001),
            "policy.clip_fraction": noisy(0.1, 0.01),
            "value.explained_variance": rising(0, 0.8),
            "exploration.entropy": ramp(0.69, 0.4, 0.01),
            "reward.episode_return": rising(20, 400),
        }
    )
    assert diagnose(learning).verdict is Verdict.HEALTHY


def test_a_rule_that_fails_is_told_and_hides_nothing(monkeypatch):
    from weaklink.judge.rules._registry import load_rules

    def fails(run):
        raise ZeroDivisionError("planted")

    monkeypatch.setitem(load_rules()["POL301"].__dict__, "judge", fails)
    diagnosis = diagnose(run_of({"policy.clip_fraction": noisy(0.1, 0.01), "policy.kl": noisy(20, 2)}))
    assert diagnosis.unable == {"POL301": "ZeroDivisionError: planted"}
    assert diagnosis.first_break.code == "POL303"


def test_thresholds_and_selection_reach_the_rules():
    run = run_of({"policy.clip_fraction": noisy(0.2, 0.01), "reward.episode_return": noisy(20, 2)})
    assert not diagnose(run, RuleSettings.of(select=["POL301"])).findings
    stricter = RuleSettings.of(select=["POL301"], thresholds={"POL301": {"lasting": "0.1"}})
    assert diagnose(run, stricter).first_break.code == "POL301"
    assert np.isfinite(diagnose(run, stricter).findings[0].evidence[0].value)


def test_a_key_whose_metric_another_key_gave_is_not_called_unknown():
    from weaklink.collect.readers import read_text

    rows = [
        f'{{"step": {i}, "gradients/grad_norm": 1.0, "gradients/actor_grad_norm": 2.0, "mine": 3}}' for i in range(9)
    ]
    diagnosis = diagnose(read_text("\n".join(rows)))
    assert diagnosis.unknown_keys == ("mine",)
    assert any("gradients/actor_grad_norm (gradients/grad_norm)" in note for note in diagnosis.notes)


def test_a_setting_that_is_a_little_odd_is_not_borne_out_by_what_another_fault_leads_to():
    curves = {
        "reward.episode_return": np.append(ramp(22, 9.4, 0.4, points=30), noisy(9.3, 0.1, points=70)),
        "exploration.entropy": 0.69 * np.exp(-np.linspace(0, 9, 100)),
    }
    codes = {
        rate: diagnose(run_of(curves, {"algo": "reinforce", "lr": rate, "total_timesteps": 204_800})).first_break.code
        for rate in (0.02, 0.5)
    }
    assert codes == {0.02: "POL309", 0.5: "OPT101"}


def test_a_critic_that_one_large_step_made_a_constant_is_no_fault_of_the_observations():
    curves = {
        "value.explained_variance": np.zeros(100),
        "value.loss": noisy(40, 4),
        "reward.episode_return": noisy(9.4, 0.1),
        "policy.kl": noisy(0.5, 0.1),
    }
    large, usual = (diagnose(run_of(curves, {"algo": "ppo", "lr": rate})) for rate in (0.3, 3e-4))
    assert large.first_break.code == "OPT101"
    assert {found.code: found.consequence_of for found in large.findings}["OBS302"] == "OPT101"
    assert {found.code: found.consequence_of for found in usual.findings}["OBS302"] != "OPT101"
