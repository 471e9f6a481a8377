from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.judge.diagnosis.engine import diagnose

NOWHERE = {"policy.kl": np.zeros(100), "policy.clip_fraction": np.zeros(100)}
DECIDED = np.append(np.linspace(0.6, 1e-4, 20), np.full(80, 1e-4))
WORSE = {"exploration.entropy": DECIDED, "reward.episode_return": ramp(-1.0, -1.3, 0.02)}


def sick():
    return [
        run_of({**NOWHERE, **WORSE}),
        run_of({**NOWHERE, **WORSE, "optimizer.updates": 32.0 * np.arange(1, 101)}, {"n_epochs": 4}),
    ]


def healthy():
    once = np.arange(1.0, 101)
    return [
        # one gradient step a rollout, by the settings and by the count of updates
        run_of({**NOWHERE, **WORSE}, {"n_epochs": 1, "num_minibatches": 1}),
        run_of({**NOWHERE, **WORSE, "optimizer.updates": once}),
        # a policy that learns, one that stands still, and one whose steps are seen
        run_of({**NOWHERE, **WORSE, "reward.episode_return": rising(-1, 5)}),
        run_of({**NOWHERE, **WORSE, "exploration.entropy": noisy(0.6, 0.005)}),
        run_of({**NOWHERE, **WORSE, "policy.kl": np.full(100, 1e-4)}),
    ]


def test_it_stands_before_the_entropy_that_it_lets_collapse():
    assert diagnose(sick()[1]).first_break.code == "POL320"
