from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.collect.samples.answers import measure_option_gap
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM391")
PROMPT = "Which river flows through Budapest?\nA) Rhine\nB) Vistula\nC) Danube\nD) Elbe"


def questions(t: Training, gap, letters: int = 4):
    return t.samples(option_gap=gap, options=np.full(t.rows, 4.0), reference=t.group % letters, prompt=t.group)


def sick():
    t = Training()
    right = t.chance(0.7)
    return [
        questions(t, np.where(right == 1.0, 3.0, t.rng.integers(0, 4, t.rows))),
        questions(t, np.where(right == 1.0, 2.0, 0.0)),
        # what the key says is learned
        questions(t, np.where(t.chance(t.ramp(0.1, 0.8)) == 1.0, 0.0, 1.0)),
    ]


def healthy():
    t = Training()
    anything = t.rng.integers(0, 4, t.rows)
    return [
        questions(t, np.where(t.chance(0.7) == 1.0, 0.0, anything)),
        # chance, and one who always says the same letter
        questions(t, anything),
        questions(t, (-(t.group % 4)) % 4),
        # a neighbour is often taken for the right option
        questions(t, np.where(t.chance(0.6) == 1.0, 0.0, 1.0)),
        # one letter is right nearly everywhere, and another one is said
        questions(t, np.ones(t.rows), letters=1),
    ]


def test_names_the_side():
    assert "choose the option before the one" in RULE.ask(sick()[0]).message
    assert "choose the option after the one" in RULE.ask(sick()[2]).message


def test_few_rows_say_nothing():
    assert isinstance(RULE.ask(questions(Training(steps=1, prompts=3), np.ones(18))), CannotTell)


@pytest.mark.parametrize(
    ("answer", "right", "gap"),
    [
        ("c", "C", 0.0), ("c) danube", "D", 3.0), ("danube", "(B)", 1.0), ("(a)", "A.", 0.0), ("budapest", "A", None),
        ("a river", "B", None), ("c", "Danube", None), ("f", "A", None),
    ],
)  # fmt: skip
def test_how_far_an_option_is_from_the_key(answer, right, gap):
    assert measure_option_gap(answer, PROMPT, right) == gap


def test_prompts_without_options_tell_nothing():
    assert measure_option_gap("a", "Which river?", "A") is None
    assert measure_option_gap("a", "True?\nA) yes\nB) no", "A") is None
