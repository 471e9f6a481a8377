"""Which trainers are put on the ladder for language models, and which rungs are for whom; nothing is trained."""

from __future__ import annotations

import pytest

from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import Traits
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.collect.probes.plan import ProbePlan, compute_budget, plan_ladder
from weaklink.collect.probes.trainers import find_trainer, read_traits, trains_language
from weaklink.judge.diagnosis.probing import list_rung_codes
from weaklink.verbs.probe import resolve_rung_names


def of_language(model, tokenizer, reward, prompts, settings):
    raise AssertionError


def of_environments(make_env, steps, seed):
    raise AssertionError


def test_language_trainers_are_known_by_their_arguments():
    assert trains_language(find_trainer(of_language))
    assert not trains_language(find_trainer(of_environments))
    assert read_traits(of_language).language
    assert not read_traits(of_language).tools
    assert not read_traits(of_environments).language


def test_what_a_trainer_says_of_itself_is_kept():
    def talking(model, tokenizer, reward, prompts, settings):
        raise AssertionError

    talking.tools, talking.steps = True, 50
    assert read_traits(talking) == Traits(steps=50, language=True, tools=True)


def test_each_ladder_is_for_its_own_trainers():
    chosen, left = plan_ladder(ProbePlan(), Traits(language=True, tools=True))
    assert chosen == list(LANGUAGE_PROBES)
    assert left == {}
    classic, _ = plan_ladder(ProbePlan(), Traits())
    assert not set(classic) & set(LANGUAGE_PROBES)


def test_tools_are_for_trainers_that_take_them():
    chosen, left = plan_ladder(ProbePlan(), Traits(language=True))
    assert [probe.title for probe in LANGUAGE_PROBES if probe not in chosen] == ["ToolMask"]
    assert "tools speak" in left["ToolMask"]


def test_a_rung_of_the_other_ladder_is_said_to_be_so():
    assert plan_ladder(ProbePlan(only=("terminal",)), Traits(language=True))[1] == {
        "Terminal": "it is no rung for language models",
        "TerminalContinuous": "it is no rung for language models",
    }
    assert plan_ladder(ProbePlan(only=("group-advantage",)), Traits())[1] == {
        "GroupAdvantage": "it is for language models"
    }


@pytest.mark.parametrize("word", ["PRB206", "group-advantage", "groupadvantage"])
def test_rungs_are_found_by_code_name_and_title(word):
    chosen, _ = plan_ladder(resolve_rung_names(ProbePlan(only=(word,))), Traits(language=True))
    assert [probe.title for probe in chosen] == ["GroupAdvantage"]


def test_every_rung_has_its_rule_and_codes_rise():
    codes = [list_rung_codes()[probe.name] for probe in LANGUAGE_PROBES]
    assert codes == sorted(codes)
    assert set(list_rung_codes()) == {probe.name for probe in (*ALL_PROBES, *LANGUAGE_PROBES)}


def test_every_rung_trains_at_least_three_updates():
    assert all(compute_budget(ProbePlan(), Traits(steps=24), probe, 0) >= 3 for probe in LANGUAGE_PROBES)


def test_a_function_with_other_arguments_is_refused():
    with pytest.raises(UsageError, match="cannot be called as train"):
        find_trainer(lambda model, prompts: None)


@pytest.mark.parametrize("word", ["trl:PPO", "trl:"])
def test_an_unknown_trainer_of_trl_is_refused(word):
    pytest.importorskip("trl")
    with pytest.raises(UsageError):
        find_trainer(word)
