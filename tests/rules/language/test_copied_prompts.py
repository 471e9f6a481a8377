from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.collect.samples.copying import measure_copied

TEXT = (
    "The port of Cork moved eighty million tonnes of goods last year, five percent less than the year before. "
    "A second crane is planned. Residents demand less noise at night."
)


def sick():
    t = Training()
    copied = t.share(0.6, 0.25)
    return [
        t.samples(copied=t.share(t.ramp(0.05, 0.8)), reward=t.share(t.ramp(0.3, 0.6))),
        t.samples(copied=t.share(t.ramp(0.05, 0.8))),
        # copied from the first step on, and paid for it; without steps
        t.samples(copied=copied, reward=t.normal(copied, 0.1)),
        t.samples(step=None, copied=copied, reward=10 * copied),
    ]


def healthy():
    t = Training()
    copied, quotes = t.share(0.6, 0.25), t.chance(0.6)
    return [
        t.samples(copied=t.share(0.05)),
        # text that is to be quoted in part: the reward goes with it, and with more
        t.samples(copied=copied, reward=t.normal(copied, 0.4)),
        # long prompts are quoted more and paid more, and within one prompt it makes no difference
        t.samples(copied=t.share(0.5 + 0.15 * t.hardness, 0.02), reward=t.normal(0.15 * t.hardness, 0.02)),
        # a verdict on quotations: right ones stand in the prompt
        t.samples(copied=np.where(quotes == 1, 1.0, 0.1), reward=quotes),
        # an outcome that copies serve
        t.samples(copied=copied, reward=t.normal(copied, 0.1), gold=copied),
        # a little of the prompt in each, and the more the better
        t.samples(copied=t.share(0.2, 0.1), reward=t.share(0.2, 0.1)),
        # a task that asks for quotations
        t.samples(copied=t.share(0.9), reward=t.share(t.ramp(0.3, 0.9))),
        # it learns to quote the right passage
        t.samples(copied=t.share(t.ramp(0.1, 0.7)), gold=t.chance(t.ramp(0.2, 0.8))),
        # it learns to put things in its own words
        t.samples(copied=t.share(t.ramp(0.8, 0.1))),
        t.samples(copied=t.share(t.ramp(0.0, 0.15))),
    ]


def test_what_is_copied():
    assert measure_copied(TEXT, f"Summarise.\n\n{TEXT}") == 1.0
    own = "Cork handled fewer goods than a year ago, plans another crane, and its neighbours want quiet nights."
    assert measure_copied(own, f"Summarise.\n\n{TEXT}") == 0.0
    assert not measure_copied("Yes.", TEXT) >= 0.0
    # a request of one sentence, and a question that is too short to be copied
    asked = "Translate into English: Gestern kam der Zug aus Ulm erst um neun Uhr an."
    assert measure_copied("Gestern kam der Zug aus Ulm erst um neun Uhr an.", asked) == 1.0
    assert measure_copied("Yesterday the train from Ulm arrived at nine only.", asked) == 0.0
    assert not measure_copied("How many legs do three spiders have: 24.", "How many legs do three spiders have?") >= 0.0
