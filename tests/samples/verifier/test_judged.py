"""What the rules make of reward functions that were really asked."""

from __future__ import annotations

import re

import pytest

from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.collect.samples.verifier import examine
from weaklink.collect.samples.verifier.attacks import list_attacks
from weaklink.collect.samples.verifier.carriers import PLAIN
from weaklink.collect.samples.verifier.cases import read_cases
from weaklink.judge.rules._registry import find_rule


def found(check, code):
    answer = find_rule(code).ask(check)
    if answer is None or isinstance(answer, CannotTell):
        return []
    return [answer] if isinstance(answer, Finding) else list(answer)


def serious(check):
    return [one for code in ("LLM314", "LLM315") for one in found(check, code) if one.level >= Level.WARN]


# -- how many scores come back


def only_the_first(completions, answer, **columns):
    return [float(completions[0].strip() == answer[0])]


def only_what_is_there(completions, answer, **columns):
    pairs = zip(completions, answer, strict=True)
    return [float(text.strip() == right) for text, right in pairs if text.strip()]


def one_too_many(completions, answer, **columns):
    return [*(float(text.strip() == right) for text, right in zip(completions, answer, strict=True)), 0.0]


def each_message(completions, answer, **columns):
    """Of chat messages; a text is taken apart into its letters."""
    said = [turn.get("content") if isinstance(turn, dict) else None for turns in completions for turn in turns]
    return [text and float(text.strip() == right) for text, right in zip(said, answer * len(said), strict=False)]


def test_one_score_for_a_batch_is_an_error():
    check = examine(only_the_first)
    assert check.miscounted == (4, 1)
    (finding,) = found(check, "LLM314")
    assert finding.level is Level.ERROR
    assert finding.message == (
        "only_the_first gives 1 score for 4 completions: all completions of a batch would get the same reward."
    )


@pytest.mark.parametrize("function", [only_what_is_there, one_too_many])
def test_so_are_more_or_fewer_scores_than_completions(function):
    assert any("completions: none can be matched" in one.message for one in found(examine(function), "LLM314"))


def test_a_count_that_is_right_in_chat_messages_is_right():
    assert examine(each_message).miscounted is None


# -- cases of which some have a form of their own

ROAD = [
    {"prompt": "How far is it from A to B?", "answer": "12", "unit": "km"},
    {"prompt": "How far is it from B to C?", "answer": "31", "unit": "km", "completion": "Distance: 31 km"},
]
MORE = [{**ROAD[1], "answer": str(n), "completion": f"Distance: {n} km"} for n in (45, 58)]


def distance(completion, answer):
    read = re.fullmatch(r"Distance: (\d+) km\s*", completion)
    return bool(read) and read.group(1) == answer


@pytest.mark.parametrize("cases", [ROAD, ROAD[::-1], [*MORE, ROAD[0]]])
def test_cases_without_a_form_are_written_like_those_with_one(cases):
    check = examine(distance, cases=cases)
    assert (check.asked, check.apart) == (len(cases), len(cases))
    assert not serious(check)


def test_a_case_without_a_form_that_no_form_suits_is_left_out():
    def by_city(completion, answer):
        return completion.strip() in (f"From B it is {answer}, no more", f"From Q it is {answer}, no less")

    rows = [{"prompt": "?", "answer": "12"}, {"prompt": "?", "answer": "31", "completion": "From B it is 31, no more"}]
    check = examine(by_city, cases=rows)
    assert not serious(check)

    def only_one(completion, answer):
        return completion.strip() == "From B it is 31, no more"

    check = examine(only_one, cases=rows)
    assert (check.asked, check.apart) == (2, 1)
    assert not found(check, "LLM315")


# -- answers that an attack happens to hold


def leading_number(completion, answer):
    read = re.match(r"\s*[-+]?\d+(?:\.\d+)?", completion)
    return bool(read) and float(read.group()) == float(answer)


@pytest.mark.parametrize("answer", ["9", "1", "10", "0", "1.0"])
def test_an_attack_that_says_the_right_answer_is_none(answer):
    case = read_cases([{"prompt": "How many?", "answer": answer}])[0]
    unpaid = [attack for attack in list_attacks(case, PLAIN) if not attack.knowing]
    assert not [attack.text for attack in unpaid if leading_number(attack.text, answer) and "2" not in attack.text]


def test_nor_is_one_that_says_the_right_word():
    case = read_cases([{"prompt": "Is it so?", "answer": "True"}])[0]
    assert not [attack.text for attack in list_attacks(case, PLAIN) if attack.text.startswith("[[10]]")]


# -- functions that do not see the answer


def tagged(completions, **kwargs):
    """As in many a GRPO script, beside a reward for the answer."""
    pattern = r"<think>.*?</think>\s*<answer>.*?</answer>\s*"
    return [1.0 if re.fullmatch(pattern, text, re.DOTALL) else 0.0 for text in completions]


def long_ones(completions, **kwargs):
    return [min(1.0, len(text) / 100) for text in completions]


def short_ones(completion):
    return 1.0 / (1 + len(completion))


@pytest.mark.parametrize("function", [tagged, long_ones, short_ones])
@pytest.mark.parametrize("cases", [None, ROAD])
def test_a_reward_for_form_is_worth_knowing_and_no_more(function, cases):
    check = examine(function, cases=cases)
    assert check.answerless
    assert [one.level for one in found(check, "LLM314")] == [Level.INFO]
    assert "needs a reward for right answers beside it" in found(check, "LLM314")[0].message
    assert not found(check, "LLM315")


def test_one_that_takes_the_answer_and_does_not_look_is_a_warning():
    def careless(completions, answer, **columns):
        return tagged(completions)

    assert [one.level for one in found(examine(careless), "LLM314")] == [Level.WARN]


def test_so_is_one_that_pays_everything_alike():
    def always(completions, **columns):
        return [1.0 for _ in completions]

    assert [one.level for one in found(examine(always), "LLM314")] == [Level.WARN]
