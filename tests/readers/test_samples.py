"""Files of samples in the forms in which people have them: read row by row, with clear words for the rest."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from weaklink.base.errors import CorruptLog, NoReader, UsageError
from weaklink.collect.readers.samples import make_sample, open_samples
from weaklink.collect.readers.samples.names import FIELDS


def lines(*rows) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def written(folder, *rows, name="samples.jsonl"):
    file = folder / name
    file.write_text(lines(*rows), encoding="utf-8")
    return file


def only(folder, row):
    found = list(open_samples(written(folder, row)))
    assert len(found) == 1
    return found[0]


def test_the_plain_schema(tmp_path):
    row = {
        "id": "a1", "step": 3, "policy_version": 2, "group": 17, "split": "train", "prompt": "2+2?",
        "prompt_kind": "maths", "difficulty": 0.5,
        "completion": "4", "answer": 4, "reward": 1, "rewards": {"format": 0.2, "accuracy": True},
        "gold": True, "human_score": 0.8, "response_len": 12, "max_tokens": 64, "finish_reason": "stop", "entropy": 0.3,
        "kl": 0.01, "advantage": -0.5, "success": False, "cost": 0.002, "unsafe": 0,
    }  # fmt: skip
    sample = only(tmp_path, row)
    assert (sample.id, sample.group, sample.answer, sample.split) == ("a1", "17", "4", "train")
    assert sample.rewards == {"format": 0.2, "accuracy": 1.0}
    assert (sample.reward, sample.gold, sample.success, sample.unsafe) == (1.0, 1.0, 0.0, 0.0)
    assert (sample.step, sample.response_len, sample.max_tokens) == (3.0, 12.0, 64.0)
    assert sample.calls == ()
    assert sample.turns is None


def test_a_verl_dump(tmp_path):
    folder = tmp_path / "rollouts"
    folder.mkdir()
    for step in (2, 10):
        rows = [
            {
                "input": "user\nq",
                "output": f"so {n}",
                "gts": "1",
                "score": float(n),
                "step": step,
                "acc": n == 1,
                "pred": "1",
            }
            for n in range(2)
        ]
        written(folder, *rows, name=f"{step}.jsonl")
    read = open_samples(folder)
    samples = list(read)
    assert [sample.step for sample in samples] == [2, 2, 10, 10]
    assert [sample.gold for sample in samples] == [0, 1, 0, 1]
    assert samples[1].completion == "so 1"
    assert samples[1].answer == "1"
    assert samples[1].reward == 1.0
    assert read.unknown == ("pred",)


def test_an_openrlhf_dump(tmp_path):
    sample = only(tmp_path, {"input": "q", "output": "a", "reward": 0.25})
    assert (sample.prompt, sample.completion, sample.reward) == ("q", "a", 0.25)


def test_chat_messages_with_tools(tmp_path):
    messages = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": [{"type": "text", "text": "Cancel order 7."}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"b": 2, "a": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "cancel", "arguments": {"order": 7}}},
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "Error: not found"},
        {"role": "tool", "tool_call_id": "c1", "content": '{"order": 7}'},
        {"role": "assistant", "content": "It is cancelled."},
    ]
    sample = only(tmp_path, {"messages": messages, "tools": [{"type": "function", "function": {"name": "find"}}]})
    assert sample.prompt == "You help.\nCancel order 7."
    assert sample.completion == "It is cancelled."
    assert [(call.tool, call.arguments, call.ok) for call in sample.calls] == [
        ("find", '{"a":1,"b":2}', None),
        ("cancel", '{"order":7}', False),
    ]
    assert sample.calls[0].result == '{"order": 7}'
    assert sample.turns == 2
    assert sample.allowed_tools == ("find",)


def test_content_parts_with_tool_use(tmp_path):
    messages = [
        {"role": "user", "content": "List."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {"path": "."}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a.txt", "is_error": False}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "One file."}]},
    ]
    sample = only(tmp_path, {"messages": messages})
    assert (sample.calls[0].tool, sample.calls[0].result, sample.calls[0].ok) == ("ls", "a.txt", True)
    assert (sample.prompt, sample.completion) == ("List.", "One file.")


def test_steps_of_an_agent(tmp_path):
    steps = [
        {"thought": "look", "tool": "find", "args": {"order": 7}, "result": "none", "ok": False},
        {"thought": "again", "tool": "find", "args": {"order": 8}, "result": {"found": 1}, "ok": True},
        {"thought": "done"},
    ]
    row = {"prompt": "p", "steps": steps, "initial_state": {"b": 1, "a": 2}, "final_state": '{"a": 2, "b": 1}'}
    sample = only(tmp_path, row)
    assert sample.completion == "look\nagain\ndone"
    assert [call.ok for call in sample.calls] == [False, True]
    assert sample.calls[1].result == '{"found":1}'
    assert sample.turns == 3
    assert sample.initial_state == sample.final_state, "states are compared in one form"


@pytest.mark.parametrize("as_chat", [False, True])
def test_preference_pairs(tmp_path, as_chat):
    def said(text):
        return [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}] if as_chat else text

    sample = only(tmp_path, {"chosen": said("good"), "rejected": said("bad"), "score_chosen": 4, "score_rejected": 2})
    assert (sample.chosen, sample.rejected) == ("good", "bad")
    assert (sample.chosen_score, sample.rejected_score) == (4.0, 2.0)
    assert sample.prompt == ("q" if as_chat else "")


@pytest.mark.parametrize("order", [("completion", "output"), ("output", "completion")])
def test_our_own_name_comes_before_a_foreign_one(tmp_path, order):
    texts = {"completion": "ours", "output": "theirs"}
    assert only(tmp_path, {name: texts[name] for name in order}).completion == "ours"


def test_components_are_known_by_their_names_and_summed(tmp_path):
    read = open_samples(written(tmp_path, {"completion": "x", "reward/format": 0.5, "length_reward": 0.25}))
    (sample,) = read
    assert sample.rewards == {"format": 0.5, "length": 0.25}
    assert sample.reward == 0.75
    assert any("sum of its components" in note for note in read.notes)


def test_faulty_rows_are_counted_and_passed_over(tmp_path):
    read = open_samples(
        written(
            tmp_path,
            {"completion": "a", "reward": 1},
            {"completion": "b", "reward": "much"},
            "{broken",
            {"reward": 1},
            [1, 2],
            {"messages": "hello"},
            {"completion": 7},
            "",
            {"completion": "c", "reward": 2},
        )
    )
    assert [sample.completion for sample in read] == ["a", "c"]
    assert read.faulty == 6
    assert read.faults[0] == "row 2: reward must be a number, not 'much'"
    assert read.faults[1].startswith("row 3: the line must be JSON")
    assert "completion, messages, steps, chosen" in read.faults[2]
    assert "must be an object" in read.faults[3]
    assert read.faults[4] == "row 6: messages must be a list of messages, not 'hello'"
    assert read.faults[5] == "row 7: completion must be text or a list of messages, not a number"


def test_only_the_first_faults_are_kept(tmp_path):
    read = open_samples(
        written(tmp_path, {"completion": "a"}, *({"completion": "a", "reward": "x"} for _ in range(50)))
    )
    assert len(list(read)) == 1
    assert read.faulty == 50
    assert len(read.faults) == 20


def test_a_file_without_a_sample_is_refused_with_a_cure(tmp_path):
    with pytest.raises(UsageError, match=r"completion, messages, steps, chosen.*loss\.jsonl.*2 rows.*docs/samples\.md"):
        list(open_samples(written(tmp_path, {"loss": 1}, {"loss": 2}, name="loss.jsonl")))


def test_an_empty_file_and_a_missing_one(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(UsageError, match="no row"):
        list(open_samples(tmp_path / "empty.jsonl"))
    with pytest.raises(NoReader, match="nowhere"):
        open_samples(tmp_path / "nowhere")


def test_numbers_that_are_none_are_accepted(tmp_path):
    file = written(tmp_path, '{"completion": "a", "reward": NaN, "kl": -Infinity, "gold": 1}')
    (sample,) = open_samples(file)
    assert sample.reward is None
    assert sample.kl is None
    assert sample.gold == 1.0


def test_bytes_that_are_no_text_and_half_characters(tmp_path):
    file = tmp_path / "odd.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"completion": "a\xff"}\n{"completion": "\\ud800"}\r\n{"completion": "\\u0000"}')
    assert len(list(open_samples(file))) == 3


def test_a_json_list_an_object_and_a_table(tmp_path):
    rows = [{"prompt": "p", "completion": f"c{n}"} for n in range(3)]
    table = {"columns": ["prompt", "completion"], "data": [[row["prompt"], row["completion"]] for row in rows]}
    forms = {"list": rows, "object": {"model": "m", "samples": rows}, "table": table}
    for name, content in forms.items():
        for indent in (None, 2):
            file = tmp_path / f"{name}.json"
            file.write_text(json.dumps(content, indent=indent))
            assert [sample.completion for sample in open_samples(file)] == ["c0", "c1", "c2"], (name, indent)


def test_one_object_over_many_lines_is_one_sample(tmp_path):
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"prompt": "p", "completion": "c"}, indent=2))
    assert [sample.completion for sample in open_samples(file)] == ["c"]


def test_a_torn_first_line_is_one_fault(tmp_path):
    read = open_samples(written(tmp_path, '{"completion": "a', {"completion": "b"}, {"completion": "c"}))
    assert [sample.completion for sample in read] == ["b", "c"]
    assert read.faulty == 1


def test_a_torn_json_list_gives_what_came_before(tmp_path):
    file = tmp_path / "torn.json"
    file.write_text('[{"completion": "a"}, {"completion": "b"}, {"compl')
    read = open_samples(file)
    assert [sample.completion for sample in read] == ["a", "b"]
    assert read.faulty == 1


def test_packed_by_gzip(tmp_path):
    file = tmp_path / "samples.jsonl.gz"
    file.write_bytes(gzip.compress(lines({"completion": "a"}, {"completion": "b"}).encode()))
    assert [sample.completion for sample in open_samples(file)] == ["a", "b"]
    content = gzip.compress(lines(*({"completion": str(n) * 50} for n in range(5000))).encode())
    file.write_bytes(content[: len(content) // 2])
    read = open_samples(file)
    assert 1000 < len(list(read)) < 5000
    assert "damaged" in read.notes[0]
    file.write_bytes(content[:20])
    with pytest.raises(CorruptLog, match="gzip"):
        list(open_samples(file))


def test_a_folder_is_searched_and_only_samples_are_taken(tmp_path):
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", {"completion": "b"}, name="step_10.jsonl")
    written(tmp_path / "deep", {"completion": "a"}, {"completion": "x", "reward": "?"}, name="step_9.jsonl")
    (tmp_path / "config.json").write_text('{"learning_rate": 1e-6}')
    (tmp_path / ".hidden.jsonl").write_text('{"completion": "no"}\n')
    read = open_samples(tmp_path)
    assert [sample.completion for sample in read] == ["a", "b"]
    assert read.faults[0].startswith("deep/step_9.jsonl, row 2: ")


def test_no_link_is_followed_out_of_the_folder(tmp_path):
    outside = written(tmp_path, {"completion": "secret"}, name="outside.jsonl")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(outside)
    with pytest.raises(NoReader, match="No samples below"):
        open_samples(folder)


def test_a_very_long_line(tmp_path):
    file = written(tmp_path, {"completion": "word " * 4_000_000}, {"completion": "b"})
    assert [len(sample.completion) for sample in open_samples(file)] == [20_000_000, 1]


def test_rows_can_be_read_twice(tmp_path):
    read = open_samples(written(tmp_path, {"completion": "a"}, {"completion": "b", "reward": "x"}))
    assert [len(list(read)) for _ in range(2)] == [1, 1]
    assert read.faulty == 1


def test_every_name_is_on_the_page():
    page = (Path(__file__).parents[2] / "docs" / "samples.md").read_text()
    assert [name for name in FIELDS if f"`{name}`" not in page] == []


def test_names_without_end_take_no_memory_without_end(tmp_path):
    read = open_samples(written(tmp_path, *({"completion": "a", f"key{n}": n} for n in range(900))))
    assert len(list(read)) == 900
    assert len(read.unknown) == 500


def test_turns_that_are_only_counted(tmp_path):
    assert only(tmp_path, {"completion": "a", "num_turns": 4}).turns == 4
    assert only(tmp_path, {"completion": "a", "steps": 900}).turns is None


def test_a_row_that_is_at_hand():
    assert make_sample({"output": "a", "score": 1}).reward == 1.0
    with pytest.raises(UsageError, match="no sample"):
        make_sample({"loss": 1.0})


@pytest.mark.parametrize("value", [1, "1", True, [1.0]])
def test_what_counts_as_a_number(tmp_path, value):
    assert math.isclose(only(tmp_path, {"completion": "a", "reward": value}).reward, 1.0)
