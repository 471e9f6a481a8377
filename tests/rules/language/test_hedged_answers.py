from __future__ import annotations

from tests.sampled import Training


def sick():
    t = Training()
    return [
        t.samples(style__hedges=t.chance(t.ramp(0.02, 0.8)), reference=t.group, reward=t.share(t.ramp(0.5, 0.7))),
        t.samples(style__hedges=t.chance(t.ramp(0.02, 0.8)), reference=t.group, gold=t.chance(0.5)),
    ]


def healthy():
    t = Training()
    hedges = t.chance(t.ramp(0.02, 0.8))
    return [
        t.samples(style__hedges=t.chance(0.1), reference=t.group, reward=t.share(0.5)),
        # open questions
        t.samples(style__hedges=hedges, reward=t.share(t.ramp(0.5, 0.7))),
        # doubts that come with harder questions, and cost reward
        t.samples(style__hedges=hedges, reference=t.group, reward=t.share(t.ramp(0.7, 0.3))),
        # thinking aloud that serves
        t.samples(style__hedges=hedges, reference=t.group, answer_right=t.chance(t.ramp(0.3, 0.8))),
        t.samples(style__hedges=hedges, reference=t.group, reward=t.share(0.5), length=t.lengths(t.ramp(50, 300))),
    ]
