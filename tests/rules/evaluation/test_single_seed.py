from __future__ import annotations

import pytest

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.fleet import Fleet
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.evaluation.single_seed import single_seed


def trained(end: float, seed: int | None, **settings):
    curve = rising(20, end, seed=seed or 0) if end > 20 else noisy(20, 2, seed=seed or 0)
    config = {"algo": "ppo", "env": "CartPole-v1", "seed": seed, "learning_rate": 3e-4, **settings}
    return run_of({"reward.episode_return": curve}, config)


def sick():
    return [
        Fleet.of([trained(400, 1)]),
        Fleet.of([trained(400, 1), trained(410, 1)]),
        Fleet.of([trained(400, 1), trained(410, 2), trained(20, 3), trained(20, 4), trained(395, 5)]),
        # a sweep: each setting has one seed
        Fleet.of([trained(400, 1, learning_rate=1e-3), trained(100, 1, learning_rate=1e-5)]),
    ]


def healthy():
    return [
        Fleet.of([trained(400, 1), trained(410, 2), trained(385, 3)]),
        Fleet.of([trained(20, 1), trained(20, 2), trained(20, 3)]),  # none of them learns: they agree
        Fleet(),
    ]


def test_gives_the_interquartile_mean_and_its_interval():
    found = single_seed.rule.ask(Fleet.of([trained(end, seed) for seed, end in enumerate((400, 410, 20, 20, 395))]))
    assert "5 seeds of ppo on CartPole disagree" in found.message
    assert found.evidence[0].value == pytest.approx(280, abs=40)
    assert found.evidence[0].limit == pytest.approx(400, abs=20)


def test_cannot_tell_without_seeds_or_environments():
    assert isinstance(single_seed.rule.ask(Fleet.of([trained(400, None), trained(20, None)])), CannotTell)
    assert isinstance(single_seed.rule.ask(Fleet.of([run_of({"reward.mean": noisy(0, 1)})])), CannotTell)
