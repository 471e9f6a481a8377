"""Which findings can be proven, and by what."""

from __future__ import annotations

import re

import pytest

from weaklink.base.errors import UnknownRule, UsageError
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._registry import all_rules
from weaklink.verbs.confirm import command_for, knows
from weaklink.verbs.confirm._registry import designs, designs_for, rule_with_experiment
from weaklink.verbs.confirm.changes import TABLE


def test_every_finding_about_a_training_or_an_environment_can_be_proven():
    for code, rule in all_rules().items():
        if rule.on in (Run, Rollout, Survey, ModelCheck) and not rule.of:
            assert knows(code), code
            question = designs_for(rule)[0][1]
            assert question.question.endswith("?")
            assert question.if_confirmed
            assert question.if_refuted


def test_the_most_telling_design_comes_first():
    wanted = {
        "POL303": "one setting changed",
        "VAL301": "the critic alone",
        "PRB105": "one rung alone",
        "REW301": "again with other seeds",
        "ENV104": "surveyed again",
    }
    assert {code: designs_for(all_rules()[code])[0][1].kind for code in wanted} == wanted
    assert len(designs()) == 6


@pytest.mark.parametrize("code", TABLE)
def test_the_table_names_metrics_that_there_are(code):
    row = TABLE[code]
    assert code in all_rules()
    for promise in (row.promise, *row.also):
        assert set(promise.metrics) <= set(METRICS)
    assert (row.change.times is None) or row.change.times > 0


@pytest.mark.parametrize("code", TABLE)
def test_pages_name_the_command(code):
    assert f"weaklink confirm {code} " in all_rules()[code].page["How to prove it"]


def test_pages_name_no_experiment_that_is_missing():
    for rule in all_rules().values():
        for named in re.findall(r"weaklink confirm (\w+)", " ".join(rule.page.values())):
            assert knows(named)


def test_what_no_experiment_proves_is_said_in_the_words_of_its_page():
    assert not knows("LLM301")
    assert not knows("NOPE999")
    assert command_for("LLM301", "a.py") == ""
    with pytest.raises(UsageError, match="By hand: "):
        rule_with_experiment("LLM301")
    with pytest.raises(UnknownRule):
        rule_with_experiment("NOPE999")


def test_commands_are_fit_to_be_copied():
    assert command_for("POL303", "my project.py") == "weaklink confirm POL303 'my project.py'"
    assert command_for("POL303", "--algo sb3:PPO --env CartPole-v1").endswith(" --algo sb3:PPO --env CartPole-v1")
