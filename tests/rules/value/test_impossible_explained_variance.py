from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def sick():
    return [
        run_of({"reward.episode_return": noisy(20, 2), "value.explained_variance": noisy(3.4, 0.2)}),
        run_of({"value.explained_variance": noisy(1.2, 0.05)}),
    ]


def healthy():
    return [
        run_of({"value.explained_variance": np.minimum(rising(-0.2, 1.0), 1.0)}),
        run_of({"value.explained_variance": np.full(50, 1.0 + 1e-6)}),
        run_of({"value.explained_variance": np.append(noisy(0.8, 0.05), [40.0])}),
    ]
