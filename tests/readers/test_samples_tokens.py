"""Texts that are written as lists of their tokens."""

from __future__ import annotations

import json

import pytest

from weaklink.collect.readers.samples import open_samples

TOKENS = ["The", " new", " price", " is", " 3", "92", "."]


def read(folder, *rows):
    file = folder / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return list(open_samples(file))


@pytest.mark.parametrize("space", [" ", "\u0120", "\u2581"])
def test_tokens_are_one_text_and_no_group(tmp_path, space):
    row = {"prompt": "What is the price?", "tokens": [token.replace(" ", space) for token in TOKENS], "reward": 1.0}
    (sample,) = read(tmp_path, {**row, "rollout_logprobs": [-0.5] * 7, "old_logprobs": [-0.4] * 7})
    assert (sample.completion, sample.group) == ("The new price is 392.", "")
    assert sample.sampler_gap == pytest.approx(0.1)


def test_roles_beside_tokens_make_a_conversation(tmp_path):
    roles, tokens = ["user"] * 3 + ["assistant"] * 3 + ["tool"] * 2 + ["assistant"], [*TOKENS, " Read", " it"]
    row = {"tokens": tokens, "token_roles": roles, "reward": 1.0}
    (right,) = read(tmp_path, {**row, "loss_mask": [0] * 3 + [1] * 3 + [0] * 2 + [1]})
    assert (right.prompt, right.completion) == ("The new price", " is 392\n it")
    assert (right.trains_on_results, right.trains_on_prompt) == (False, False)
    (wrong,) = read(tmp_path, {**row, "loss_mask": [0] * 3 + [1] * 6})
    assert (wrong.trains_on_results, wrong.trains_on_prompt) == (True, False)


def test_a_list_of_short_answers_is_a_group(tmp_path):
    assert len(read(tmp_path, {"prompt": "a", "completions": ["A", "B", "C", "A"], "rewards": [1, 0, 0, 1]})) == 4
    # whole words without the spaces between them are answers too, whatever the list is called
    assert len(read(tmp_path, {"prompt": "a", "tries": ["Oslo", "Rome", "Bonn", "Oslo"], "rewards": [1, 0, 0, 1]})) == 4
    # and what a model wrote stands for itself
    row = {"prompt": "a", "completion": "It is.", "tokens": ["It", " is", "."], "reward": 1.0}
    assert [sample.completion for sample in read(tmp_path, row)] == ["It is."]
