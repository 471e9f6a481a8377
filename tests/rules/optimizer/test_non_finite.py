from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.diagnosis.engine import diagnose
from weaklink.finding import Level


def _from(curve, at, value=np.nan):
    broken = np.array(curve, dtype=float)
    broken[at:] = value
    return broken


def sick():
    spiking = noisy(1.0, 0.1)
    spiking[58:60] = 5000.0
    return [
        run_of({"policy.loss": _from(noisy(0.1, 0.01), 60), "reward.episode_return": rising(20, 300)}),
        run_of({"optimizer.loss": _from(noisy(0.1, 0.01), 60, np.inf), "optimizer.gradient_norm": spiking}),
    ]


def healthy():
    # undefined by nature: no variance to explain, no episode ended yet, a metric that discrete actions do not have
    undefined = noisy(0.5, 0.1)
    undefined[[3, 40, 80]] = np.nan
    waiting = rising(20, 300)
    waiting[:5] = np.nan
    return [
        run_of({"value.explained_variance": undefined, "reward.episode_return": rising(20, 300)}),
        run_of({"reward.episode_return": waiting, "policy.kl": noisy(0.01, 0.001)}),
        run_of({"exploration.action_std": np.full(100, np.nan), "policy.kl": ramp(0.01, 0.02)}),
    ]


def test_the_forerunner_is_named():
    finding = next(f for f in diagnose(sick()[1]).findings if f.code == "OPT300")
    assert "optimizer.gradient_norm" in finding.message
    assert finding.onset == 61 * 2048


def test_one_skipped_step_is_a_warning_only():
    once = noisy(0.1, 0.01)
    once[50] = np.inf
    finding = next(f for f in diagnose(run_of({"policy.loss": once})).findings if f.code == "OPT300")
    assert finding.level is Level.WARN
