"""The built-in questions: sums in words, short answers, choices, and small programmes."""

from __future__ import annotations

import json

from weaklink.base.evidence.verifier import BEHAVIOUR, NOTATION
from weaklink.collect.samples.verifier.cases import CHOICE, CODE, MATHS, TEXT, VerifierCase, add_columns

_SUMS = (
    ("Ada packs six crates with seven jars each. How many jars does she pack?", "42", "917", (
        ("trailing zero", "42.0"), ("plus sign", "+42"), ("leading zero", "042"), ("unit", "42 jars"),
        ("unit in LaTeX", "42\\text{ jars}"), ("dollar signs", "$42$"), ("full stop", "42."), ("quotes", '"42"'))),
    ("A rope of thirty-five metres is cut into five equal pieces. How many metres long is each piece?", "7", "350", (
        ("unit", "7 metres"), ("unit in LaTeX", "7\\text{ m}"), ("trailing zero", "7.00"))),
    ("A train covers ninety-three kilometres an hour for twenty hours. How many kilometres does it cover?", "1860",
     "23", (("thousands separator", "1,860"), ("thousands separator in LaTeX", "1{,}860"),
            ("trailing zero", "1860.0"))),
)  # fmt: skip
_SUMS_BESIDE = (
    ("It is four degrees at noon and nineteen degrees colder at night. How many degrees is it at night?", "-15", "88", (
        ("minus sign of typography", "−15"),)),
    ("Three of four equal parts of a field are sown. Which share is sown?", "3/4", "9", (
        ("fraction in LaTeX", "\\frac{3}{4}"), ("decimal for a fraction", "0.75"), ("per cent", "75%"))),
    ("Half of twenty-five litres are left. How many litres are left?", "12.5", "917", (
        ("trailing zero", "12.50"), ("fraction for a decimal", "25/2"))),
)  # fmt: skip
_WORDS = (
    ("Marta keeps the bees and Jonas bakes the bread. Who bakes the bread?", "Jonas", "Pavel"),
    ("The ship left Bergen in May and lay in Tromso all June. In which town was it in June?", "Tromso", "Lisbon"),
    ("Plants take up carbon dioxide and give off oxygen. Which gas do they take up?", "carbon dioxide", "helium"),
)
_CHOICES = (
    ("Which of these is a metal?\nA) salt\nB) copper\nC) amber\nD) chalk", "B", "D"),
    ("Which of these can fly?\nA) the hare\nB) the mole\nC) the swift\nD) the carp", "C", "A"),
    ("Which month has the fewest days?\nA) January\nB) February\nC) March\nD) April", "B", "D"),
)
Task = tuple[str, str, str, str, tuple[tuple[list[int], int], ...]]

_TASKS: tuple[Task, ...] = (
    (
        "total_of_even",
        "the sum of the even numbers in a list",
        "    return sum(number for number in numbers if number % 2 == 0)",
        "    found = 0\n    for each in numbers:\n        found += 0 if each & 1 else each\n    return found",
        (([1, 2, 3, 4], 6), ([], 0), ([7, 8, -2], 6)),
    ),
    (
        "longest_run",
        "the length of the longest run of equal neighbours in a list",
        "    best = run = 0\n    for place, value in enumerate(numbers):\n"
        "        run = run + 1 if place and value == numbers[place - 1] else 1\n        best = max(best, run)\n"
        "    return best",
        "    from itertools import groupby\n    return max((len(list(run)) for _, run in groupby(numbers)), default=0)",
        (([1, 1, 2, 2, 2, 3], 3), ([], 0), ([5, 4, 5], 1)),
    ),
)


def list_maths_cases() -> list[VerifierCase]:
    """Sums in words; those beside the point come last."""
    return [
        add_columns(
            VerifierCase(
                kind=MATHS,
                prompt=prompt,
                truth=right,
                right=right,
                wrong=wrong,
                beside=beside,
                forms=tuple((NOTATION, name, content) for name, content in forms),
            )
        )
        for beside, questions in ((False, _SUMS), (True, _SUMS_BESIDE))
        for prompt, right, wrong, forms in questions
    ]


def list_text_cases() -> list[VerifierCase]:
    """Short answers in words, which stand in the prompt."""
    return [
        add_columns(
            VerifierCase(
                kind=TEXT,
                prompt=prompt,
                truth=right,
                right=right,
                wrong=wrong,
                forms=(
                    (NOTATION, "upper case", right.upper()),
                    (NOTATION, "full stop", f"{right}."),
                    (NOTATION, "quotes", f'"{right}"'),
                ),
            )
        )
        for prompt, right, wrong in _WORDS
    ]


def list_choice_cases() -> list[VerifierCase]:
    """Questions with four options, none of them right at either end."""
    return [
        add_columns(
            VerifierCase(
                kind=CHOICE,
                prompt=prompt,
                truth=right,
                right=right,
                wrong=wrong,
                others=("A", "B", "C", "D"),
                forms=(
                    (NOTATION, "lower case", right.lower()),
                    (NOTATION, "brackets", f"({right})"),
                    (NOTATION, "full stop", f"{right}."),
                ),
            )
        )
        for prompt, right, wrong in _CHOICES
    ]


def list_code_cases() -> dict[str, list[VerifierCase]]:
    """Small programmes, by the shape in which their tests are given."""
    return {
        "asserts": [_make_function_case(task, "\n".join(_write_asserts(task))) for task in _TASKS],
        "a list of asserts": [_make_function_case(task, _write_asserts(task)) for task in _TASKS],
        "a check function": [_make_function_case(task, _check(task)) for task in _TASKS],
        "pairs": [_make_function_case(task, [[[numbers], result] for numbers, result in task[4]]) for task in _TASKS],
        "inputs and outputs": [_make_programme_case(task, as_text=False) for task in _TASKS],
        "inputs and outputs in JSON": [_make_programme_case(task, as_text=True) for task in _TASKS],
    }


def _write_asserts(task: Task) -> list[str]:
    return [f"assert {task[0]}({numbers!r}) == {result!r}" for numbers, result in task[4]]


def _check(task: Task) -> str:
    lines = [f"    assert candidate({numbers!r}) == {result!r}" for numbers, result in task[4]]
    return "\n".join(("def check(candidate):", *lines))


def _make_function_case(task: Task, truth: object) -> VerifierCase:
    name, about, body, otherwise, _ = task
    head = f"def {name}(numbers):\n"
    longer = f"# {about}\n\n{head}\n    # in one go\n{body}\n\n"
    renamed = (head + body).replace("numbers", "values")
    forms = (
        (BEHAVIOUR, "comments and blank lines", longer),
        (BEHAVIOUR, "other names", renamed),
        (BEHAVIOUR, "another algorithm", head + otherwise),
        (BEHAVIOUR, "a docstring and type hints", f'def {name}(numbers: list) -> int:\n    """{about}"""\n{body}'),
    )
    prompt = f"Write a Python function {name}(numbers) that returns {about}."
    return add_columns(
        VerifierCase(
            kind=CODE, prompt=prompt, truth=truth, right=head + body, wrong=f"{head}    return -77", forms=forms
        )
    )


def _make_programme_case(task: Task, *, as_text: bool) -> VerifierCase:
    name, about, body, otherwise, tests = task
    truth = {
        "inputs": [" ".join(map(str, numbers)) + "\n" for numbers, _ in tests],
        "outputs": [f"{result}\n" for _, result in tests],
    }
    call = f"\n\nprint({name}([int(word) for word in input().split()]))"
    head = f"def {name}(numbers):\n"
    forms = (
        (BEHAVIOUR, "comments and blank lines", f"# {about}\n\n{head}{body}{call}\n\n"),
        (BEHAVIOUR, "another algorithm", head + otherwise + call),
    )
    prompt = f"Write a Python programme that reads numbers from one line and prints {about}."
    wrong = "input()\nprint(-77)"
    shaped = json.dumps(truth) if as_text else truth
    return add_columns(
        VerifierCase(
            kind=CODE, prompt=prompt, truth=shaped, right=head + body + call, wrong=wrong, forms=forms, programme=True
        )
    )
