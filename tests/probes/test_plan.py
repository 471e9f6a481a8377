"""The plan of a climb: its bounds, their messages, and which rungs are for whom."""

from __future__ import annotations

import pytest

from weaklink import probe
from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import Traits
from weaklink.collect.probes.catalogue import ALL_PROBES, find_probe
from weaklink.collect.probes.plan import (
    LARGEST_SEED,
    MOST_STEPS,
    ProbePlan,
    check_plan,
    compute_budget,
    explain_unanswerable,
    plan_ladder,
)
from weaklink.verbs.probe import resolve_rung_names

MAKES_NO_SENSE = {
    "--seeds must be between 1 and 1000, not 0": {"seeds": 0},
    "--seeds must be between 1 and 1000, not -3": {"seeds": -3},
    "--levels must be between 1 and 4, not 9": {"levels": 9},
    "--timeout must be between 1 and 86400, not 0": {"timeout": 0.0},
    "--timeout must be between 1 and 86400, not nan": {"timeout": float("nan")},
    "--workers must be between 0 and 512, not -1": {"workers": -1},
    "--steps must be at least 0, not -5": {"steps": -5},
    "--steps must be at most 10,000,000,000, not 100,000,000,000,000,000,000": {"steps": 10**20},
    "--seed must be between 0 and 4,294,965,296, not -1": {"first_seed": -1},
    "--seed must be between 0 and 4,294,965,296, not 4,294,967,295": {"first_seed": 2**32 - 1},
    "--gamma must lie between 0 and 1, not 1": {"gamma": 1.0},
    "--gamma must lie between 0 and 1, not nan": {"gamma": float("nan")},
    "--actions is auto, discrete, continuous or both, not 'some'": {"actions": "some"},
    "No rung is called 'nothing'": {"only": ("terminal", "nothing")},
}


@pytest.mark.parametrize("told", MAKES_NO_SENSE)
def test_what_makes_no_sense_is_refused(told):
    with pytest.raises(UsageError) as raised:
        check_plan(ProbePlan(**MAKES_NO_SENSE[told]))
    assert told in str(raised.value)


def test_nothing_is_trained_before_the_plan_is_checked():
    def train(make_env, steps, seed):
        raise AssertionError

    with pytest.raises(UsageError, match="--seeds"):
        probe(train, seeds=0)
    with pytest.raises(TypeError, match="'seed'"):
        probe(train, seed=3)


def test_usual_plans_pass():
    assert check_plan(ProbePlan()).processes >= 1
    assert check_plan(ProbePlan(workers=7)).processes == 7
    assert check_plan(ProbePlan(first_seed=LARGEST_SEED, seeds=1000, steps=MOST_STEPS)).first_seed + 1002 < 2**32


@pytest.mark.parametrize("word", ["PRB107", "prb107", "terminal"])
def test_a_word_for_a_rung_means_all_its_forms(word):
    chosen, left = plan_ladder(resolve_rung_names(ProbePlan(only=(word,))), Traits())
    assert [probe.title for probe in chosen] == ["Terminal", "TerminalContinuous"]
    assert left == {}


def test_a_title_means_one_form():
    chosen, _ = plan_ladder(ProbePlan(only=("terminalcontinuous",)), Traits())
    assert [probe.title for probe in chosen] == ["TerminalContinuous"]


def test_the_form_can_be_chosen_among_those_that_are_named():
    chosen, left = plan_ladder(ProbePlan(only=("terminal",), actions="continuous"), Traits())
    assert [probe.title for probe in chosen] == ["TerminalContinuous"]
    assert left == {}
    assert plan_ladder(ProbePlan(only=("exploration",), actions="continuous"), Traits()) == (
        [],
        {"Exploration": "its actions are not continuous"},
    )


def test_a_rung_that_was_asked_for_and_cannot_be_climbed_has_a_reason():
    chosen, left = plan_ladder(ProbePlan(only=("memory", "terminal")), Traits(actions=("discrete",)))
    assert [probe.title for probe in chosen] == ["Terminal"]
    assert left == {"Memory": "the trainer is not recurrent"}


def test_every_probe_is_climbed_or_has_a_reason():
    for traits in (Traits(), Traits(actions=("discrete",), forms=()), Traits(actions=("continuous",))):
        chosen, left = plan_ladder(ProbePlan(actions="both"), traits)
        assert {probe.title for probe in chosen} | set(left) == {probe.title for probe in ALL_PROBES}
        assert not {probe.title for probe in chosen} & set(left)
        assert chosen == [probe for probe in ALL_PROBES if probe in chosen], "in the order of the ladder"


@pytest.mark.parametrize(
    ("title", "traits", "reason"),
    [
        ("ContinuousTarget", Traits(actions=("discrete",)), "the trainer takes no continuous actions"),
        ("TwoActions", Traits(actions=("continuous",)), "the trainer takes no discrete actions"),
        ("MemoryReset", Traits(), "the trainer is not recurrent"),
        ("MatchingActionMasked", Traits(), "the trainer takes no masks of actions"),
        ("MatchingActionMultiDiscrete", Traits(), "the trainer takes one choice at a time"),
        ("MatchingActionImage", Traits(forms=("dict",)), "the trainer does not take image observations"),
        ("VeryWideAction", Traits(scales=False), "wrap yours with RescaleAction"),
    ],
)
def test_what_is_not_for_this_trainer(title, traits, reason):
    _, left = plan_ladder(ProbePlan(), traits)
    assert reason in left[title]
    able = Traits(remembers=True, masks=True, several=True)
    assert title not in plan_ladder(ProbePlan(), able)[1]


@pytest.mark.parametrize(
    ("title", "shows", "reason"),
    [
        ("Terminal", (), "expose `value` or `q`"),
        ("Terminal", ("behaviour",), "log the value loss"),
        ("Terminal", ("behaviour", "log"), ""),
        ("Terminal", ("q",), ""),
        ("TwoActions", (), ""),
        ("MatchingAction", (), ""),
        ("QValues", ("value",), "expose `q`"),
        ("QValues", ("q",), ""),
        ("EntropyTemperature", ("sample",), "expose `sample` and `temperature`"),
        ("EntropyTemperature", ("sample", "temperature"), ""),
        ("MemoryReset", ("value",), "expose `reset`"),
        ("MemoryReset", ("reset",), ""),
    ],
)
def test_what_an_agent_must_show(title, shows, reason):
    told = explain_unanswerable(find_probe(title), shows)
    assert (reason in told) if reason else told == ""


def test_budgets():
    terminal, memory = find_probe("Terminal"), find_probe("Memory")
    assert [compute_budget(ProbePlan(), Traits(steps=500), terminal, level) for level in (0, 1, 2)] == [500, 2000, 8000]
    assert compute_budget(ProbePlan(), Traits(steps=500), memory, 0) == 1500
    assert compute_budget(ProbePlan(steps=10), Traits(steps=500), terminal, 1) == 40
