from __future__ import annotations

from tests.sampled import Training, against
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM333")


def sick():
    t = Training()
    start = Training(steps=1, prompts=40, size=4, seed=5)
    return [
        t.samples(gibberish=t.share(t.ramp(0.0, 0.4), 0.05), reward=t.normal(t.ramp(0, 3), 0.5)),
        t.samples(gibberish=t.share(t.ramp(0.0, 0.3), 0.05)),
        against(t.samples(step=None, gibberish=t.share(0.3, 0.1)), start.samples(gibberish=start.share(0.01, 0.01))),
    ]


def healthy():
    t = Training()
    return [
        t.samples(gibberish=t.share(0.02, 0.02)),
        # formulas all along, and somewhat more of them
        t.samples(gibberish=t.share(t.ramp(0.15, 0.3), 0.05)),
        t.samples(gibberish=t.share(t.ramp(0.01, 0.05), 0.02), reward=t.normal(t.ramp(0, 3), 0.5)),
        # less and less of it
        t.samples(gibberish=t.share(t.ramp(0.4, 0.0), 0.05)),
    ]
