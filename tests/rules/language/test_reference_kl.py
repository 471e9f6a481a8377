from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from tests.sampled import Training
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM310")
AWAY = 0.05 * np.exp(np.linspace(0, 7, 100)) + np.abs(noisy(0, 0.01))
TIED = {"algo": "grpo", "beta": 5.0}


def sick_runs():
    return [
        run_of({"policy.kl_reference": AWAY, "reward.mean": rising(0.2, 0.9)}),
        run_of({"policy.kl_reference": step_change(0.02, 2.0, spread=0.005), "reward.mean": ramp(0.8, 0.2, 0.02)}),
        run_of({"policy.kl_reference": np.abs(noisy(1e-5, 1e-6)), "reward.mean": noisy(0.3, 0.02)}, TIED),
        run_of(
            {"policy.kl_reference": np.zeros(100), "optimizer.gradient_norm": noisy(0.3, 0.02)},
            {"algo": "grpo", "beta": 0.04},
        ),
        run_of(
            {"policy.kl_reference": noisy(2e-4, 1e-5), "reward.mean": noisy(0.3, 0.02)}, {"algo": "grpo", "beta": 0.2}
        ),
        # the stronger it is held, the more of its scatter is left by the weight alone
        run_of({"policy.kl_reference": noisy(1.5e-3, 2e-4), "reward.mean": noisy(0.07, 0.01)}, TIED),
    ]


def healthy_runs():
    spikes = rising(0.0005, 0.06)
    spikes[[30, 60, 61]] = 15.0
    return [
        # a hundredfold from next to nothing while the reward rises, with harmless spikes
        run_of({"policy.kl_reference": spikes, "reward.mean": rising(0.2, 1.6)}),
        run_of({"policy.kl_reference": AWAY, "evaluation.score": rising(0.2, 0.9)}),
        run_of({"policy.kl_reference": noisy(6.0, 0.5), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"policy.kl_reference": noisy(14.0, 0.5), "reward.mean": noisy(0.3, 0.02)}),
        # slow learning under a usual weight
        run_of(
            {"policy.kl_reference": noisy(2.5e-4, 3e-5), "reward.mean": noisy(0.3, 0.05)},
            {"algo": "grpo", "beta": 0.04},
        ),
        run_of(
            {"policy.kl_reference": np.zeros(100), "optimizer.gradient_norm": noisy(0.3, 0.02)},
            {"algo": "grpo", "beta": 0.0},
        ),
        run_of({"policy.kl_reference": np.abs(noisy(1e-5, 1e-6)), "reward.mean": rising(0.3, 0.8)}, TIED),
        run_of({"policy.kl_reference": noisy(1.5e-3, 2e-4), "reward.mean": rising(0.07, 0.6)}, TIED),
        # as close under a usual weight, at the start of a slow training
        run_of({"policy.kl_reference": noisy(1.5e-3, 2e-4), "reward.mean": noisy(0.07, 0.01)}, {"beta": 0.1}),
    ]


def sick_samples():
    t = Training()
    far = np.maximum(t.normal(t.ramp(0.01, 20.0), 1.0), 0.0)
    return [
        t.samples(kl=far, gold=t.chance(0.4), reward=t.share(t.ramp(0.3, 0.8))),
        t.samples(kl=far / 10, gold=t.chance(t.ramp(0.6, 0.2)), reward=t.share(t.ramp(0.3, 0.8))),
        t.samples(kl=far, reward=t.share(0.4)),
    ]


def healthy_samples():
    t = Training()
    far = np.maximum(t.normal(t.ramp(0.01, 20.0), 1.0), 0.0)
    return [
        t.samples(kl=far, gold=t.chance(t.ramp(0.2, 0.7))),
        t.samples(kl=far / 10, gold=t.chance(0.4), reward=t.share(t.ramp(0.3, 0.8))),
        t.samples(kl=far, reward=t.share(t.ramp(0.3, 0.8))),
        t.samples(kl=t.normal(0.05, 0.02), gold=t.chance(0.4)),
        t.samples(kl=t.normal(12.0, 1.0), gold=t.chance(0.4)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_levels():
    assert [RULE.ask(run).level for run in sick_runs()] == [*4 * [Level.WARN], Level.INFO, Level.WARN]


def test_the_onset_is_where_it_left():
    assert abs(RULE.ask(sick_runs()[1]).onset - 0.5 * 204_800) < 0.03 * 204_800
