"""Files whose rows are laid out in other ways: nested, a group or a step a line, names that say nothing."""

from __future__ import annotations

import pytest

from tests.samples.files import sums, written
from weaklink import audit
from weaklink.collect.readers.samples import open_samples

NAMES = {"prompt": "asked", "completion": "written", "reward": "payoff", "step": "tick", "answer": "truth"}
"""Names that nobody knows."""
TOLD = ("prompt", "completion", "reward", "step", "answer")


def nest(row):
    return {
        "meta": {"iter": row["step"], "prompt_uid": row["group"], "reference": row["answer"]},
        "io": {"query": row["prompt"], "response": row["completion"]},
        "scores": {"total": row["reward"]},
    }


def judge(row):
    return {
        "iteration": row["step"],
        "request": {"body": {"prompt": row["prompt"], "ground_truth": row["answer"]}},
        "output": row["completion"],
        "judge": {"score": row["reward"], "model": "a", "rationale": "Fine."},
        "toxicity": {"score": 0.01},
    }


def abbreviate(row):
    return {"q": row["prompt"], "a": row["completion"], "r": row["reward"], "t": row["step"], "y": row["answer"]}


def number(row, place):
    return {"n": place, "u": row["prompt"], "v": row["completion"], "w": row["reward"], "x": row["answer"]}


def gather_groups(rows, make):
    found = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row)
    return [make(group) for group in found.values()]


def list_texts(group):
    first = group[0]
    return {
        "prompt": first["prompt"],
        "completions": [row["completion"] for row in group],
        "rewards": [row["reward"] for row in group],
        "step": first["step"],
        "answer": first["answer"],
    }


def list_objects(group):
    first = group[0]
    told = [{"text": row["completion"], "score": row["reward"]} for row in group]
    return {"question": first["prompt"], "step": first["step"], "answer": first["answer"], "candidates": told}


def read(place, rows):
    found = open_samples(written(place / "samples.jsonl", rows))
    return list(found), found


def rename(row):
    told = {NAMES[name]: row[name] for name in TOLD}
    tokens = 3 * len(row["completion"])
    return {**told, "pieces": tokens, "asked_pieces": len(row["prompt"]), "said": row["completion"].split()[-1][:-1]}


def rename_some(row):
    return {
        "prompt": row["prompt"],
        "answer": row["answer"],
        **{NAMES[n]: row[n] for n in ("completion", "reward", "step")},
    }


def deepen(row):
    return {"record": nest(row)}


def separate(row):
    """A score stands among the numbers of the row, and needs no other name."""
    return {
        "content": {"question": row["prompt"], "response": row["completion"], "answer": row["answer"]},
        "stats": {"score": row["reward"], "step": row["step"]},
    }


def point(row):
    return {f"{outer}.{name}": value for outer, inner in nest(row).items() for name, value in inner.items()}


def spell(row):
    return {**{name: row[name] for name in TOLD}, "reward": str(row["reward"]), "step": str(row["step"])}


def rename_and_spell(row):
    return {NAMES[name]: str(row[name]) for name in TOLD}


def speak(row):
    asked, told = {"role": "user", "content": row["prompt"]}, {"role": "assistant", "content": row["completion"]}
    return {"q": [asked], "w": [told], "p": row["reward"], "t": row["step"], "y": row["answer"]}


def converse(row):
    asked, told = {"role": "user", "content": row["prompt"]}, {"role": "assistant", "content": row["completion"]}
    return {"talk": [asked, told], "p": row["reward"], "t": row["step"], "y": row["answer"]}


@pytest.mark.parametrize(
    "make",
    [nest, judge, abbreviate, rename, rename_some, deepen, separate, point, spell, rename_and_spell, speak, converse],
)
def test_other_layouts_hold_the_same_samples(tmp_path, make):
    rows = sums()
    found, opened = read(tmp_path, map(make, rows))
    assert not opened.faulty
    for name in TOLD:
        assert [getattr(one, name) for one in found] == [row[name] for row in rows], name


@pytest.mark.parametrize("make", [list_texts, list_objects])
def test_a_line_that_holds_a_group_is_a_row_for_each_completion(tmp_path, make):
    rows = sums()
    found, opened = read(tmp_path, gather_groups(rows, make))
    assert not opened.faulty
    for name in TOLD:
        assert [getattr(one, name) for one in found] == [row[name] for row in rows], name
    assert len({one.group for one in found}) == len({row["group"] for row in rows})


def test_names_that_say_nothing_are_known_by_what_they_hold_and_told(tmp_path):
    rows = sums()
    found, opened = read(tmp_path, [number(row, place) for place, row in enumerate(rows)])
    assert [one.completion for one in found] == [row["completion"] for row in rows]
    assert [one.reward for one in found] == [row["reward"] for row in rows]
    assert [one.answer for one in found] == [row["answer"] for row in rows]
    assert any("known by what they hold" in note for note in opened.notes)


def test_an_advantage_is_known_by_its_sums_and_a_count_of_tokens_by_the_texts(tmp_path):
    rows = sums()
    for start in range(0, len(rows), 8):
        draw = rows[start : start + 8]
        mean = sum(row["reward"] for row in draw) / len(draw)
        for row in draw:
            row["edge"] = round(row["reward"] - mean, 4)
    found, _ = read(tmp_path, [{**rename(row), "edge": row["edge"]} for row in rows])
    assert [one.advantage for one in found] == [row["edge"] for row in rows]
    assert [one.reward for one in found] == [row["reward"] for row in rows]
    assert [one.response_len for one in found] == [3 * len(row["completion"]) for row in rows]


def test_what_may_be_either_is_not_guessed_at(tmp_path):
    rows = [{"asked": row["prompt"], "one": row["completion"], "two": row["completion"][::-1]} for row in sums()]
    with pytest.raises(Exception, match="A sample needs one of the fields"):
        read(tmp_path, rows)
    rows = [{**rename(row), "worth": row["rewards"]["judge"]} for row in sums()]
    assert {one.reward for one in read(tmp_path, rows)[0]} == {None}


def test_what_is_not_read_may_be_the_reward_and_keeps_a_file_from_being_healthy(tmp_path):
    rows = [{**rename(row), "worth": row["rewards"]["judge"], "gold": row["gold"]} for row in sums()]
    assert audit(written(tmp_path / "samples.jsonl", rows)).diagnosis.verdict == "unclear"


def test_verdicts_may_be_words(tmp_path):
    rows = [{**row, "reward": "pass" if row["gold"] else "fail"} for row in sums()]
    assert [one.reward for one in read(tmp_path, rows)[0]] == [float(row["gold"]) for row in rows]


def _vary(value, place):
    """A value, with numbers that differ where it has none."""
    number = 0.5 + 0.01 * (7 * place % 20)
    return number if value is None else {name: number if one is None else one for name, one in value.items()}


def test_a_score_of_something_else_is_no_reward(tmp_path):
    for name, value in (
        ("toxicity", {"score": 0.5}),
        ("toxicity", {"score": None}),
        ("perplexity", None),
        ("timestamp", None),
    ):
        rows = [{"prompt": "p", "completion": f"c {place}", name: _vary(value, place)} for place in range(20)]
        assert {one.reward for one in read(tmp_path, rows)[0]} == {None}, name


def test_steps_of_an_episode_become_one_trajectory(tmp_path):
    rows = [
        {
            "episode_id": episode,
            "t": t,
            "iteration": 3,
            "obs": f"o{t}",
            "action": f"a{t}",
            "reward": 0.5,
            "done": t == 3,
        }
        for t in range(4)
        for episode in range(5)  # environments side by side
    ]
    found, opened = read(tmp_path, rows)
    assert len(found) == 5
    assert {(one.reward, one.step, one.turns, one.prompt) for one in found} == {(2.0, 3.0, 4, "o0")}
    assert [call.result for call in found[0].calls] == ["o1", "o2", "o3", ""]
    assert any("one step of an environment" in note for note in opened.notes)


def test_episodes_without_a_name_end_where_their_steps_say_so(tmp_path):
    rows = [{"t": t, "state": str(t), "action": "go", "reward": 1, "done": t == 2} for _ in range(4) for t in range(3)]
    assert [one.reward for one in read(tmp_path, rows)[0]] == [3.0] * 4


def test_steps_that_are_paid_unlike_keep_what_each_was_paid(tmp_path):
    rows = [
        {"episode_id": episode, "t": t, "obs": f"o{t}", "action": "take", "reward": paid, "done": t == 2}
        for episode, price in enumerate((0.2, 0.0))
        for t, paid in enumerate((price, 0.0, price))
    ]
    assert [one.step_rewards for one in read(tmp_path, rows)[0]] == [(0.2, 0.0, 0.2), (0.0, 0.0, 0.0)]
    alike = [row | {"reward": 1.0} for row in rows]
    assert [one.step_rewards for one in read(tmp_path, alike)[0]] == [(), ()]


def test_a_step_that_thinks_and_names_no_tool_did_its_first_other_text(tmp_path):
    steps = [{"thought": "I look.", "command": "ls tests", "output": "a.py"}, {"thought": "Nothing is left to do."}]
    (one,) = read(tmp_path, [{"task": "Count.", "steps": steps, "reward": 1.0}])[0]
    assert [(call.tool, call.arguments, call.result) for call in one.calls] == [("command", "ls tests", "a.py")]
    assert one.completion == "I look.\nNothing is left to do."


def test_speakers_of_a_dialogue_are_roles(tmp_path):
    turns = [
        {"speaker": "user", "text": "Count."},
        {"speaker": "agent", "text": "I look.", "tool": "shell", "tool_input": {"cmd": "ls"}},
        {"speaker": "tool", "text": "a\nb"},
        {"speaker": "agent", "text": "ANSWER: 2"},
    ]
    (one,) = read(tmp_path, [{"turns": turns, "outcome": "success", "reward": 1.0}])[0]
    assert (one.prompt, one.gold, one.turns) == ("Count.", 1.0, 2)
    assert [(call.tool, call.result) for call in one.calls] == [("shell", "a\nb")]


def test_rows_that_are_no_samples_are_still_refused(tmp_path):
    rows = [{"name": f"n{place}", "size": place} for place in range(30)]
    with pytest.raises(Exception, match="A sample needs one of the fields"):
        read(tmp_path, rows)


def test_a_nested_file_is_judged_as_the_flat_one(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "rewards"} for row in sums(padded=True)]
    flat = audit(written(tmp_path / "flat.jsonl", rows))
    nested = audit(written(tmp_path / "nested.jsonl", [{**nest(row), "gold": row["gold"]} for row in rows]))
    assert flat.diagnosis.first_break.code == nested.diagnosis.first_break.code
