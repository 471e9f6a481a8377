from __future__ import annotations

from tests.sampled import Training


def sick():
    t = Training()
    return [
        t.samples(length=t.lengths(t.ramp(80, 10)), gold=t.chance(t.ramp(0.8, 0.3)), reward=t.share(t.ramp(0.3, 0.6))),
        t.samples(length=t.lengths(t.ramp(80, 10)), human_score=t.share(t.ramp(0.8, 0.3)), reward=t.share(0.5)),
    ]


def healthy():
    t = Training()
    length = t.lengths(t.ramp(80, 10))
    return [
        # shorter and as good
        t.samples(length=length, gold=t.chance(0.7), reward=t.share(t.ramp(0.3, 0.6))),
        t.samples(length=length, gold=t.chance(t.ramp(0.3, 0.8)), reward=t.share(t.ramp(0.3, 0.6))),
        # shorter and worse, and the reward says so
        t.samples(length=length, gold=t.chance(t.ramp(0.8, 0.3)), reward=t.share(t.ramp(0.8, 0.3))),
        t.samples(length=t.lengths(80), gold=t.chance(t.ramp(0.8, 0.3)), reward=t.share(0.5)),
        # one measure falls, another rises
        t.samples(
            length=length,
            gold=t.chance(t.ramp(0.3, 0.8)),
            human_score=t.share(t.ramp(0.8, 0.3)),
            reward=t.share(0.5),
        ),
    ]
