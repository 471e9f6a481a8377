from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

SOLVED = np.clip(rising(0.3, 1.2), 0, 1)


def made(paid, tested, algo="grpo"):
    return run_of({"reward.mean": paid, "evaluation.return": tested}, {"algo": algo})


def sick():
    return [made(SOLVED, noisy(0.31, 0.01)), made(SOLVED, noisy(0.1, 0.01, points=12))]


def healthy():
    return [
        made(SOLVED, np.clip(rising(0.3, 0.95), 0, 1)),
        # a harder evaluation, which gains
        made(SOLVED, np.clip(rising(0.1, 0.45), 0, 1)),
        # not solved in training either
        made(np.clip(rising(0.2, 0.6), 0, 1), noisy(0.2, 0.01)),
        # a small gap
        made(SOLVED, noisy(0.8, 0.01)),
        # other units, another kind of training
        made(SOLVED, noisy(-3.0, 0.1)),
        made(SOLVED, noisy(0.31, 0.01), "ppo"),
    ]
