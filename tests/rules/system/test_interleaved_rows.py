from __future__ import annotations

import numpy as np

from tests.curves import noise, ramp
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series


def made(first, second, name="optimizer.learning_rate"):
    steps = np.repeat(np.arange(1, len(first) + 1) * 1024, 2)
    values = np.ravel(np.column_stack([first, second]))
    return Run(name="made", series={name: Series.of(name, steps, values, provenance=Provenance(name, "step"))})


def sick():
    return [
        made(np.full(40, 1.5e-3), np.full(40, 2e-4)),
        made(ramp(1.0, 0.05), ramp(0.5, 0.3), "exploration.epsilon"),
        made(ramp(1.1, 0.3, 0.01), ramp(1.1, 0.9, 0.01, seed=1), "exploration.entropy"),
    ]


def healthy():
    same = ramp(1.1, 0.3, 0.01)
    alone = np.full(40, 1e-3)
    once = Series.of(
        "optimizer.learning_rate", np.arange(80), ramp(1e-3, 0, points=80), provenance=Provenance("lr", "")
    )
    return [
        # two rows of one step, as of two ranks or two minibatches
        made(alone, alone),
        made(same, same + noise(0.01, seed=2), "exploration.entropy"),
        Run(name="made", series={"optimizer.learning_rate": once}),
    ]
