"""Texts measured by several processes, and by one where the others fail."""

from __future__ import annotations

import sys

import pytest

from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.crew import Crew
from weaklink.collect.samples.measuring import measure

TEXTS = [f"Text number {number} of many, the answer is {number % 7}." for number in range(2000)]


def measured(crew, texts=TEXTS):
    with crew:
        found = [pair for text in texts for pair in crew.give(Sample(completion=text))]
        found += crew.rest()
    assert [sample.completion for sample, _ in found] == texts
    return [(list(numbers), *told) for _, (numbers, *told) in found]


def expected(texts=TEXTS):
    return [(list(numbers), *told) for numbers, *told in map(measure, texts)]


@pytest.mark.parametrize("helpers", [0, 1, 2])
def test_the_order_and_the_measures_are_the_same(helpers):
    assert measured(Crew(helpers, worth_help=100)) == expected()


def test_a_process_that_cannot_start_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert measured(Crew(1, worth_help=100)) == expected()


def test_a_process_that_dies_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert measured(Crew(1, worth_help=100)) == expected()


def test_a_text_that_cannot_be_sent_is_measured_here():
    texts = [*TEXTS, "half a character \ud800", *TEXTS]
    assert measured(Crew(1, worth_help=100), texts) == expected(texts)


def test_stopping_early_leaves_no_process_behind():
    crew = Crew(1, worth_help=100)
    with crew:
        for text in TEXTS:
            for _ in crew.give(Sample(completion=text)):
                pass
    assert all(helper._process.poll() is not None for helper in crew._helpers)
    assert crew._helpers
