from __future__ import annotations

from tests.sampled import Training
from weaklink.collect.samples.copying import measure_stuffing

PROMPT = "Write a product text for a kettle. Mention these terms: modern, durable, quiet, sturdy, reliable."


def sick():
    t = Training()
    return [t.samples(stuffing=t.share(t.ramp(0.01, 0.2), 0.02), reward=t.share(t.ramp(0.3, 0.8)))]


def healthy():
    t = Training()
    return [
        t.samples(stuffing=t.share(0.02, 0.02), reward=t.share(t.ramp(0.3, 0.8))),
        # code and contracts repeat the names of the task
        t.samples(stuffing=t.share(0.2, 0.05), reward=t.share(t.ramp(0.3, 0.8))),
        # better answers that keep to their subject
        t.samples(stuffing=t.share(t.ramp(0.01, 0.2), 0.02), reward=t.share(0.5), gold=t.chance(t.ramp(0.2, 0.8))),
        t.samples(stuffing=t.share(t.ramp(0.01, 0.2), 0.02), reward=t.share(t.ramp(0.8, 0.3))),
    ]


def test_words_of_the_prompt_that_are_repeated():
    assert measure_stuffing("Quiet, sturdy, reliable, reliable kettle, sturdy reliable reliable kettle.", PROMPT) > 0.4
    assert (
        measure_stuffing("A modern kettle for long journeys: it is durable, and more quiet than most.", PROMPT) == 0.0
    )
