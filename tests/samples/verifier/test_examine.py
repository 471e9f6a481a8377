"""Reward functions are asked as their trainers would ask them, and nothing that an answer does comes through."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.samples.verifier import rewards
from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import ATTACK, DIED, FORM, HUNG, RAISED, VERBATIM
from weaklink.collect.samples.verifier import examine

HERE = Path(__file__).parent / "rewards.py"
STYLES = {
    "trl_strings": "trl",
    "trl_chat": "trl",
    "trl_async": "trl",
    "trl_array": "trl",
    "not_applicable": "trl",
    "verl": "verl",
    "verl_batch": "verl",
    "plain": "plain",
    "plain_the_other_way": "plain",
    "with_a_prompt": "plain",
    "Made": "plain",
}


def failed(check):
    return {(attempt.kind, attempt.failed) for attempt in check.attempts if attempt.failed}


@pytest.mark.parametrize("name", STYLES)
def test_every_style_is_recognised_and_a_sound_verifier_holds(name):
    check = examine(getattr(rewards, name))
    assert check.style == STYLES[name]
    assert check.domains[0] == "maths"
    assert check.apart == check.asked > 0
    assert not [attempt for attempt in check.of(ATTACK) if attempt.paid(0.5)]
    assert not check.unsteady
    assert not failed(check)
    assert check.repeated > 100


def test_by_name_it_runs_in_another_process_and_gives_the_same():
    apart, here = examine(f"{HERE}:verl"), examine(rewards.verl)
    assert apart.isolated
    assert not here.isolated
    assert here.carriers == apart.carriers == dict.fromkeys(apart.domains, "after four hashes")
    texts = {attempt.text: attempt.score for attempt in apart.attempts}
    assert all(texts[attempt.text] == attempt.score for attempt in here.attempts)


def test_twice_the_same():
    first, second = (examine(rewards.plain, seed=3) for _ in range(2))
    assert first.attempts == second.attempts


def test_the_random_numbers_of_the_caller_are_put_back():
    random.seed(1)
    expected = random.random()
    random.seed(1)
    examine(rewards.plain)
    assert random.random() == expected


def test_what_a_verifier_prints_disturbs_nothing():
    check = examine(f"{HERE}:prints")
    assert check.domains == ("maths", "text", "choice")


@pytest.mark.parametrize(("name", "how"), [("hangs_when_empty", HUNG), ("dies_when_empty", DIED)])
def test_an_answer_that_hangs_or_kills_it_is_told_and_the_rest_is_asked(name, how):
    check = examine(f"{HERE}:{name}", seconds=36.0)
    assert failed(check) == {("empty", how)}
    assert len(check.attempts) > 100


def test_memory_is_limited():
    check = examine(f"{HERE}:takes_all_memory", memory=256 * 1024**2)
    broken = [attempt for attempt in check.attempts if attempt.failed]
    assert {attempt.failed for attempt in broken} == {RAISED}
    assert broken[0].error == "MemoryError"


def test_given_cases_and_their_columns(tmp_path):
    file = tmp_path / "cases.jsonl"
    cases = [{"prompt": f"How far is it, {n}?", "answer": str(n), "unit": "km"} for n in (12, 31, 54)]
    rows = [{**case, "completion": f"{case['answer']} km"} for case in cases]
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    check = examine(rewards.with_columns, cases=file)
    assert check.domains == ("given",)
    assert (check.asked, check.apart) == (3, 3)
    assert examine(rewards.with_columns, cases=rows).attempts == check.attempts
    assert not examine(rewards.with_columns, cases=cases).domains


def test_a_given_answer_that_is_not_paid_as_it_stands():
    rows = [{"prompt": "How many?", "answer": answer} for answer in ("12", "31", "1,500")]

    def reads_digits(completion, answer):
        return completion.strip().replace(",", "") == answer

    check = examine(reads_digits, cases=rows)
    refused = [attempt for attempt in check.of(FORM) if attempt.change == VERBATIM]
    assert [attempt.text for attempt in refused] == ["1,500"]
    assert (check.asked, check.apart) == (3, 2)


def test_given_code_needs_a_completion_that_passes():
    row = {"prompt": "Write double(x).", "answer": ["assert double(2) == 4"]}
    with pytest.raises(UsageError, match="needs 'completion'"):
        examine(rewards.plain, cases=[row])

    def runs(completions, answer, **columns):
        scores = []
        for text, tests in zip(completions, answer, strict=True):
            space = {}
            try:
                exec("\n".join((text.removeprefix("```python\n").removesuffix("```"), *tests)), space)
                scores.append(1.0)
            except (Exception, SystemExit):
                scores.append(0.0)
        return scores

    check = examine(runs, cases=[{**row, "completion": "```python\ndef double(x):\n    return 2 * x\n```"}])
    assert check.domains == ("given",)
    assert {attempt.kind for attempt in check.of(ATTACK) if attempt.paid(0.5)} == {"a thing that equals everything"}
    assert "module:function" in check.notes[0]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (f"{HERE}:nothing", "has no 'nothing'"),
        (f"{HERE}:number", "must be a function"),
        (f"{HERE}:always_raises", "no judge at this address"),
        (f"{HERE}:says_good", "a number is needed, not 'good'"),
        ("rewards", "module:name or file.py:name"),
        ("no_such_file.py:reward", "there is no file"),
        ("no_such_module:reward", "cannot import"),
    ],
)
def test_what_cannot_be_asked_is_misuse(target, message):
    with pytest.raises(UsageError, match=message):
        examine(target)


def test_wrong_arguments_are_misuse(tmp_path):
    with pytest.raises(UsageError, match="one of auto, trl, verl, plain"):
        examine(rewards.plain, style="rllib")
    with pytest.raises(UsageError, match="more than 0"):
        examine(rewards.plain, seconds=0.0)
    with pytest.raises(UsageError, match="row 2: a case needs 'answer'"):
        examine(rewards.plain, cases=[{"answer": "1"}, {"prompt": "?"}])
    with pytest.raises(UsageError, match="row 1: a case needs 'answer'"):
        examine(rewards.plain, cases=[{"prompt": "?", "answer": None}])
    with pytest.raises(UsageError, match="no case is there"):
        examine(rewards.plain, cases=[])
    file = tmp_path / "cases.jsonl"
    file.write_text('{"prompt": "?", "answer": "1"}\n[1]\n', encoding="utf-8")
    with pytest.raises(UsageError, match="line 2: every line is one JSON object"):
        examine(rewards.plain, cases=file)
    with pytest.raises(UsageError, match="cannot be read"):
        examine(rewards.plain, cases=tmp_path / "none.jsonl")
