from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample
from weaklink.base.finding import CannotTell
from weaklink.collect.samples.marks import mark_sample
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("AGT308")


def sick():
    t = Training()
    return [
        t.samples(out_of_turns=t.chance(t.ramp(0.05, 0.8)), reward=t.chance(t.ramp(0.6, 0.2))),
        t.samples(out_of_turns=t.chance(0.6), success=t.chance(0.3)),
    ]


def healthy():
    t = Training()
    return [
        t.samples(out_of_turns=t.chance(0.05), success=t.chance(0.6)),
        # hard tasks now and then take all turns
        t.samples(out_of_turns=t.chance(0.2), success=t.chance(0.3)),
        # it learns to end
        t.samples(out_of_turns=t.chance(t.ramp(0.8, 0.1)), success=t.chance(t.ramp(0.1, 0.7))),
        # a game that always lasts until its limit
        t.samples(out_of_turns=t.chance(0.99), success=t.chance(0.5)),
    ]


def test_a_game_without_an_end_is_not_judged():
    assert isinstance(RULE.ask(healthy()[3]), CannotTell)


def test_what_says_that_turns_ran_out():
    assert mark_sample(Sample(completion="x", turns=24, max_turns=24.0), "")["out_of_turns"] == 1.0
    assert mark_sample(Sample(completion="x", turns=3, max_turns=24.0), "")["out_of_turns"] == 0.0
    assert mark_sample(Sample(completion="x", turns=9, finish_reason="max_turns"), "")["out_of_turns"] == 1.0
    assert mark_sample(Sample(completion="x", turns=9, finish_reason="stop"), "")["out_of_turns"] == 0.0
    assert "out_of_turns" not in mark_sample(Sample(completion="x", turns=9), "")
