from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

SUCCESS = np.round(np.clip(rising(0.02, 0.6), 0, 1), 2)


def of(tested, paid, returns=SUCCESS, name="reward.mean"):
    return run_of(
        {
            "task.success_rate": SUCCESS,
            name: returns,
            "evaluation.success_rate": tested,
            "evaluation.return": paid,
        }
    )


def sick():
    paid = np.clip(rising(0.0, 0.7, 0.08), 0, 1)
    return [of(np.full(100, 0.95), paid), of(np.zeros(100), 10 * paid - 1, 10 * SUCCESS - 1, "reward.episode_return")]


def healthy():
    paid = np.clip(rising(0.0, 0.7, 0.08), 0, 1)
    return [
        of(paid, paid),
        of(paid + noisy(0, 0.05), paid),
        # each step costs something: success does not follow from the return
        of(np.full(100, 0.95), paid, SUCCESS - np.abs(noisy(0.1, 0.03))),
    ]
