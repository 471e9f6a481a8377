from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM352")


def answers(t: Training) -> np.ndarray:
    """Three short answers to each prompt, so that the same one comes several times."""
    return t.group * 3 + t.rng.integers(0, 3, t.rows)


def sick():
    t = Training()
    text = answers(t)
    return [
        t.samples(text=text, prompt=t.group, reward=t.rng.random(t.rows)),
        t.samples(text=text, prompt=t.group, reward=t.chance(0.5)),
        t.samples(text=text, prompt=t.group, step=None, reward=np.round(10 * t.rng.random(t.rows))),
    ]


def healthy():
    t = Training()
    text = answers(t)
    right = (text % 3 == 0) * 1.0
    return [
        t.samples(text=text, prompt=t.group, reward=right),
        # a judge that is sure to a tenth
        t.samples(text=text, prompt=t.group, reward=0.8 * right + 0.1 * t.rng.random(t.rows)),
        # a policy that has collapsed: nothing but small differences is left
        t.samples(text=t.group, prompt=t.group, reward=np.append(t.share(0.7, 0.05)[1:], 0.0)),
        # an environment that answers differently
        t.samples(text=text, prompt=t.group, reward=t.chance(0.5), turns=np.full(t.rows, 6.0)),
        # graded otherwise at every step
        t.samples(text=text % 3, prompt=t.group % 6, reward=(text % 3 == 0) * (1.0 + t.step / 10)),
        # something that the text does not show decides, and the outcome knows it
        t.samples(text=text, prompt=t.group, reward=(hidden := t.chance(0.5)), gold=hidden),
        # no text comes twice
        t.samples(text=np.arange(t.rows), prompt=t.group, reward=t.chance(0.5)),
    ]


def test_texts_that_come_once_do_not_tell():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
