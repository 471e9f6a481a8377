from __future__ import annotations

from tests.curves import noisy, ramp, run_of
from weaklink.base.evidence.config import Config
from weaklink.judge.diagnosis.engine import diagnose


def sick():
    return [Config.of(each) for each in ({"algo": "ppo", "gae_lambda": 0.0}, {"algo": "ppo", "lam": 0.2})]


def healthy():
    return [Config.of(each) for each in ({"algo": "ppo", "gae_lambda": 0.8}, {"algo": "ppo", "lam": 1.0})]


def test_a_critic_that_does_not_fit_is_not_what_it_leads_to():
    curves = {"value.explained_variance": noisy(-0.2, 0.02), "reward.episode_return": ramp(16, 9, 0.2)}
    diagnosis = diagnose(run_of(curves, {"algo": "ppo", "gae_lambda": 0.0}))
    told = next(one for one in diagnosis.findings if one.code == "RET103").message
    assert "Explained variance" not in told
