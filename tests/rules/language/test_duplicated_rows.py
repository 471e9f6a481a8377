from __future__ import annotations

import numpy as np

from tests.sampled import Training


def write(copies: np.ndarray, *, words: float = 40.0, seed: int = 0, size: int = 2, **columns):
    """Rows of which each is written so many times, in any order."""
    t = Training()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.repeat(np.arange(len(copies)), copies))
    made = {"text": rows, "prompt": rows // size, "group": rows // size, "length": np.full(len(rows), words)}
    return t.samples(step=None, **made, reward=np.sin(rows * 1.0), **columns)


def collapse(texts: int):
    """Groups of eight completions that are up to so many texts, in any order, without a seventh of the rows."""
    t = Training(size=8)
    kept = t.rng.permutation(np.flatnonzero(t.chance(0.86)))
    text = (texts * t.group + t.rng.integers(0, texts, t.rows))[kept]
    made = {"text": text, "prompt": t.group[kept], "group": t.group[kept], "length": np.full(len(kept), 40.0)}
    return t.samples(step=None, **made, reward=np.sin(text * 1.0))


def sick():
    rng = np.random.default_rng(1)
    return [
        write(rng.integers(1, 9, 80)),
        write(np.where(rng.random(120) < 0.4, 5, 1)),
        # groups of eight, of which a third of the rows were written twice
        write(np.where(rng.random(400) < 0.35, 2, 1), size=8),
    ]


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
        # a policy that hardly samples, in any order, of which some rows were dropped: one text of each prompt, or two
        collapse(1),
        collapse(2),
        # short answers come back
        write(copies, words=6.0),
        # rows that have names of their own, and trajectories of a few actions
        write(copies, id=np.arange(copies.sum())),
        write(copies, turns=np.full(copies.sum(), 5.0)),
    ]
