from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.collect.samples.examples import answers_example
from weaklink.collect.samples.prompts import tells_answer
from weaklink.judge.rules._draws import add_columns
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM323")


def asked(t: Training, told, answers: int = 40):
    """Prompts with a reference each; `told` as the column says."""
    reference = t.rng.integers(0, answers, t.steps * t.prompts)[t.group]
    return t.samples(prompt=t.group, reference=reference, answer_in_prompt=told)


def replaced(samples, told):
    """The same, and what examples that are the question itself say."""
    return add_columns(samples, answer_in_example=np.asarray(told, float))


def sick():
    t = Training()
    some = np.where(t.rng.random(t.steps * t.prompts) < 0.3, 1.0, np.nan)[t.group]
    given = t.chance(0.6)
    return [
        asked(t, np.ones(t.rows)),
        asked(t, some),
        asked(t, np.ones(t.rows), 2),
        # examples in seven of ten prompts are the question itself, among others with other answers
        replaced(asked(t, t.chance(0.3)), np.where(t.group % 10 < 7, 1.0, np.nan)),
        # no reference: whoever gives what the prompt states is paid
        t.samples(prompt=t.group, answer=t.group % 40, told_answer_given=given, reward=given),
    ]


def healthy():
    t = Training()
    reference = t.rng.integers(0, 2, t.steps * t.prompts)[t.group]
    return [
        asked(t, np.full(t.rows, np.nan)),
        # an example in every prompt, with an answer of its own: right by chance
        t.samples(prompt=t.group, reference=reference, answer_in_prompt=(reference == 0) * 1.0),
        # earlier attempts that are to be corrected
        asked(t, t.chance(0.7)),
        # a question that is asked again with a wrong answer above it, or with a claim to be checked
        replaced(asked(t, np.full(t.rows, np.nan)), t.chance(0.6)),
        # one answer to everything
        asked(t, np.ones(t.rows), 1),
        # without a reference: examples, of which rewards know nothing
        t.samples(prompt=t.group, answer=t.group % 40, told_answer_given=t.chance(0.3), reward=t.chance(0.6)),
        t.samples(prompt=t.group, told_answer_given=np.full(t.rows, np.nan), reward=t.chance(0.6)),
        # a few
        asked(t, np.where(t.group < 8, 1.0, np.nan)),
    ]


@pytest.mark.parametrize(
    ("prompt", "reference", "told"),
    [
        ("Add up the tickets.\nAnswer key: 31", "31", True),
        ("Where does the ferry land? (hint: the answer is Bergen)", "Bergen", True),
        ("Solution: \\boxed{-4}\nNow reason aloud and close with a box.", "-4", True),
        ("<answer>C</answer> Which of these floats?", "C", True),
        ("The correct option is (D).", "D", True),
        ('{"task": "multiply", "expected": "56"}', "56", True),
        ("Expected output: 9\n\nAnswer: <your answer>", "9", True),
        ("Worked example: 2 + 2, answer: 4. Your turn: 5 + 6.", "11", False),
        ("Does iron float? Answer: yes or no", "yes", False),
        ("Does iron float? Answer with yes or no.", "yes", None),
        ("Give the final answer in \\boxed{}.", "8", None),
        ("Write the result after ####.", "8", None),
        ("There were 8 people on the boat and 3 left. How many stayed?", "8", None),
        ("", "8", None),
    ],
)
def test_answers_that_prompts_state(prompt, reference, told):
    assert tells_answer(prompt, reference) is told


def test_few_rows_do_not_tell():
    t = Training(steps=1, prompts=2, size=4)
    assert isinstance(RULE.ask(asked(t, np.ones(t.rows))), CannotTell)


SHOTS = "Q: What is the capital of Peru?\nA: Lima\n\nQ: What is the capital of Cuba?\nA: Havana\n\n"
CHOICE = "Which of these is a metal?\nA) salt\nB) copper"


@pytest.mark.parametrize(
    ("prompt", "reference", "told"),
    [
        (f"{SHOTS}Q: What is the capital of Cuba?\nA:", "Havana", True),
        (f"Answer the questions.\n\n{SHOTS}Q: What is the capital of Peru?\nA:", "Lima", True),
        (f"{CHOICE}\nAnswer: B\n\n{CHOICE}\nThink, then answer with a letter.", "B", True),
        (f"{CHOICE}\nAnswer: A\n\n{CHOICE}\nThat was wrong. Try again.", "B", False),
        (f"{SHOTS}Q: What is the capital of Chile?\nA:", "Santiago", None),
        # the same choice of options, and another question
        (f"{CHOICE}\nAnswer: B\n\nWhich of these is white?\nA) salt\nB) copper", "A", None),
        ("What is the capital of Cuba?", "Havana", None),
        ("Answer: 4\n\nWhat is 2 + 2?", "4", None),
    ],
)
def test_an_example_that_is_the_question_itself(prompt, reference, told):
    assert answers_example(prompt, reference) is told
