from __future__ import annotations

from tests.sampled import Training


def sick():
    t = Training()
    praise = t.chance(t.ramp(0.05, 0.8))
    return [
        t.samples(style__praise=praise, reward=t.normal(0.3 + praise, 0.3)),
        t.samples(style__praise=praise, reward=t.normal(0.3 + praise, 0.3), gold=t.chance(0.5)),
    ]


def healthy():
    t = Training()
    praise = t.chance(t.ramp(0.05, 0.8))
    return [
        t.samples(style__praise=t.chance(0.1), reward=t.share(t.ramp(0.3, 0.8))),
        # a warm tone from the start on
        t.samples(style__praise=t.chance(0.7), reward=t.share(t.ramp(0.3, 0.8))),
        # friendlier and better
        t.samples(style__praise=praise, reward=t.normal(0.3 + praise, 0.3), gold=t.chance(t.ramp(0.3, 0.8))),
        # friendlier, and not paid for it
        t.samples(style__praise=praise, reward=t.share(0.5)),
        # four times as long
        t.samples(style__praise=praise, reward=t.normal(0.3 + praise, 0.3), length=t.lengths(t.ramp(50, 300))),
        t.samples(style__praise=t.chance(t.ramp(0.8, 0.1)), reward=t.share(t.ramp(0.3, 0.8))),
    ]
