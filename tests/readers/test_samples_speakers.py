"""Who answers in a conversation, and what an agent did, where no name says so."""

from __future__ import annotations

import json

from weaklink.collect.readers.samples import open_samples


def read(folder, *rows):
    file = folder / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return list(open_samples(file))


def talk(*parties, key="speaker"):
    said = ("Hello.", "For when?", "Tomorrow.", "It is booked.")
    return [{key: parties[place % len(parties)], "utterance": text} for place, text in enumerate(said)]


def test_who_speaks_after_another_one_answers(tmp_path):
    for parties in (("user", "system"), ("customer", "clerk"), ("user", "assistant")):
        (sample,) = read(tmp_path, {"turns": talk(*parties), "reward": 1.0})
        assert (sample.prompt, sample.completion, sample.turns) == ("Hello.", "For when?\nIt is booked.", 2), parties


def test_instructions_are_no_speaker(tmp_path):
    said = [{"speaker": "system", "utterance": "Be kind."}, *talk("customer", "clerk")]
    (sample,) = read(tmp_path, {"turns": said, "reward": 1.0})
    assert (sample.prompt, sample.completion) == ("Be kind.\nHello.", "For when?\nIt is booked.")
    # a prompt of instructions and a question has no answer yet
    (asked,) = read(tmp_path, {"messages": [said[0], {"role": "user", "content": "Hello."}], "reward": 1.0})
    assert asked.completion == ""


def test_steps_of_fields_that_nobody_knows(tmp_path):
    steps = [{"command": "ls", "stdout": "a.txt", "returncode": 0}, {"command": "cat a.txt", "stdout": "7"}]
    (sample,) = read(tmp_path, {"task": "Read it.", "actions": steps, "reward": 1.0})
    assert [(call.tool, call.arguments, call.result) for call in sample.calls] == [
        ("command", "ls", "a.txt"),
        ("command", "cat a.txt", "7"),
    ]


def test_steps_that_only_say_something_call_nothing(tmp_path):
    (sample,) = read(tmp_path, {"task": "Read it.", "steps": [{"note": "I look."}, {"text": "Done."}], "reward": 1.0})
    assert (sample.calls, sample.completion) == ((), "Done.")
