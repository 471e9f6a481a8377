from __future__ import annotations

import numpy as np

from tests.sampled import Training


def write(copies: np.ndarray, *, words: float = 40.0, seed: int = 0, **columns):
    """Rows of which each is written so many times, in any order."""
    t = Training()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.repeat(np.arange(len(copies)), copies))
    made = {"text": rows, "prompt": rows // 2, "group": rows // 2, "length": np.full(len(rows), words)}
    return t.samples(step=None, **made, reward=np.sin(rows * 1.0), **columns)


def sick():
    rng = np.random.default_rng(1)
    return [write(rng.integers(1, 9, 80)), write(np.where(rng.random(120) < 0.4, 5, 1))]


def healthy():
    t = Training()
    rng = np.random.default_rng(1)
    copies = rng.integers(1, 9, 80)
    collapsed = {"text": t.group, "prompt": t.group, "length": np.full(t.rows, 40.0)}
    order = np.argsort(np.tile(np.arange(t.size), t.steps * t.prompts), kind="stable")
    return [
        write(np.ones(200, int)),
        # a few rows twice
        write(np.where(rng.random(300) < 0.05, 2, 1)),
        # a policy that does not sample: equal rows together, in groups of one size; or in turns
        t.samples(**collapsed, reward=np.sin(t.group)),
        t.samples(step=None, **{name: column[order] for name, column in collapsed.items()}, group=t.group[order]),
        # short answers come back
        write(copies, words=6.0),
        # rows that have names of their own, and trajectories of a few actions
        write(copies, id=np.arange(copies.sum())),
        write(copies, turns=np.full(copies.sum(), 5.0)),
    ]
