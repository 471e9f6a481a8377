"""Samples measured by several processes, and by one where the others fail."""

from __future__ import annotations

import sys

import msgspec
import pytest

from weaklink.base.evidence.samples import Sample, ToolCall
from weaklink.base.outside import guard
from weaklink.collect.samples.measurers import Measurers
from weaklink.collect.samples.measuring import LOOKED_AT, SPARSE, SampleBatch, SampleMeasure, measure

TEXTS = [f"Text number {number} of many, the answer is {number % 7}." for number in range(2000)]
CALL = ToolCall(tool="search", arguments="{}", result="Nothing was found.", ok=False)
SAMPLES = [
    Sample(prompt="How many boxes are left in the shop?", completion="I'm sorry, but I cannot help with that."),
    Sample(prompt="What is 3 + 4?", completion="We add three and four: \\boxed{7}", answer="7", group="a", step=3),
    Sample(prompt="Find it.", completion="All is done.", calls=(CALL, CALL), turns=2, inlined=1, asked_again=2),
    Sample(prompt="Which one?", chosen="The first is longer than the other one.", rejected="The second."),
    Sample(completion="It was the best of days, and then the worst of them came and"),
]
"""A refusal, a right answer, a trajectory, a pair, and a text that breaks off."""


def measured(measurers, texts=TEXTS):
    with measurers:
        found = [pair for text in texts for pair in measurers.give(Sample(completion=text))]
        found += measurers.rest()
    assert [sample.completion for sample, _ in found] == texts
    return told(measures for _, measures in found)


def expected(texts=TEXTS):
    return told(measure(Sample(completion=text), row) for row, text in enumerate(texts))


def told(measures):
    """As text, in which what is not a number equals itself, and as a message brings them."""
    return [repr(msgspec.convert(msgspec.to_builtins(one), SampleMeasure)) for one in measures]


@pytest.mark.parametrize("helpers", [0, 1, 2])
def test_the_order_and_the_measures_are_the_same(helpers):
    assert measured(Measurers(helpers, worth_help=100)) == expected()


def test_the_other_process_is_understood():
    row = LOOKED_AT + SPARSE - 2  # that of the third sample is looked at, those beside it are not
    expected = [measure(sample, place) for place, sample in enumerate(SAMPLES, row)]
    with Measurers(1) as measurers:
        measurers.workers.load()
        measurers.workers.begin(SampleBatch(1, row, msgspec.msgpack.encode(SAMPLES)))
        end = measurers.workers.finished()
    assert end.reply is not None, "its measures must be of the types that the message promises"
    assert told(end.reply.rows) == told(expected)
    assert ["copied" in one.marks for one in expected] == [False, False, True, False, False]


def test_a_process_that_cannot_start_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert measured(Measurers(1, worth_help=100)) == expected()


def test_a_process_that_dies_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert measured(Measurers(1, worth_help=100)) == expected()


def test_a_text_that_cannot_be_sent_is_measured_here():
    texts = [*TEXTS, "half a character \ud800", *TEXTS]
    assert measured(Measurers(1, worth_help=100), texts) == expected(texts)


def test_stopping_early_leaves_no_process_behind():
    measurers = Measurers(1, worth_help=100)
    with measurers:
        for text in TEXTS:
            for _ in measurers.give(Sample(completion=text)):
                pass
        workers = list(measurers.workers.supervisor.children)
        assert workers
    assert not any(guard.find_family(lambda mark: False, worker.pid) for worker in workers)
