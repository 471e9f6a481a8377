from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

LEARNED = np.clip(rising(0.5, 0.8, 0.05), 0, 1)


def of(score, pairs=LEARNED, **others):
    return run_of({"reward.pair_accuracy": pairs, "evaluation.score": score, **others}, {"algo": "dpo"})


def sick():
    likelier = {"policy.log_prob_chosen": ramp(-6, -14), "policy.log_prob_rejected": ramp(-4, -16)}
    return [of(np.clip(rising(0.3, 0.02, 0.01), 0, 1)), of(np.clip(rising(0.3, 0.02, 0.01), 0, 1), **likelier)]


def healthy():
    return [
        of(rising(0.3, 0.5)),
        of(noisy(0.3, 0.02)),
        of(np.append(rising(0.3, 0.6, points=50), ramp(0.6, 0.1, points=50))),  # trained for too long
        of(rising(0.3, 0.25, 0.01)),
        of(np.clip(rising(0.3, 0.02, 0.01), 0, 1), noisy(0.5, 0.05)),  # nothing was learned of the pairs
    ]
