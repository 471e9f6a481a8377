from __future__ import annotations

import numpy as np

from tests.curves import STEPS_PER_POINT, noisy, ramp, rising, run_of
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.rules.optimizer.learning_rate_climbing import learning_rate_climbing

FALLS = np.concatenate((rising(20, 300, points=40), noisy(10, 2, points=60)))
SET = {"algo": "ppo", "learning_rate": 1e-3}


def made(rates, returns=FALLS, config=SET):
    return run_of({"optimizer.learning_rate": rates, "reward.episode_return": returns}, config)


def sick():
    return [
        made(ramp(1e-4, 0.1)),
        made(1e-3 * 1.05 ** np.arange(100)),
        # nothing is set: the first rate is what was meant
        made(ramp(1e-3, 0.08), config={"algo": "ppo"}),
        made(ramp(1e-5, 0.02), noisy(0.1, 0.01), {"algo": "grpo", "learning_rate": 1e-5}),
        # it jumps once and stays there
        made(np.where(np.arange(100) < 40, 1e-3, 0.15)),
    ]


def healthy():
    cycle = 0.02 * np.sin(np.pi * np.linspace(0.02, 0.98, 100))
    return [
        # a warm-up that ends, and one that is as long as the run
        made(np.minimum(ramp(1e-5, 4e-3), 1e-3)),
        made(ramp(1e-6, 1e-3)),
        # a cycle goes up and down again, and so does a rate that follows the KL
        made(cycle),
        made(np.where(np.arange(100) % 3, 0.02, 1e-3)),
        # it comes back, and as large as that from the first point on
        made(np.where(np.arange(100) // 20 == 2, 0.15, 1e-3)),
        made(np.full(100, 0.15), config={"algo": "ppo"}),
        # a rate that is meant to be larger than usual
        made(ramp(1e-3, 0.05), config={"algo": "ppo", "learning_rate": 0.05}),
        # a search for the largest rate, which still learns
        made(ramp(1e-4, 0.1), rising(20, 300)),
    ]


def test_it_comes_before_the_fall_that_it_leads_to():
    diagnosis = diagnose(sick()[0])
    assert diagnosis.first_break.code == "OPT309"
    assert "REW304" in {finding.code for finding in diagnosis.under("OPT309")}


def test_a_rate_that_jumps_is_seen_where_it_jumps():
    finding = learning_rate_climbing.rule.ask(made(np.where(np.arange(100) < 40, 1e-3, 0.15)))
    assert finding.onset == 41 * STEPS_PER_POINT
