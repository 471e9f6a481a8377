from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.collect.samples.answers import count_options

LETTERS = dict(enumerate("abcd"))


def keys(right: np.ndarray, options: float = 4.0, names: dict[int, str] | None = None) -> Samples:
    t = Training()
    by_row = right[t.group]
    made = t.samples(
        prompt=t.group, reference=by_row, answer=by_row, options=np.full(t.rows, options), reward=t.chance(0.5)
    )
    known = LETTERS if names is None else names
    return replace(made, names={"reference": known, "answer": known})


def draw(*shares: float) -> np.ndarray:
    return np.random.default_rng(0).choice(len(shares), 240, p=shares)


def sick():
    return [keys(draw(0.05, 0.85, 0.05, 0.05)), keys(draw(0.1, 0.1, 0.7, 0.1))]


def healthy():
    return [
        keys(draw(0.25, 0.25, 0.25, 0.25)),
        # uneven, as many benchmarks are
        keys(draw(0.35, 0.3, 0.2, 0.15)),
        # two options, and words that are classes and not places
        keys(draw(0.8, 0.2), options=2.0),
        keys(draw(0.8, 0.1, 0.1), names={0: "spam", 1: "news", 2: "mail"}),
    ]


def test_options_are_counted():
    assert count_options("Which one?\nA. Oslo\nB. Bern\nC. Rome\nD. Bonn") == 4
    assert count_options("Which one?\n(A) Oslo\n(B) Bern") == 2
    assert count_options("A man walks. B follows.") == 0
