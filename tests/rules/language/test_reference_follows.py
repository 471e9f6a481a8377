from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of


def of(chosen, rejected, **others):
    return run_of({"reward.chosen": chosen, "reward.rejected": rejected, **others}, {"algo": "dpo"})


def sick():
    still = np.zeros(100)
    return [
        of(still, still, **{"optimizer.gradient_norm": np.abs(noisy(0.2, 0.02))}),
        of(still, still, **{"policy.log_prob_rejected": ramp(-6, -35, 1)}),
    ]


def healthy():
    still, norms = np.zeros(100), {"optimizer.gradient_norm": np.abs(noisy(0.2, 0.02))}
    return [
        of(ramp(0, -0.2, 0.02), ramp(0, -1.2, 0.02), **norms),
        of(still, ramp(0, -1.2, 0.02), **norms),
        of(still, still, **{"optimizer.gradient_norm": still}),
        of(ramp(0, 1e-3), ramp(0, -1e-3), **norms),
    ]
