"""What rows show together: a cap on their length, groups, whether answers are right."""

from __future__ import annotations

from random import Random

from weaklink.collect.readers.samples import make_sample
from weaklink.collect.samples.gathering import gather

WORDS = ("the", "river", "house", "often", "people", "market", "small", "light", "paper", "bridge", "window", "story")


def write(rng, sentences):
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(6, 14))).capitalize() + "." for _ in range(sentences))


def gathered(rows):
    return gather(map(make_sample, rows), "samples")


def break_off(rng, words):
    return " ".join(write(rng, words // 5).split()[:words]).rstrip(".")


def test_a_length_that_is_the_longest_and_the_commonest_is_a_cap():
    rng = Random(0)
    rows = [{"completion": "a", "response_length": 512 if place % 3 else rng.randint(60, 500)} for place in range(300)]
    found = gathered(rows)
    assert found["truncated"].sum() == 200
    assert any("exactly 512 tokens" in note for note in found.notes)


def test_lengths_that_are_all_one_or_spread_show_no_cap():
    rng = Random(0)
    padded = gathered([{"completion": "a", "response_length": 512} for _ in range(300)])
    spread = gathered([{"completion": "a", "response_length": rng.randint(60, 512)} for _ in range(300)])
    labels = gathered([{"completion": "a", "response_length": rng.choice((1, 2))} for _ in range(300)])
    assert all("truncated" not in found for found in (padded, spread, labels))


def test_texts_that_break_off_at_one_length_are_truncated():
    rng = Random(1)
    cut = [{"completion": break_off(rng, rng.randint(190, 200))} for _ in range(60)]
    found = gathered([*cut, *({"completion": write(rng, rng.randint(2, 9))} for _ in range(60))])
    assert found["truncated"].sum() >= 55
    assert found["truncated"][60:].sum() == 0


def test_who_writes_no_full_stops_or_code_breaks_nothing_off():
    rng = Random(2)
    loose = [{"completion": break_off(rng, rng.randint(20, 200))} for _ in range(100)]
    whole = [{"completion": write(rng, rng.randint(2, 9))} for _ in range(60)]
    code = [{"completion": "def f(x):\n    return x\n" * rng.randint(5, 20)} for _ in range(100)]
    assert "truncated" not in gathered([*loose, *whole])
    assert "truncated" not in gathered([*code, *whole])


def test_an_open_tag_or_fence_is_unfinished():
    rng = Random(3)
    text = write(rng, 20)
    rows = [{"completion": f"<think>{text}"}, {"completion": f"```python\n{text}"}] * 20
    found = gathered([*rows, *({"completion": f"<think>{write(rng, 2)}</think> Yes."} for _ in range(40))])
    assert found["truncated"].tolist() == [1.0] * 40 + [0.0] * 40


def test_a_group_that_is_different_in_every_row_is_none():
    rows = [{"prompt": f"p{place // 4}", "uid": f"u{place}", "step": 1, "completion": "a"} for place in range(80)]
    groups = gathered(rows).codes["group"]
    assert len(set(groups.tolist())) == 20
    assert len(set(groups[:4].tolist())) == 1


def test_groups_that_are_draws_stay():
    rows = [{"prompt": "p", "uid": f"u{place // 4}", "step": 1, "completion": "a"} for place in range(80)]
    assert len(set(gathered(rows).codes["group"].tolist())) == 20


def test_answers_are_compared_where_no_row_tells_the_outcome():
    rows = [{"completion": f"The answer is {place % 2}.", "gts": "1", "score": 0.0} for place in range(40)]
    found = gathered(rows)
    assert found.outcome == "answer_right"
    assert found["answer_right"].mean() == 0.5
    assert gathered([{**row, "acc": 1} for row in rows]).outcome == "gold"


def test_references_that_leave_a_choice_are_not_compared():
    fraction = [{"completion": "The answer is 0.5.", "gts": "\\frac{1}{2}"} for _ in range(40)]
    prose = [{"completion": "It was because of the war and the weather.", "answer": "the war"} for _ in range(40)]
    never = [{"completion": "The answer is 7.", "label": 1} for _ in range(40)]
    assert [gathered(rows).outcome for rows in (fraction, prose, never)] == [None, None, None]


def test_kinds_beside_an_unsafe_one_are_harmless():
    rows = [{"completion": "a", "category": "weapons" if place % 2 else "travel"} for place in range(10)]
    assert gathered(rows)["unsafe_prompt"].tolist() == [0.0, 1.0] * 5
    assert "unsafe_prompt" not in gathered([{"completion": "a", "category": "travel"}] * 3)


def test_a_switch_that_all_completions_of_a_draw_share_is_the_kind_of_prompt():
    rows = [
        {"prompt": f"{place // 4}", "completion": f"{place}", "user_is_right": place // 4 % 2 == 0, "reward": 0.5}
        for place in range(80)
    ]
    found = gathered(rows)
    assert set(found.names["kind"].values()) == {"user_is_right=true", "user_is_right=false"}
    assert "kind" in found
    mixed = gathered([{**row, "user_is_right": place % 3 == 0} for place, row in enumerate(rows)])
    assert "kind" not in mixed, "a switch of completions is no kind of prompt"
    told = gathered([{**row, "category": "maths"} for row in rows])
    assert {told.names["kind"][code] for code in told.codes["kind"].tolist()} == {"maths"}
