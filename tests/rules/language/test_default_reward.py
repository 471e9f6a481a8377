from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM330")


def replace_codes(samples, **codes):
    return replace(samples, codes={**samples.codes, **codes})


def graded(t: Training, level=0.6) -> np.ndarray:
    return np.round(t.share(level, 0.2), 3)


def sick():
    t = Training()
    return [
        t.samples(reward=np.where(t.chance(0.4), 0.5, graded(t))),
        t.samples(reward=np.where(t.chance(t.ramp(0.0, 0.6)), 0.0, t.normal(0.0, 1.5))),
        t.samples(step=None, reward=np.where(t.chance(0.25), 5.0, np.round(t.normal(5.5, 1.0), 2))),
        # all texts begin in one of a few ways, those with the default no otherwise than others
        replace_codes(
            t.samples(reward=np.where(t.chance(0.4), 0.5, graded(t))), opening=(np.arange(t.rows) % 7).astype(np.int64)
        ),
    ]


def healthy():
    t = Training()
    refused = t.chance(0.3)
    alike = t.chance(0.3)
    right, form = t.chance(0.6), t.chance(0.8)
    long = -np.maximum(t.normal(-0.2, 0.5), 0.0)
    openings = np.where(alike == 1.0, 1, 10 + np.arange(t.rows) % 7).astype(np.int64)
    return [
        # texts that begin as no others do have one price, in whatever words
        replace_codes(t.samples(reward=np.where(alike == 1.0, 0.55, graded(t))), opening=openings),
        t.samples(reward=graded(t)),
        # a verdict, stars, and tests that pass in part
        t.samples(reward=t.chance(0.5)),
        t.samples(reward=np.round(1 + 4 * t.share(0.5, 0.2))),
        t.samples(reward=np.round(t.share(0.5, 0.3) * 10) / 10),
        # half earn nothing, half are clipped at the top
        t.samples(reward=np.where(t.chance(0.5), 0.0, graded(t))),
        t.samples(reward=np.minimum(t.normal(0.9, 0.3), 1.0)),
        # refusals have their price
        t.samples(reward=np.where(refused == 1.0, 0.55, graded(t)), refusal=refused),
        # a sum of parts, which is one number for all that are right and short
        t.samples(reward=right + 0.2 * form + 0.5 * long, reward__right=right, reward__form=form, reward__long=long),
        # a few ties
        t.samples(reward=np.where(t.chance(0.08), 0.5, graded(t))),
        # what was paid for format alone, below what answers earn
        t.samples(reward=np.where(t.chance(0.5), 0.1, 0.2 + 0.8 * t.share(0.5, 0.2))),
    ]


def test_few_rows_say_nothing():
    assert isinstance(RULE.ask(Training(steps=2, prompts=2).samples(reward=np.full(24, 0.5))), CannotTell)
