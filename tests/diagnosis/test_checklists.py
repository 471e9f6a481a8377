from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest

from tests.rules.task.tasks import lasting, mountain_car, survey_of
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.checklists import ChecklistItem, check_before_training, list_codes
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.rules._declarations import CheckName

WORLD = ("ENV101", "ENV102", "ENV107", "OBS101", "OBS102", "ACT101", "ACT102")
REWARD = ("REW101", "REW102", "REW104", "REW105", "REW106", "REW107", "REW108", "REW110", "REW111")
TRAINER = ("DAT101", "EXP101", "OPT101", "OPT110", "POL101", "SYS101")
ALL = (*WORLD, *REWARD, *TRAINER)
CONFIG = {"algo": "ppo", "ent_coef": 0.01, "learning_rate": 3e-4, "eval_freq": 20_000, "n_eval_episodes": 10}

DECIDED_BY = {
    "observations change with actions": ("ACT101", "OBS101 ACT102"),
    "ends and time limits": ("ENV107", ""),
    "reward histogram": ("REW101", "REW102 REW105 REW107 REW108 REW111"),
    "reward components": ("REW106", ""),
    "return scale": ("REW104", ""),
    "normaliser clip": ("REW110 REW120", ""),
    "entropy coefficient": ("EXP101", ""),
    "learning rate": ("OPT101", "OPT207 OPT309 OPT310"),
    "target KL": ("POL101", ""),
    "updates happen": ("DAT101 DAT102", "OPT102 OPT306"),
    "memory estimate": ("SYS101", ""),
    "gradient flow": ("OPT110", "OPT111 OPT112"),
    "size of the updates": ("POL303 POL305", "POL307"),
    "clipping": ("POL301", ""),
    "exploration": ("EXP301 EXP302 EXP303", "EXP205 EXP306 EXP307 EXP308 EXP309 EXP310 EXP311 EXP312"),
    "critic": ("VAL301 VAL302 VAL304", "VAL202 VAL305 VAL308 VAL310 VAL311"),
    "gradients and numbers": ("OPT300 OPT301", "OPT302 OPT303 OPT311"),
    "return and evaluation": ("EVA303 REW305", "EVA306"),
    "length of responses": ("LLM302", ""),
    "throughput and memory": ("SYS301", "SYS306"),
    "saving and loading": ("SYS110", ""),
}


def test_items_are_answered_by_the_rules_that_declare_them():
    for name, roles in DECIDED_BY.items():
        assert tuple(" ".join(list_codes(name, role)) for role in ("decides", "fails")) == roles, name
    assert set(DECIDED_BY) == set(get_args(CheckName)) - {"environment unit test"}
    assert list_codes("environment unit test", "exempt") == ["ENV108", "ENV110"]


def judged(clean=(), blind=None, *findings: Finding, **given) -> Diagnosis:
    return Diagnosis(
        target="made", verdict=Verdict.UNCLEAR, clean=tuple(clean), blind=blind or {}, findings=findings, **given
    )


def found(code: str, level: Level = Level.WARN, name: str = "some-illness") -> Finding:
    return Finding(message=f"{code} saw it.", code=code, name=name, level=level)


def ticked(survey: Survey, diagnosis: Diagnosis) -> dict[str, ChecklistItem]:
    items = check_before_training(survey, diagnosis)
    assert all(item.question.endswith("?") or item.question.endswith(")?") for item in items)
    assert all(item.told.endswith(".") for item in items)
    assert all(bool(item.command) == (item.state == "open") for item in items)
    return {item.name: item for item in items}


def test_everything_is_ticked_where_everything_was_seen():
    items = ticked(world(CONFIG), judged(ALL))
    assert {item.state for item in items.values()} == {"done"}
    assert items["environment unit test"].told == "7 rules on environment, observation and action found nothing."
    assert items["learning rate"].told == "The learning rate is 0.0003."
    assert items["entropy coefficient"].told == "The entropy coefficient is 0.01."
    assert items["evaluation config"].told == "Evaluation every 20,000 over 10 episodes; no seed is stated."


def test_nothing_is_ticked_where_nothing_was_seen():
    items = ticked(Survey(name="Made-v1"), judged())
    assert {item.state for item in items.values()} == {"open"}
    assert items["learning rate"].command == "weaklink preflight Made-v1 --config FILE"
    assert items["gradient flow"].command == "weaklink preflight Made-v1 --model module:factory"
    assert items["weak expert baseline"].command == "weaklink preflight Made-v1 --automaton module:policy"
    assert items["reward components"].command == "weaklink preflight Made-v1 --components KEYS"
    assert items["random baseline"].command == "weaklink preflight Made-v1"


def test_a_name_is_safe_in_a_shell():
    assert ticked(Survey(name="a b; rm -rf *"), judged())["learning rate"].command == (
        "weaklink preflight 'a b; rm -rf *' --config FILE"
    )
    assert ticked(Survey(name=""), judged())["learning rate"].command == "weaklink preflight ENV --config FILE"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("ENV103", "environment unit test"),
        ("OBS105", "environment unit test"),
        ("ACT101", "observations change with actions"),
        ("ENV107", "ends and time limits"),
        ("REW108", "reward histogram"),
        ("REW106", "reward components"),
        ("REW104", "return scale"),
        ("REW110", "normaliser clip"),
        ("REW120", "normaliser clip"),
        ("DAT101", "updates happen"),
        ("EXP101", "entropy coefficient"),
        ("OPT101", "learning rate"),
        ("POL101", "target KL"),
        ("SYS101", "memory estimate"),
        ("OPT110", "gradient flow"),
    ],
)
def test_a_finding_fails_its_item(code, name):
    item = ticked(world(CONFIG), judged([one for one in ALL if one != code], None, found(code)))[name]
    assert item.state == "failed"
    assert f"{code} saw it" in item.told


@pytest.mark.parametrize("code", ["ENV105", "REW102", "REW104", "REW106"])
def test_what_is_worth_knowing_fails_nothing(code):
    items = ticked(world(CONFIG), judged([one for one in ALL if one != code], None, found(code, Level.INFO)))
    assert {item.state for item in items.values()} == {"done"}


@pytest.mark.parametrize("code", ["EXP101", "OPT101", "POL101", "SYS101", "REW120"])
def test_rules_on_settings_only_ever_say_what_is_worth_knowing_and_fail_all_the_same(code):
    items = ticked(world(CONFIG), judged([one for one in ALL if one != code], None, found(code, Level.INFO)))
    assert sum(item.state == "failed" for item in items.values()) == 1


def test_a_rule_that_could_not_tell_leaves_its_item_open_and_says_why():
    blind = {"OPT101": ("learning_rate",), "REW106": ("components",)}
    items = ticked(world(), judged([one for one in ALL if one not in blind], blind))
    assert items["learning rate"].state == items["reward components"].state == "open"
    assert items["learning rate"].told == "OPT101 could not tell without learning_rate."
    failing = ticked(world(), judged([], None, unable={"OPT101": "boom"}))
    assert failing["learning rate"].told == "OPT101 failed itself."


def test_either_rule_on_clipping_is_enough():
    for code in ("REW110", "REW120"):
        assert ticked(world(), judged([code]))["normaliser clip"].state == "done"


def test_the_unit_test_needs_every_family_and_names_the_worst_first():
    assert ticked(world(), judged(["ENV101", "OBS101"]))["environment unit test"].state == "open"
    both = judged(WORLD, None, found("OBS103"), found("ENV103", Level.ERROR, "reset-leak"))
    assert ticked(world(), both)["environment unit test"].told == (
        "ENV103 reset-leak: ENV103 saw it; also OBS103 some-illness."
    )
    expert = ticked(world(), judged(WORLD, None, found("ENV108", Level.ERROR)))
    assert expert["environment unit test"].state == "done"


def test_the_random_baseline_has_its_interval():
    item = ticked(survey_of(lasting("random", np.full(40, 7), 1.0)), judged())["random baseline"]
    assert item.told == "Random play returns 7 on average (95 % between 7 and 7) over 40 episodes."
    assert ticked(survey_of(play("random", episodes=5)), judged())["random baseline"].state == "open"
    broken = survey_of(play("random", rewards=np.full(5000, np.nan)))
    assert ticked(broken, judged())["random baseline"].state == "failed"


def test_an_expert_must_clearly_beat_random_play():
    done = ticked(mountain_car("automaton"), judged())["weak expert baseline"]
    assert (done.state, done.told) == (
        "done",
        "The best expert is clearly better: automaton returns -109.5 on average and random play -200.",
    )
    assert ticked(mountain_car(), judged())["weak expert baseline"].state == "open"  # the search proves nothing
    weak = with_play(mountain_car(), automaton=lasting("automaton", np.full(50, 200), -1.0))
    assert ticked(weak, judged())["weak expert baseline"].state == "failed"


@pytest.mark.parametrize(
    ("config", "state"),
    [
        ({}, "open"),
        ({"eval_freq": 1000}, "open"),
        ({"eval_freq": 1000, "n_eval_episodes": 5, "eval_seed": 7}, "done"),
        ({"evaluation": {"evaluation_interval": 5, "evaluation_duration": 10}}, "done"),
        ({"eval_freq": -1, "n_eval_episodes": 5}, "failed"),
    ],
)
def test_evaluation_must_be_written_down(config, state):
    assert ticked(world(config), judged())["evaluation config"].state == state


def test_an_algorithm_without_a_target_kl_is_not_asked_for_one():
    assert "target KL" in ticked(world({"algo": "ppo"}), judged())
    assert "target KL" not in ticked(world({"algo": "sac"}), judged())


def test_odd_numbers_do_not_raise():
    for scale in (0.0, 1e300, 1e-300, np.inf, np.nan):
        with np.errstate(all="ignore"):
            odd = {
                name: msgspec.structs.replace(one, rewards=one.rewards * scale) for name, one in world().plays.items()
            }
        assert ticked(changed(world(), plays=odd), judged())


def test_it_can_be_written_as_json():
    assert msgspec.json.encode(check_before_training(world(CONFIG), judged(ALL)))
