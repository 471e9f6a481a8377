"""Whatever its signature, a function gets the completion as the completion and the answer as the answer."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from weaklink.base.errors import UsageError
from weaklink.collect.samples.verifier import examine
from weaklink.collect.samples.verifier.calling import CallConvention, VerifierRow

HERE = Path(__file__).parent
ROW = VerifierRow("How many?", "twelve", "12", {"answer": "12", "solution": "12", "data_source": "x"})


def by_keyword(*, completion, answer):
    return completion == "twelve" and answer == "12"


def by_keyword_the_other_way(*, answer, prompt, response):
    return response == "twelve" and answer == "12" and prompt == "How many?"


def by_other_names(*, said, wanted):
    return said == "twelve" and wanted == "12"


def graded(scale, completion, answer):
    return scale * (completion == "twelve" and answer == "12")


def with_a_reference(completion, answer, reference):
    return completion == "twelve" and answer == "12" and reference == "mine"


def an_option_between(completion, strict=True, answer=None):
    return completion == "twelve" and strict is True and answer == "12"


def star(*args):
    return args == ("twelve", "12")


def completion_and_star(completion, *rest):
    return completion == "twelve" and rest == ("12",)


def columns_by_star(completion, **columns):
    return completion == "twelve" and columns["answer"] == "12"


def options_by_star(completion, answer, **options):
    return completion == "twelve" and answer == "12" and not options


PLAIN = [
    by_keyword,
    by_keyword_the_other_way,
    by_other_names,
    functools.partial(graded, 1.0),
    functools.partial(graded, scale=1.0),
    functools.partial(with_a_reference, reference="mine"),
    an_option_between,
    star,
    completion_and_star,
    columns_by_star,
    options_by_star,
]


@pytest.mark.parametrize("function", PLAIN, ids=lambda each: getattr(each, "__name__", "partial"))
def test_everything_by_its_role(function):
    assert CallConvention(function, "plain").scores([ROW], chat=False) == [1.0]


def test_what_a_partial_has_bound_is_left_alone():
    def reward(completions, reference, **columns):
        return [float(reference == "mine" and "reference" not in columns) for _ in completions]

    assert CallConvention(functools.partial(reward, reference="mine")).scores([ROW], chat=False) == [1.0]


@pytest.mark.parametrize("style", ["auto", "plain"])
def test_a_sound_verifier_by_keyword_holds(style):
    def reward(*, completion, answer):
        return completion.strip() == answer

    check = examine(reward, style=style)
    assert check.domains == ("maths", "text", "choice")
    assert not [attempt for attempt in check.attempts if attempt.family == "attack" and attempt.paid(0.5)]


class Spoken:
    def __call__(self, completions, **columns):
        return [float(len(text)) for text in completions]


def lengths(completions, **columns):
    return [float(len(text)) for text in completions]


def forwards(completions, **columns):
    return lengths(completions, **columns)


def looks_inside(completions, **columns):
    return [float(text == columns["answer"][place]) for place, text in enumerate(completions)]


def in_a_list(completions, **columns):
    return [float(any(text == each for each in columns["answer"])) for text in completions]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lengths, True),
        (Spoken(), True),
        (functools.partial(lengths, most=3), True),
        (lambda prompts, completions, most=9: [1.0 for _ in completions], True),
        (lambda completion: len(completion), True),
        (lambda data_source, solution_str: len(solution_str), True),
        (forwards, False),
        (looks_inside, False),
        (in_a_list, False),
        (lambda completions, answer: [1.0 for _ in completions], False),
        (lambda completions, answer=None: [1.0 for _ in completions], False),
        (lambda completions, unit: [1.0 for _ in completions], False),
        (lambda said, wanted: said == wanted, False),
        (lambda solution_str, extra_info=None: 1.0, False),
        (star, False),
    ],
)
def test_whether_the_right_answer_is_seen(function, expected):
    style = "plain" if function is star else "auto"
    assert CallConvention(function, style).answerless is expected


def test_loading_takes_no_longer_than_it_may():
    began = time.monotonic()
    with pytest.raises(UsageError, match=r"not loaded within 5\.5 seconds\. --seconds gives it more"):
        examine(f"{HERE / 'never_loaded.py'}:reward", seconds=0.5)
    assert time.monotonic() - began < PATIENCE
