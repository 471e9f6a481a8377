from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM331")


def sick():
    t = Training()
    late = t.progress > 0.5
    return [
        t.samples(reward=t.share(t.ramp(0.3, 0.6), 0.2) * np.where(late, 100.0, 1.0)),
        t.samples(reward=t.normal(1.0, 1.0) / np.where(late, 20.0, 1.0)),
        t.samples(reward=t.chance(0.6) * np.where(late, 10.0, 1.0)),
    ]


def healthy():
    t = Training()
    rare = t.chance(t.ramp(0.0, 0.9))
    return [
        t.samples(reward=t.chance(t.ramp(0.02, 0.9))),
        # nothing for long, then more and more
        t.samples(reward=rare),
        # a reward model that is climbed
        t.samples(reward=t.normal(t.ramp(0.1, 6.0), 0.5)),
        # a lucky step
        t.samples(reward=t.share(0.4) * np.where(t.step == 100.0, 30.0, 1.0)),
        # heavy tails
        t.samples(reward=t.rng.standard_cauchy(t.rows)),
        # a penalty that is switched on halfway
        t.samples(reward=t.share(0.6) - np.where(t.progress > 0.5, 1.0, 0.0)),
    ]


def test_names_the_step_of_the_change():
    t = Training()
    finding = RULE.ask(t.samples(reward=t.share(0.5, 0.2) * np.where(t.step >= 250.0, 50.0, 1.0)))
    assert finding.onset == 250.0
