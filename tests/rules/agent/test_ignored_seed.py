from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples


def episodes(t: Training, **columns) -> Samples:
    """Trajectories in one world, with a seed each; `columns` tell what is otherwise."""
    first = t.rng.integers(0, 4, t.rows)
    told = {
        "group": None,
        "figure__env_seed": t.rng.integers(0, 10**6, t.rows),
        "task": np.ones(t.rows),
        "prompt_length": np.full(t.rows, 60),
        "first_call": first,
        "first_result": 100 + first,
    }
    return t.samples(**(told | columns))


def sick():
    t = Training()
    return [episodes(t), episodes(t, step=None)]


def healthy():
    t = Training()
    first = t.rng.integers(0, 4, t.rows)
    return [
        # each seed has a task of its own, or one phrase for all and a world that is observed
        episodes(t, task=t.group),
        episodes(t, prompt_length=np.full(t.rows, 8)),
        episodes(t, first_call=first, first_result=t.rng.integers(0, 9, t.rows)),
        # one seed was asked for; it is the sampler's
        episodes(t, figure__env_seed=np.full(t.rows, 42)),
        episodes(t, figure__env_seed=np.full(t.rows, np.nan), figure__seed=np.arange(t.rows)),
        # whatever is done first has one answer
        episodes(t, first_result=np.ones(t.rows)),
    ]
