from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.judge.diagnosis.engine import diagnose


def sick():
    return [
        run_of({"policy.kl": noisy(20, 2), "reward.episode_return": rising(20, 80)}),
        run_of({"policy.kl": noisy(0.12, 0.01), "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": noisy(0.04, 0.003), "reward.episode_return": noisy(20, 2)}, {"target_kl": 0.01}),
        run_of(
            {
                "policy.kl": np.append([44.0, 54.0, 0.02], np.zeros(97)),
                "exploration.entropy": np.append([0.03, 0.01], np.zeros(98)),
                "reward.episode_return": np.full(100, -500.0),
            }
        ),
    ]


def healthy():
    # single spikes; a locomotion run that sits at 0.03 to 0.1 and learns; a KL below twice its target
    spikes = np.abs(noisy(0.01, 0.002))
    spikes[[10, 50]] = 0.9
    return [
        run_of({"policy.kl": spikes, "reward.episode_return": noisy(20, 2)}),
        run_of({"policy.kl": noisy(0.07, 0.015), "reward.episode_return": rising(-128, 2360)}),
        run_of({"policy.kl": noisy(0.05, 0.003), "reward.episode_return": noisy(20, 2)}, {"target_kl": 0.04}),
    ]


def test_entropy_collapse_is_folded_under_it():
    run = run_of(
        {"policy.kl": noisy(20, 2), "exploration.entropy": np.full(100, 0.002), "reward.episode_return": noisy(20, 2)}
    )
    found = {finding.code: finding for finding in diagnose(run).findings}
    assert diagnose(run).first_break.code == "POL303"
    assert found["EXP301"].consequence_of == "POL303"
