"""Rows as strangers write them: other spellings, fields inside of objects, calls that stand in the text."""

from __future__ import annotations

import json

import pytest

from weaklink.base.errors import UsageError
from weaklink.collect.readers.samples import make_sample, open_samples
from weaklink.collect.readers.samples.nesting import flatten
from weaklink.collect.readers.samples.results import judge_result
from weaklink.collect.samples.gathering import gather


def test_spelling_makes_no_difference():
    sample = make_sample({"Prompt Text": "a", "modelResponse": "b", "finishReason": "stop", "Global-Step": 3})
    assert (sample.prompt, sample.completion, sample.finish_reason, sample.step) == ("a", "b", "stop", 3.0)


def test_objects_of_a_row_are_looked_into_where_the_row_is_silent():
    row = {
        "extra_info": {"split": "test", "step": 7, "index": 4},
        "completion": "b",
        "step": 2,
        "reward_model": {"style": "rule", "ground_truth": "12"},
        "usage": {"completion_tokens": 40, "total_tokens": 140},
    }
    sample = make_sample(row)
    assert (sample.split, sample.step, sample.answer) == ("test", 2.0, "12")
    assert (sample.response_len, sample.cost) == (40.0, 140.0)


def test_a_number_of_a_trace_is_no_body():
    sample = make_sample({"completion": "b", "trace": 12, "tool_calls": 3})
    assert (sample.calls, sample.turns, sample.call_count) == ((), None, 3.0)


def test_what_is_safe_is_not_unsafe():
    assert make_sample({"completion": "b", "is_safe": False}).unsafe == 1.0
    assert make_sample({"completion": "b", "is_safe": True, "unsafe": 1}).unsafe == 1.0


WRITTEN = {
    "tags": '<tool_call>{"name": "find", "arguments": {"q": 1}}</tool_call><tool_response>Error: no</tool_response>',
    "react": "Thought: look\nAction: find\nAction Input: one\nObservation: Error: no\nFinal Answer: 3",
    "search": "<think>hm</think><search>one</search>\n<information>Error: no</information>",
}


@pytest.mark.parametrize("form", WRITTEN)
def test_calls_that_stand_in_a_text(form):
    sample = make_sample({"prompt": "p", "completion": WRITTEN[form]})
    (call,) = sample.calls
    assert call.tool == ("search" if form == "search" else "find")
    assert (call.ok, sample.turns) == (False, 1)


def test_words_about_actions_are_no_calls():
    text = "In this film the action never stops. Call to Action: none was given."
    assert make_sample({"prompt": "p", "completion": text}).calls == ()
    assert make_sample({"prompt": "p", "completion": "Use `<tool_call>` tags."}).calls == ()


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        ("Invalid arguments: 'q' is required", False),
        (json.dumps({"status": 500, "body": "x"}), False),
        (json.dumps({"status": 200, "body": "x"}), True),
        (json.dumps({"success": False}), False),
        (json.dumps({"status": "cancelled"}), None),
        ("No results found.", None),
        ("TimeoutError: the tool did not answer", False),
        ("The error: it was small.", None),
        ("404 people came, and the error was small.", None),
    ],
)
def test_what_a_result_says_of_itself(result, ok):
    assert judge_result(result) is ok


@pytest.mark.parametrize(
    ("reason", "cut"),
    [("FinishReason.LENGTH", 1.0), ("max_turns", 1.0), ("MAX_TOKENS", 1.0), ("eos", 0.0), ("stop", 0.0)],
)
def test_ends_that_a_limit_made(reason, cut):
    found = gather([make_sample({"completion": "b", "finish_reason": reason})] * 2, "samples")
    assert found["truncated"].tolist() == [cut, cut]


def fill(folder, names, **row):
    for name in names:
        (folder / name).write_text(json.dumps({"completion": "a", **row}) + "\n", encoding="utf-8")
    return open_samples(folder)


def test_the_names_of_numbered_files_are_steps(tmp_path):
    rows = fill(tmp_path, ["rollout_step_10.jsonl", "rollout_step_20.jsonl", "rollout_step_200.jsonl"])
    assert [sample.step for sample in rows] == [10.0, 20.0, 200.0]
    assert any("names of the files" in note for note in rows.notes)


def test_a_step_of_a_row_comes_first(tmp_path):
    assert {sample.step for sample in fill(tmp_path, ["1.jsonl", "2.jsonl"], step=7)} == {7.0}


@pytest.mark.parametrize("names", [["rank_0.jsonl", "rank_1.jsonl"], ["train-00000-of-00002.jsonl", "1.jsonl"]])
def test_shards_are_no_steps(names, tmp_path):
    assert {sample.step for sample in fill(tmp_path, names)} == {None}


def test_files_that_are_named_after_their_split(tmp_path):
    assert {sample.split for sample in fill(tmp_path, ["train.jsonl", "test.jsonl"])} == {"training", "evaluation"}


def test_rows_of_an_evaluation_harness():
    row = {
        "doc_id": 3,
        "doc": {"question": "What is 2 + 3?", "answer": "#### 5"},
        "target": "5",
        "arguments": [["Question: What is 2 + 3?\nAnswer:", {"until": ["\n"]}]],
        "resps": [["It is 5."]],
        "filtered_resps": ["5"],
        "exact_match": 1.0,
    }
    sample = make_sample(row)
    assert (sample.completion, sample.answer, sample.gold) == ("It is 5.", "5", 1.0)
    assert sample.prompt == "Question: What is 2 + 3?\nAnswer:"
    named = make_sample(row | {"arguments": {"gen_args_0": {"arg_0": "What is 2 + 3?", "arg_1": {}}}})
    assert named.prompt == "What is 2 + 3?"


def test_a_solution_beside_a_reference_was_sampled():
    row = {"problem": "What is 2 + 3?", "solution": "It is 6.", "ground_truth": "5", "reward": 0.0}
    for own in ("solution", "answer"):
        told = {own if name == "solution" else name: value for name, value in row.items()}
        sample = make_sample(told)
        assert (sample.completion, sample.answer) == ("It is 6.", "5"), own
    # beside a completion it is the reference, and what nobody judged is a data set
    assert make_sample({"completion": "6", "solution": "It is 5."}).answer == "It is 5."
    with pytest.raises(UsageError):
        make_sample({name: value for name, value in row.items() if name != "reward"})


def test_the_only_text_of_an_unknown_name_is_the_completion(tmp_path):
    row = {"question": "What is 2 + 3?", "candidate_7b": "It is 5.", "model": "tiny", "score": 1.0}
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps(row) for _ in range(3)))
    rows = open_samples(file)
    assert [sample.completion for sample in rows] == ["It is 5."] * 3
    assert "candidate_7b" in rows.notes[0]
    # of two texts none is certain
    with pytest.raises(UsageError):
        make_sample(row | {"candidate_70b": "It is five."})


def test_a_message_alone_is_a_side_of_a_pair():
    pair = {"chosen": {"from": "gpt", "value": "Rome."}, "rejected": {"role": "assistant", "content": "Paris."}}
    sample = make_sample(flatten({"conversations": [{"from": "human", "value": "Which city?"}], **pair}))
    assert (sample.prompt, sample.chosen, sample.rejected) == ("Which city?", "Rome.", "Paris.")
    scored = {"chosen": {"text": "Rome.", "score": 0.9}, "rejected": {"text": "Paris.", "score": 0.1}}
    sample = make_sample(flatten({"prompt": "Which city?", **scored}))
    assert (sample.chosen, sample.chosen_score, sample.rejected_score) == ("Rome.", 0.9, 0.1)


def test_rewards_that_are_one_number_are_the_reward():
    assert make_sample({"prompt": "Which city?", "response": "Rome.", "rewards": 0.7}).reward == 0.7
