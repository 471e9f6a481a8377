"""Objects under the name of a text, and names that mean another field beside others."""

from __future__ import annotations

import json

import pytest

from weaklink.base.errors import UsageError
from weaklink.collect.readers.samples import open_samples


def read(folder, *rows):
    file = folder / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return list(open_samples(file))


def test_an_object_under_the_name_of_the_completion_is_the_completion(tmp_path):
    response = {"text": "It is 5.", "tokens": 4, "finish_reason": "length"}
    row = {"meta": {"iter": 3}, "request": {"prompt": "What is 2 + 3?"}, "response": response, "scores": {"total": 1.0}}
    (sample,) = read(tmp_path, row)
    assert (sample.prompt, sample.completion, sample.reward, sample.step) == ("What is 2 + 3?", "It is 5.", 1.0, 3.0)
    assert (sample.response_len, sample.finish_reason) == (4.0, "length")


@pytest.mark.parametrize(
    "held",
    [
        {"text": "It is 5."},
        {"content": "It is 5."},
        {"output": "It is 5."},
        {"role": "assistant", "content": "It is 5."},
    ],
)
@pytest.mark.parametrize("name", ["completion", "output", "generation"])
def test_any_object_that_holds_the_text(tmp_path, name, held):
    (sample,) = read(tmp_path, {"prompt": {"text": "What is 2 + 3?", "tokens": 6}, name: held, "reward": 1.0})
    assert (sample.prompt, sample.completion, sample.response_len) == ("What is 2 + 3?", "It is 5.", None)


def test_what_the_row_says_itself_comes_before_its_objects(tmp_path):
    (sample,) = read(tmp_path, {"response": {"text": "a", "tokens": 4, "score": 0.5}, "response_len": 7, "reward": 1.0})
    assert (sample.response_len, sample.reward) == (7.0, 1.0)


def test_an_object_without_a_text_is_no_completion(tmp_path):
    with pytest.raises(UsageError):
        read(tmp_path, {"prompt": "a", "response": {"tokens": 4, "finish_reason": "stop"}, "reward": 1.0})


def test_an_answer_beside_the_score_of_a_judge_was_written(tmp_path):
    row = {"query": "How do I save?", "answer": "Plan your meals.", "judge_score": 6}
    (sample,) = read(tmp_path, row)
    assert (sample.prompt, sample.completion, sample.reward) == ("How do I save?", "Plan your meals.", 6.0)
    # a data set that nobody judged has references, and so has a row with a completion
    with pytest.raises(UsageError):
        read(tmp_path, {"query": "How do I save?", "answer": "Plan your meals."})
    (other,) = read(tmp_path, {**row, "response": "Spend less."})
    assert (other.completion, other.answer) == ("Spend less.", "Plan your meals.")


def test_a_source_beside_its_translation_is_the_prompt(tmp_path):
    row = {"source": "The key is here.", "hypothesis": "Der Schluessel ist da.", "chrf": 0.8, "reward": 0.7}
    for name in ("reference", "ref"):
        (sample,) = read(tmp_path, {**row, name: "Der Schluessel ist hier."})
        assert (sample.prompt, sample.completion) == ("The key is here.", "Der Schluessel ist da.")
        assert sample.answer == "Der Schluessel ist hier."
    # elsewhere the source is that of the prompt, and pairs of sentences are a data set
    (sample,) = read(tmp_path, {"prompt": "a", "completion": "b", "source": "a set of sums"})
    assert (sample.prompt, sample.prompt_kind) == ("a", "a set of sums")
    with pytest.raises(UsageError):
        read(tmp_path, {"source": "The key is here.", "translation": "Der Schluessel ist hier."})


def sums(count=40):
    """Questions with the right sum, the answer of a row and whether it is right: three of four are."""
    for place in range(count):
        first, second = 20 + place, 30 + 7 * place
        yield first, second, first + second, first + second + (place % 4 == 0)


@pytest.mark.parametrize("kind", [str, int])
def test_a_gold_that_stands_in_the_completions_is_the_reference(tmp_path, kind):
    rows = [
        {"question": f"What is {a} + {b}?", "response": f"It is {said}.", "gold": kind(right), "score": said == right}
        for a, b, right, said in sums()
    ]
    samples = read(tmp_path, *rows)
    assert [sample.answer for sample in samples] == [str(row["gold"]) for row in rows]
    assert {sample.gold for sample in samples} == {None}


def test_a_gold_of_words_is_the_reference_and_one_of_outcomes_is_not(tmp_path):
    row = {"question": "Which river runs through Rome?", "response": "The Tiber.", "score": 1.0}
    assert {sample.answer for sample in read(tmp_path, *[{**row, "gold": "Tiber"}] * 8)} == {"Tiber"}
    for gold in ("correct", True, 0.5, "0.5"):
        assert None not in {sample.gold for sample in read(tmp_path, *[{**row, "gold": gold}] * 8)}


def test_a_gold_on_a_scale_is_a_score(tmp_path):
    rows = [
        {"question": f"What is {a} + {b}?", "response": f"It is {said}.", "gold": 1 + a % 10, "score": 0.5}
        for a, b, _, said in sums()
    ]
    assert [sample.gold for sample in read(tmp_path, *rows)] == [row["gold"] for row in rows]


def test_a_row_that_was_judged_holds_what_was_judged(tmp_path):
    row = {"question": "How do I save?", "answer": "Plan your meals.", "score": 6, "judge": "llm-judge-v2"}
    (sample,) = read(tmp_path, row)
    assert (sample.prompt, sample.completion, sample.reward) == ("How do I save?", "Plan your meals.", 6.0)
    # where there is another text, that is what was written
    (other,) = read(tmp_path, {**row, "said": "Spend less, and do so often."})
    assert (other.completion, other.answer) == ("Spend less, and do so often.", "Plan your meals.")


def test_a_translation_that_is_paid_needs_no_reference(tmp_path):
    row = {"source": "The new manager is here.", "hypothesis": "Le nouveau chef est ici.", "qe_reward": 0.7}
    (sample,) = read(tmp_path, row)
    assert (sample.prompt, sample.completion, sample.reward) == (row["source"], row["hypothesis"], 0.7)


def test_what_was_written_is_the_reference_now_and_then(tmp_path):
    rows = [
        {
            "schema": f"CREATE TABLE t{place} (a INTEGER, b TEXT, c TEXT);",
            "question": f"How many rows has t{place}?",
            "gold_sql": f"SELECT COUNT(*) FROM t{place}",
            "made_sql": f"SELECT {'COUNT(*)' if place % 3 else 'a'} FROM t{place}",
            "reward": float(place % 3 > 0),
        }
        for place in range(30)
    ]
    samples = read(tmp_path, *rows)
    assert [sample.completion for sample in samples] == [row["made_sql"] for row in rows]
    # a text that is the reference in every row is another reference, and nothing says what was written
    with pytest.raises(UsageError):
        read(tmp_path, *({**row, "made_sql": row["gold_sql"]} for row in rows))


def judged(said, paid):
    return [
        {"prompt": f"What is {place}?", "completion": "It is 5.", "ended": word, "reward": reward}
        for place, (word, reward) in enumerate(zip(said * 4, paid * 4, strict=True))
    ]


def test_a_verdict_in_words_is_the_outcome(tmp_path):
    # those that gave up are no success, though they are paid more than those that were wrong
    samples = read(tmp_path, *judged(["correct", "wrong", "abstain"], [1.0, -1.0, 0.0]))
    assert [sample.gold for sample in samples[:3]] == [1.0, 0.0, 0.0]


def test_a_verdict_that_says_what_was_paid_is_no_outcome(tmp_path):
    assert {sample.gold for sample in read(tmp_path, *judged(["passed", "timeout", "failed"], [1.0, 0.0, 0.0]))} == {
        None
    }
    # nor is a word that says neither, a text, or one beside a score that is trusted
    assert {sample.gold for sample in read(tmp_path, *judged(["passed", "done", "stopped"], [1.0, 0.5, 0.0]))} == {None}
    rows = [{**row, "gold": 0.5} for row in judged(["correct", "wrong", "abstain"], [1.0, -1.0, 0.0])]
    assert {sample.gold for sample in read(tmp_path, *rows)} == {0.5}
