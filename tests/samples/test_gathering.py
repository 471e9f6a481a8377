"""Streams of samples to columns: what each column holds, what is kept, and that it is the same however it was made."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.samples.files import written
from weaklink.base.evidence.samples import CODES, COLUMNS, COMPONENT, FIGURE, LABEL, STYLE, Sample, ToolCall
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.samples import gathering
from weaklink.collect.samples.gathering import gather, is_unsafe
from weaklink.collect.samples.measurers import Measurers
from weaklink.collect.samples.pairs import measure_quality


def draws(count, size=4):
    draw = random.Random(0)
    for row in range(count):
        yield Sample(
            prompt=f"problem {row // size}",
            completion=f"Let me see. {draw.randint(0, 9)} and {row} make {draw.randint(0, 9)}",
            reward=float(draw.random() < 0.5),
            rewards={"format": 0.5},
            step=float(row // (4 * size)),
        )


def test_columns_are_those_that_are_declared():
    samples = gather(draws(50), "x")
    assert len(samples) == samples.rows == 50
    for name in samples.numbers:
        assert name in COLUMNS or name.startswith((COMPONENT, STYLE))
    assert set(samples.codes) <= set(CODES)
    assert all(len(column) == 50 for column in (*samples.numbers.values(), *samples.codes.values()))
    assert samples.unit == "words"
    assert "gold" not in samples
    assert (samples["reward.format"] == 0.5).all()


def test_groups_are_draws_of_one_prompt_at_one_step():
    same = [Sample(prompt="p", completion=str(n), step=float(n // 2)) for n in range(4)]
    codes = gather(same, "x").codes
    assert len(set(codes["group"])) == 2
    assert len(set(codes["prompt"])) == 1
    named = [Sample(prompt=f"p{n}", group="g", completion="c") for n in range(3)]
    assert len(set(gather(named, "x").codes["group"])) == 1
    assert "group" not in gather([Sample(completion="c")], "x")


def test_codes_are_equal_where_things_are_and_have_names():
    rows = [Sample(completion=text) for text in ("Let us see: the answer is 4.", "We get 4", "We get 5")]
    samples = gather(rows, "x")
    answers = samples.codes["answer"]
    assert answers[0] != answers[1], "short texts are their own answers"
    assert samples.names["answer"][int(answers[0])] == "4"
    assert samples.codes["text"].tolist() == gather(rows, "y").codes["text"].tolist()


def test_rows_that_say_nothing_of_a_column_hold_no_number():
    rows = [Sample(completion="a"), Sample(completion="b", gold=1.0), Sample(completion="c", rewards={"late": 2.0})]
    samples = gather(rows, "x")
    assert np.isnan(samples["gold"]).tolist() == [True, False, True]
    assert np.isnan(samples["reward.late"]).tolist() == [True, True, False]


def test_tokens_where_they_are_counted_else_words():
    counted = [
        Sample(completion="two words", response_len=5.0, max_tokens=5.0),
        Sample(completion="x", response_len=1.0),
    ]
    samples = gather(counted, "x")
    assert samples.unit == "tokens"
    assert samples["length"].tolist() == [5, 1]
    assert samples["truncated"][0] == 1
    assert np.isnan(samples["truncated"][1])
    few = [Sample(completion="two words", response_len=5.0), *(Sample(completion="a b c") for _ in range(3))]
    samples = gather(few, "x")
    assert (samples.unit, samples["length"].tolist()) == ("words", [2, 3, 3, 3])


def test_the_finish_reason_says_what_was_cut():
    rows = [Sample(completion="a", finish_reason=reason) for reason in ("length", "stop", "")]
    assert gather(rows, "x")["truncated"].tolist()[:2] == [1, 0]


def test_trajectories():
    calls = (
        ToolCall(tool="find", arguments="1", ok=False),
        ToolCall(tool="find", arguments="2", ok=True),
        ToolCall(tool="find", arguments="2"),
        ToolCall(tool="drop", ok=False),
    )
    rows = [
        Sample(prompt="p", completion="I have updated it.", calls=calls, turns=5, allowed_tools=("find",),
               initial_state='{"a":1}', final_state='{"a":1,"b":2}', expected_state='{"a":1}'),
        Sample(prompt="p", completion="No.", turns=1, initial_state="x", final_state="x", expected_state="y"),
    ]  # fmt: skip
    samples = gather(rows, "x")
    counted = ("tool_calls", "repeated_calls", "illegal_calls", "failed_calls", "recovered_calls", "turns")
    assert [samples[name][0] for name in counted] == [4, 1, 1, 2, 1, 5]
    assert samples["tool_calls"][1] == 0
    assert samples["claims_success"].tolist() == [1, 0]
    assert samples["state_changed"].tolist() == [1, 0]
    assert samples["state_reached"].tolist() == [1, 0], "a state holds what is expected of it"
    assert samples.names["path"][int(samples.codes["path"][0])] == "find > find > find > drop"
    assert samples.codes["path"][1] == -1


def test_chats_without_any_tool_have_no_columns_of_calls():
    assert "tool_calls" not in gather([Sample(completion="hi", turns=1)] * 3, "x").numbers


def test_pairs():
    rows = [
        Sample(prompt="p", chosen="Fine words here.", rejected="no " * 50),
        Sample(prompt="p", chosen="It is 5", rejected="It is 4", answer="4"),
        Sample(prompt="p", chosen="a", rejected="b", chosen_score=0.2, rejected_score=0.9),
    ]
    samples = gather(rows, "x")
    assert samples["chosen_quality"].tolist() == [1.0, 0.0, 0.2]
    assert samples["rejected_quality"].tolist() == [0.5, 0.0, 0.9]
    assert "length" not in samples
    assert "[rejected]" in samples.random[0].completion


def test_quality_knows_no_length_and_no_style():
    assert measure_quality("Yes.") == measure_quality("A much longer answer, with **style** and many words!") == 1.0
    assert measure_quality("  ") == 0.0


@pytest.mark.parametrize(
    ("kind", "unsafe"),
    [
        ("unsafe", True),
        ("harmful", True),
        ("jailbreak/roleplay", True),
        ("safe", False),
        ("harmless", False),
        ("maths", None),
    ],
)
def test_kinds_of_prompts(kind, unsafe):
    assert is_unsafe(kind) is unsafe


def test_several_splits_are_told():
    rows = [Sample(completion="a", split="train"), Sample(completion="b", split="eval")]
    assert "train (1 rows), eval (1 rows)" in gather(rows, "x").notes[0]
    assert not gather(rows[:1], "x").notes


def test_the_best_the_worst_and_random_ones_are_kept():
    rows = [Sample(prompt="p", completion=f"text {n}", reward=float(n), gold=1.0) for n in range(200)]
    samples = gather(rows, "x")
    assert [shown.reward for shown in samples.best] == [199, 198, 197, 196, 195]
    assert [shown.reward for shown in samples.worst] == [0, 1, 2, 3, 4]
    assert len({shown.row for shown in samples.random}) == 5
    assert samples.best[0].outcome == 1.0
    assert gather(rows, "x", seed=1).random != samples.random
    assert gather(rows, "x").random == samples.random


def test_random_ones_are_drawn_from_all_rows():
    seen = [shown.row for seed in range(60) for shown in gather(draws(40), "x", seed=seed).random]
    assert min(seen) < 4
    assert max(seen) > 35
    assert np.mean(seen) == pytest.approx(19.5, abs=3)


def test_one_text_is_shown_once_and_long_ones_are_cut():
    samples = gather([Sample(completion="same", reward=1.0)] * 20 + [Sample(completion="x" * 9000, reward=0.5)], "x")
    assert [len(samples.best), len(samples.worst)] == [2, 2]
    assert len(samples.worst[0].completion) < 3100
    assert "characters left out" in samples.worst[0].completion


def test_beyond_the_limit_whole_groups_are_left_out():
    samples = gather(draws(4_000), "x", most=1000)
    assert samples.rows == 4_000
    assert 333 < len(samples) <= 1000
    _, sizes = np.unique(samples.codes["group"], return_counts=True)
    assert (sizes == 4).all()
    assert "4,000 rows" in samples.notes[0]
    assert samples["reward"].mean() == pytest.approx(0.5, abs=0.05)
    assert samples["step"].max() > 233, "rows of every step are kept"
    again = gather(draws(4_000), "x", most=1000)
    assert again.codes["group"].tolist() == samples.codes["group"].tolist()
    other = gather(draws(4_000), "x", most=1000, seed=1)
    assert other.codes["group"].tolist() != samples.codes["group"].tolist()


def test_rows_without_a_group_are_thinned_too():
    samples = gather((Sample(completion=str(n), reward=float(n)) for n in range(5000)), "x", most=1000)
    assert 300 < len(samples) <= 1000


def test_other_processes_change_nothing(monkeypatch):
    alone = gather(draws(1200), "x")
    monkeypatch.setattr(gathering, "Measurers", lambda: Measurers(1, worth_help=300))
    helped = gather(draws(1200), "x")
    assert helped.numbers.keys() == alone.numbers.keys()
    for name in alone.numbers:
        np.testing.assert_array_equal(helped[name], alone[name])
    for name in alone.codes:
        np.testing.assert_array_equal(helped.codes[name], alone.codes[name])
    assert (helped.best, helped.random, helped.names) == (alone.best, alone.random, alone.names)


def test_what_is_looked_at_in_some_rows_alone_is_told(monkeypatch):
    monkeypatch.setattr(gathering, "LOOKED_AT", 1_200)
    assert not any("word by word" in note for note in gather(draws(1_200), "x").notes)
    assert any("every 16th is compared" in note for note in gather(draws(1_216), "x").notes)


def test_what_the_reader_noticed_comes_along(tmp_path):
    rows = [{"completion": "a", "reward": 1, "mood": 3}, {"completion": "b", "reward": "x"}]
    samples = gather(open_samples(written(tmp_path / "s.jsonl", rows)), "x")
    assert samples.faults == ("row 2: reward must be a number, not 'x'",)
    assert samples.unknown == ("mood",)
    assert samples.source.endswith("s.jsonl")


def test_half_characters_and_nothing_at_all(tmp_path):
    lines = ['{"prompt": "\\ud800", "completion": "\\udfff x"}', '{"completion": ""}']
    samples = gather(open_samples(written(tmp_path / "s.jsonl", lines)), "x")
    assert len(samples) == 2
    samples.random[0].completion.encode()
    assert len(gather([], "x")) == 0


def test_rows_without_a_reward_are_counted():
    rows = [Sample(completion="a", reward=reward) for reward in (1.0, None, float("nan"))]
    assert "2 of 3 rows have no reward" in gather(rows, "x").notes
    assert not gather([Sample(completion="a"), Sample(completion="b")], "x").notes


def test_an_agent_without_words_says_what_it_did():
    calls = [(ToolCall(tool="search", arguments=text),) for text in ("a", "b", "a")]
    found = gather([Sample(prompt="p", reward=1.0, calls=call, turns=1) for call in calls], "agents")
    assert len(np.unique(found.codes["text"])) == 2
    assert "empty" not in found  # silence is no empty completion
    spoken = gather([Sample(prompt="p", completion="", reward=1.0)] * 3, "answers")
    assert (spoken["empty"] == 1.0).all()


def test_numbers_and_words_of_unknown_names_have_columns_up_to_a_limit():
    words = {f"w{place}": "plain" for place in range(gathering.MOST_UNKNOWN + 9)}
    rows = [Sample(completion="a", labels={"mood": mood, **words}, figures={"waits": 2.0}) for mood in ("calm", "sad")]
    found = gather([*rows, Sample(completion="b")], "x")
    moods = found.codes[f"{LABEL}mood"]
    assert [found.names[f"{LABEL}mood"].get(int(mood)) for mood in moods] == ["calm", "sad", None]
    assert sum(name.startswith(LABEL) for name in found.codes) == gathering.MOST_UNKNOWN
    assert found[f"{FIGURE}waits"].tolist()[:2] == [2.0, 2.0]


def test_accents_of_a_reference_and_blocks_of_code_are_marked():
    block = "```python\nx = 1\n```\n"
    rows = [Sample(completion=2 * block, answer="Ma\u0301laga"), Sample(completion=block, answer="Málaga")]
    found = gather(rows, "x")
    assert found["reference_decomposed"].tolist() == [1.0, 0.0]
    assert found["several_code_blocks"].tolist() == [1.0, 0.0]
