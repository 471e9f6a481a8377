"""Texts measured by several processes, and by one where the others fail."""

from __future__ import annotations

import sys

import pytest

from weaklink.base.evidence.samples import Sample
from weaklink.base.outside import guard
from weaklink.collect.samples.measurers import Measurers
from weaklink.collect.samples.measuring import measure

TEXTS = [f"Text number {number} of many, the answer is {number % 7}." for number in range(2000)]


def measured(measurers, texts=TEXTS):
    with measurers:
        found = [pair for text in texts for pair in measurers.give(Sample(completion=text))]
        found += measurers.rest()
    assert [sample.completion for sample, _ in found] == texts
    return [(list(numbers), *told) for _, (numbers, *told) in found]


def expected(texts=TEXTS):
    return [(list(numbers), *told) for numbers, *told in map(measure, texts)]


@pytest.mark.parametrize("helpers", [0, 1, 2])
def test_the_order_and_the_measures_are_the_same(helpers):
    assert measured(Measurers(helpers, worth_help=100)) == expected()


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
