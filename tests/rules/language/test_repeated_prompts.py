from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM322")


def drawn(chances):
    """Prompts drawn with these chances, each in a group of its own."""
    t = Training()
    groups = t.rng.choice(len(chances), t.steps * t.prompts, p=np.asarray(chances) / np.sum(chances))
    return t.samples(prompt=groups[t.group])


def sick():
    t, few = Training(steps=16, prompts=10, size=1), Training(steps=20, prompts=5)
    return [
        drawn([50.0] * 5 + [1.0] * 40),
        drawn([200.0] + [1.0] * 40),
        drawn([30.0] * 8 + [1.0] * 60),
        # duplicates under other names: half of the draws
        drawn([60.0] * 4 + [1.0] * 180),
        # five prompts of four thousand, long before all can have been drawn
        few.samples(prompt=few.group % 5, figure__dataset_size=np.full(few.rows, 4000.0)),
        # no groups: one prompt in most rows of every step
        t.samples(group=None, prompt=np.where(t.chance(0.85), 0, t.rng.integers(1, 60, t.rows))),
    ]


def healthy():
    t = Training()
    return [
        # every prompt once; several epochs; a small set
        t.samples(prompt=t.group),
        t.samples(prompt=t.group % 60),
        t.samples(prompt=t.group % 5),
        t.samples(group=None, prompt=t.group),
        drawn([1.0] * 30),
        # all of a small set, many passes over one of forty prompts, and a number that is something else
        t.samples(prompt=t.group % 5, figure__dataset_size=np.full(t.rows, 5.0)),
        t.samples(prompt=t.group % 40, figure__dataset_size=np.full(t.rows, 200.0)),
        t.samples(prompt=t.group % 5, figure__vocabulary_size=np.full(t.rows, 4000.0)),
        # some questions are asked more often than others
        drawn(1 / np.arange(1, 101)),
        drawn(1 / np.arange(1, 401)),
        # those not yet solved come back twice as often
        drawn([2.0] * 20 + [1.0] * 40),
    ]


def test_completions_of_one_draw_count_once():
    t = Training(steps=30, prompts=2, size=20)
    assert RULE.ask(t.samples(prompt=t.group)) is None
    assert RULE.ask(sick()[0]).message.startswith("5 of ")
