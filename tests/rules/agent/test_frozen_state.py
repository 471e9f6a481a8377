from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples


def agents(t: Training, changed: np.ndarray, path: np.ndarray | None = None) -> Samples:
    path = t.rng.integers(0, 4, t.rows) if path is None else path
    return t.samples(state_changed=changed, path=path, task=t.group)


def sick():
    t = Training()
    early = t.progress < 0.5
    return [agents(t, early * 1.0), agents(t, early * t.chance(0.7))]


def healthy():
    t = Training()
    early, path = t.progress < 0.5, t.rng.integers(0, 4, t.rows)
    return [
        agents(t, np.ones(t.rows)),
        agents(t, t.chance(t.ramp(0.9, 0.2))),
        # tasks that hardly ever ask for a change
        agents(t, early * t.chance(0.2)),
        # the agent stopped to call what changes things
        agents(t, early * 1.0, np.where(early, path, 9)),
        # too few after the last change
        agents(t, (t.progress < 0.99) * 1.0).where(np.arange(t.rows) < t.rows - 20),
    ]
