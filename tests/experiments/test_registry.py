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
from weaklink.base.proving import FALLS, MOVES, RISES, Intervention, OneRung
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.judge.rules._registry import load_rules, load_rules_declaring
from weaklink.verbs.confirm import has_experiment, write_command
from weaklink.verbs.confirm._registry import find_designs, find_provable_rule, load_designs

EXPERIMENTS = load_rules_declaring("experiment")
INTERVENTIONS = {code: one.experiment for code, one in EXPERIMENTS.items() if isinstance(one.experiment, Intervention)}


def test_every_finding_about_a_training_or_an_environment_can_be_proven():
    for code, rule in load_rules().items():
        if rule.on in (Run, Rollout, Survey, ModelCheck) and not rule.of:
            assert has_experiment(code), code
            question = find_designs(rule)[0][1]
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
    assert {code: find_designs(load_rules()[code])[0][1].kind for code in wanted} == wanted
    assert len(load_designs()) == 6


@pytest.mark.parametrize("code", INTERVENTIONS)
def test_interventions_name_metrics_that_there_are(code):
    declared = INTERVENTIONS[code]
    for promise in (declared.promise, *declared.also):
        assert set(promise.metrics) <= set(METRICS)
    assert (declared.change.times is None) or declared.change.times > 0


def test_what_is_changed_for_each_finding_and_what_must_then_happen():
    assert {code: (one.change.words, one.promise.then) for code, one in INTERVENTIONS.items()} == {
        "OBS103": ("normalise_observations = 1", RISES),
        "REW307": ("reward_scale x 0.01", RISES),
        "RET301": ("reward_scale x 0.1", FALLS),
        "VAL101": ("clip_range_vf = none", RISES),
        "POL101": ("target_kl x 2", RISES),
        "POL301": ("learning_rate x 0.3333", FALLS),
        "POL302": ("learning_rate x 10", RISES),
        "POL303": ("learning_rate x 0.1", FALLS),
        "POL306": ("learning_rate x 0.5", FALLS),
        "POL307": ("learning_rate x 0.3333", RISES),
        "POL308": ("learning_rate x 3", RISES),
        "EXP101": ("ent_coef = 0.01", RISES),
        "EXP301": ("ent_coef = 0.02", RISES),
        "EXP303": ("ent_coef = 0", FALLS),
        "EXP304": ("learning_rate x 0.3333", FALLS),
        "EXP305": ("ent_coef = 0.02", RISES),
        "EXP306": ("ent_coef = 0", FALLS),
        "OPT101": ("learning_rate x 0.1", MOVES),
        "OPT301": ("reward_scale x 0.01", FALLS),
    }
    assert [code for code, one in INTERVENTIONS.items() if one.sized_by_finding] == ["REW307", "OPT101"]


def test_what_is_proven_without_a_change():
    others = {code: rule.experiment for code, rule in EXPERIMENTS.items() if code not in INTERVENTIONS}
    assert others == {
        "DAT201": OneRung("shifted-pairing"),
        "DAT204": OneRung("memory-reset"),
        "VAL202": "the critic alone",
        "VAL301": "the critic alone",
        "VAL304": "the critic alone",
        "VAL306": OneRung("delayed-reward"),
        "POL201": "a learning rate of 0",
        "EXP201": OneRung("entropy-temperature"),
        "OPT103": "the critic alone",
    }
    rungs = {probe.name for probe in ALL_PROBES}
    assert {one.rung for one in others.values() if isinstance(one, OneRung)} <= rungs


@pytest.mark.parametrize("code", INTERVENTIONS)
def test_pages_name_the_command(code):
    assert f"weaklink confirm {code} " in load_rules()[code].page["How to prove it"]


def test_pages_name_no_experiment_that_is_missing():
    for rule in load_rules().values():
        for named in re.findall(r"weaklink confirm (\w+)", " ".join(rule.page.values())):
            assert has_experiment(named)


def test_what_no_experiment_proves_is_said_in_the_words_of_its_page():
    assert not has_experiment("LLM301")
    assert not has_experiment("NOPE999")
    assert write_command("LLM301", "a.py") == ""
    with pytest.raises(UsageError, match="By hand: "):
        find_provable_rule("LLM301")
    with pytest.raises(UnknownRule):
        find_provable_rule("NOPE999")


def test_commands_are_fit_to_be_copied():
    assert write_command("POL303", "my project.py") == "weaklink confirm POL303 'my project.py'"
    assert write_command("POL303", "--algo sb3:PPO --env CartPole-v1").endswith(" --algo sb3:PPO --env CartPole-v1")
