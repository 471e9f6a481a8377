from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample
from weaklink.collect.readers.samples import make_sample
from weaklink.collect.samples.gathering import gather


def sick():
    t = Training()
    return [t.samples(asks_again=t.chance(0.5)), t.samples(asks_again=t.chance(t.ramp(0.0, 0.7)))]


def healthy():
    t = Training()
    # some users do not answer, and the question is asked again
    return [t.samples(asks_again=t.chance(0.0)), t.samples(asks_again=t.chance(0.15))]


def talk(*said: str) -> Sample:
    messages = [
        part for text in said for part in ({"role": "user", "content": "Well."}, {"role": "assistant", "content": text})
    ]
    return make_sample({"messages": messages, "reward": 1.0})


def test_questions_are_counted_that_were_asked_before():
    assert talk("Which town?", "On what day?", "Which town?", "Which town?").asked_again == 2
    # other words, and what is no question, such as the moves of a game
    assert talk("Which town?", "So which town is it?", "go north", "go north", "go north").asked_again == 0
    once = [talk("Which town?", "Which town?", "On what day?"), talk("Which town?")]
    assert gather(once, "talks")["asks_again"].tolist() == [0.0, 0.0]
