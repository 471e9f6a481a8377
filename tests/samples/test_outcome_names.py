"""Fields that nobody listed still say by their words that they hold the outcome."""

from __future__ import annotations

import pytest

from weaklink.collect.readers.samples.names import find_field
from weaklink.collect.readers.samples.nesting import flatten
from weaklink.collect.readers.samples.rows import RowTranslator


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("env_state_correct", "gold"),
        ("answerCorrectness", "gold"),
        ("hidden_tests_passed", "gold"),
        ("verified_success", "gold"),
        ("human_helpfulness", "human_score"),
        ("expert_quality_rating", "human_score"),
        ("human_adequacy", "human_score"),
        ("execution_match", "gold"),
        ("exact_match", "gold"),
        ("reference_sql", "answer"),
        ("env_success", "gold"),
        ("episode_success", "success"),
        ("issue_solved", "success"),
        ("truthful", "gold"),
        ("annotator_ok", "human_score"),
        ("raterVerdict", "human_score"),
        ("policy_followed", "gold"),
        ("rules_respected", "gold"),
        ("fix_verified", "gold"),
        ("answer_confirmed", "gold"),
        ("field_match", "gold"),
    ],
)
def test_words_tell_an_outcome(name, field):
    assert find_field(name) == field


@pytest.mark.parametrize(
    "name",
    [
        "user_is_right",
        "prompt_correct",
        "format_correct",
        "num_correct",
        "human",
        "speed_bonus",
        "true_color",
        "format_match",
        "email_verified",
        "user_verified",
        "football_match",
        "reference_kl",
        "reward_correct",
        "expected_success",
        "instruction_followed",
        "policy_kl",
        "tool_ok",
    ],
)
def test_words_about_something_else_do_not(name):
    assert find_field(name) in (None, "human_score" if name == "human" else None)


def translate(**row):
    return RowTranslator().sample({"completion": "four"} | row)


def test_an_epoch_orders_rows_that_have_no_step():
    assert translate(epoch=3).step == 3.0
    assert translate(epoch=3, global_step=70).step == 70.0
    assert translate(global_step=70, epoch=3).step == 70.0


def test_tests_that_passed_are_a_share_where_their_number_is_known():
    assert translate(tests_passed=3, tests_total=4).success == 0.75
    assert translate(tests_passed=3).success == 3.0
    assert translate(hidden_tests_passed=1, tests_total=4).gold == 1.0


def test_a_reward_that_is_no_number_is_marked():
    lost = translate(reward=float("nan"))
    assert lost.reward is None
    assert lost.reward_not_finite
    assert not translate(reward=None).reward_not_finite
    assert not translate(reward=0.5).reward_not_finite


def test_what_a_judge_gave_is_the_reward_where_there_is_no_other():
    assert translate(judge_score=0.7).reward == 0.7
    assert translate(llm_judge=5).reward == 5.0
    assert translate(judge_score=0.7, reward=0.2).reward == 0.2
    assert translate(judge_score=0.7, format_reward=0.5).reward == 0.5
    assert translate(user_score=3, difficulty_score=2).reward is None


def test_a_trajectory_is_known_by_what_it_holds():
    steps = [{"thought": "I look.", "action": "find", "observation": "7"}]
    translator = RowTranslator()
    sample = translator.sample({"instruction": "Find it.", "history": steps, "success": True})
    assert [call.tool for call in sample.calls] == ["find"]
    assert not translator.unknown
    assert RowTranslator().sample({"dialog_log": [{"role": "assistant", "content": "Hi"}]}).completion == "Hi"
    # a row with a body of its own keeps it
    assert translate(history=steps).calls == ()


def test_the_limit_on_turns_is_read():
    assert translate(max_turns=24).max_turns == 24.0
    assert translate(max_steps=8).max_turns == 8.0


def test_counts_of_tests_tell_right_from_wrong_where_all_passed_or_none():
    told = [translate(exec_n_pass=passed, exec_n_tests=8).gold for passed in (8, 0, 3)]
    assert told == [1.0, 0.0, None]
    assert translate(n_pass=3).gold is None
    assert translate(n_passed=9, num_tests=8).gold is None
    assert translate(correct=0, exec_n_pass=8, exec_n_tests=8).gold == 0.0


def test_a_record_that_is_the_right_answer_is_one_answer():
    row = {"completion": "four", "expected": {"city": "Málaga", "amount": "30"}}
    assert flatten(row) == row
    assert translate(**flatten(row)).answer == '{"amount":"30","city":"Málaga"}'
    # an object that holds fields of a sample is no answer
    assert translate(**flatten({"expected": {"answer": "4", "step": 3}})).answer == "4"


def test_what_stands_under_names_that_nobody_knows_is_kept():
    sample = translate(mood="calm", waits=3, glad=True, essay="word " * 40)
    assert sample.labels == {"mood": "calm", "glad": "true"}
    assert sample.figures == {"waits": 3.0}
    assert sample.trait == "glad=true"


def test_a_field_under_another_name_is_remembered_by_it():
    translator = RowTranslator()
    translator.sample({"completion": "four", "policy_followed": True, "reward": 1.0})
    assert translator.named == {"gold": "policy_followed"}


def test_what_came_out_is_held_against_what_should_have():
    def told(returned, **others):
        return translate(rows_returned=returned, rows_expected=[["Riga", 30.0], ["Oslo", 7]], **others).gold

    assert told([["oslo", 7], ["Riga", 30]]) == 1.0
    assert told([]) == 0.0
    assert told([["Leeds", 4]]) == 0.0
    # a part of it, whose worth a grader may see in another way
    assert told([["Riga", 30]]) is None
    assert told([], correct=1) == 1.0
    assert translate(rows_returned=[], columns_expected=["a"]).gold is None
    assert translate(rows_returned=0, rows_expected=3).gold is None
    assert translate(rows_returned=[], rows_expected=[]).gold is None


def test_what_steps_were_paid_may_stand_beside_them():
    steps = [{"action": "take", "observation": "taken"}, {"action": "drop", "observation": "dropped"}]
    assert translate(steps=steps, step_rewards=[1, 0.0]).step_rewards == (1.0, 0.0)
    assert translate(steps=steps, step_rewards=[1.0]).step_rewards == ()
    assert translate(steps=steps, step_rewards=["a", "b"]).step_rewards == ()
