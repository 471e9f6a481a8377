from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples


def agent(calls, success, **columns) -> Samples:
    t = Training()
    made = t.rng.poisson(np.maximum(t.ramp(*calls), 0.0)).astype(float)
    words = t.lengths(30, 0.1)
    return t.samples(tool_calls=made, success=t.chance(t.ramp(*success)), prompt_length=words, **columns)


def sick():
    return [agent((5, 2), (0.6, 0.2)), agent((1.5, 0.1), (0.7, 0.2)), agent((4, 0.2), (0.5, 0.1))]


def healthy():
    return [
        agent((3, 3), (0.3, 0.7)),
        # fewer calls, as good or better
        agent((5, 2), (0.5, 0.5)),
        agent((5, 2), (0.3, 0.8)),
        # worse for another reason
        agent((3, 3), (0.7, 0.3)),
        agent((3, 6), (0.7, 0.3)),
        # from hard tasks to easy ones, which take other words and fewer calls
        replace_length(agent((5, 2), (0.7, 0.4))),
    ]


def replace_length(samples: Samples) -> Samples:
    steps = samples["step"] / samples["step"].max()
    return Samples.of(**dict(samples.numbers) | dict(samples.codes) | {"prompt_length": 30 + 60 * steps})
