from __future__ import annotations

import numpy as np

from tests.curves import noisy, run_of

FALLING = 5.0 * np.exp(-np.linspace(0, 6, 100))


def made(norm, loss=FALLING, **config):
    return run_of({"optimizer.gradient_norm": norm, "value.loss": loss}, config)


def grown(level, spread=0.01):
    norm = noisy(level, spread * level)
    norm[:3] = level / 4, level / 2, 0.8 * level
    return norm


def sick():
    return [made(grown(115.0)), made(grown(2.0), max_grad_norm=0.5)]


def healthy():
    return [
        # gradients scatter, and shrink with the loss
        made(grown(115.0, 0.2)),
        made(np.maximum(FALLING, 0.01)),
        # the norm after clipping
        made(grown(0.5, 0.001), max_grad_norm=0.5),
        made([0.5] * 100),
        # a loss that is as large as ever
        made(grown(115.0), noisy(5.0, 0.5)),
    ]
