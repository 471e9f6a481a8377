from __future__ import annotations

from tests.sampled import Training
from weaklink.collect.samples.copying import measure_copied

TEXT = (
    "The port of Cork moved eighty million tonnes of goods last year, five percent less than the year before. "
    "A second crane is planned. Residents demand less noise at night."
)


def sick():
    t = Training()
    return [
        t.samples(copied=t.share(t.ramp(0.05, 0.8)), reward=t.share(t.ramp(0.3, 0.6))),
        t.samples(copied=t.share(t.ramp(0.05, 0.8))),
    ]


def healthy():
    t = Training()
    return [
        t.samples(copied=t.share(0.05)),
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
