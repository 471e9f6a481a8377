from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.ledger import SplitLooks
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.finding import CannotTell, Level
from weaklink.collect.readers.texts import TextItem
from weaklink.collect.samples.overlap import measure_overlap
from weaklink.judge.rules.language.contaminated_evaluation import contaminated_evaluation

TEMPLATE = "You are a careful assistant. Think step by step, then give the final answer inside a box. Question: "
WORDS = [first + last for first in ("ba", "ko", "ri", "tu", "sel", "mon") for last in ("ne", "da", "lim", "po", "vex")]


def question(number: int, words: int = 40) -> str:
    return " ".join(np.random.default_rng(number).choice(WORDS, words))


def items(count: int = 40, words: int = 40, template: str = TEMPLATE) -> list[TextItem]:
    return [TextItem(f"q{place}", f"row {place}", (template + question(place, words),)) for place in range(count)]


def rows(*texts: str, others: int = 60, template: str = TEMPLATE) -> list[TextItem]:
    """Training rows under the same template about other things, with some texts among them."""
    made = [template + question(1000 + place) for place in range(others)] + list(texts)
    return [TextItem(str(place), f"row {place}", (text,)) for place, text in enumerate(made)]


PATTERNS = (
    "{name} has {one} coins and buys {two} more. How many coins does {name} have now?",
    "A train travels {one} km in {two} hours. What is its average speed in km per hour?",
    "There are {one} coins in a box. {name} takes {two} and gives half of the rest to a friend. How many are left?",
    "{name} is {one} years old and {two} years younger than a sister. How old will the sister be in ten years?",
)


def problem(number: int) -> str:
    """One of a few patterns with other numbers and names each time."""
    rng = np.random.default_rng(number)
    one, two = rng.integers(2, 10_000, 2)
    return TEMPLATE + PATTERNS[number % 4].format(name=rng.choice(["Ana", "Bo", "Cy"]), one=one, two=two)


def problems(count: int) -> list[TextItem]:
    return [TextItem(f"q{place}", f"row {place}", (problem(place),)) for place in range(count)]


def sick():
    asked = items()
    changed = TEMPLATE + question(3).upper().replace(" ", " ,\n ")
    most = " ".join(question(5).split()[:36])
    return [
        measure_overlap(rows(asked[3].texts[0]), asked),
        measure_overlap(rows(f"seen before: {changed} and the answer is 4"), asked),
        measure_overlap(rows(most), asked),
        measure_overlap(rows(problem(7), *(problem(5000 + place) for place in range(200))), problems(60)),
        measure_overlap(rows("bane kolim", others=0), [TextItem("a", "row 1", ("Bane, kolim!",))]),
        Overlap(looks=(SplitLooks(task="gsm8k", split="private", looks=1, selections=("step-800",)),)),
        Overlap(looks=(SplitLooks(task="gsm8k", split="private", looks=4, models=("a", "b")),)),
    ]


def healthy():
    asked = items()
    short = items(40, 6)
    return [
        measure_overlap(rows(), asked),
        measure_overlap(rows(" ".join(question(5).split()[:26])), asked),  # half of an item
        measure_overlap(rows(), short),  # the same template, other questions
        # the same template and all but the last words of a short question
        measure_overlap(rows(TEMPLATE + " ".join(question(4, 6).split()[:5]) + " sun"), short),
        # the same patterns with other numbers, as most of the items and as a few of many
        measure_overlap(rows(*(problem(5000 + place) for place in range(800))), problems(60)),
        measure_overlap(rows(*(problem(5000 + place) for place in range(800))), items(200) + problems(6)),
        # what every item says stands in every row too
        measure_overlap(rows(template=TEMPLATE + question(99)), items(template=TEMPLATE + question(99))),
        # signs that are mere layout tell these boards apart, so their words tell nothing
        measure_overlap(
            rows("Play the board . # . # now"), [TextItem(s, s, (f"Play the board {s} now",)) for s in (". #", "# .")]
        ),
        Overlap(looks=(SplitLooks(task="gsm8k", split="private", looks=1, repeats=7),)),
        Overlap(looks=(SplitLooks(task="gsm8k", split="dev", looks=300, selections=("a", "b")),)),
    ]


def test_names_the_item_and_the_row():
    (found,) = contaminated_evaluation.rule.ask(sick()[0])
    assert found.message == (
        "1 of 40 evaluation items (2.50%) are in the training data, 1 of them verbatim: q3 in row 60."
    )


def test_a_few_of_many_are_merely_worth_knowing():
    asked = items(200)
    (found,) = contaminated_evaluation.rule.ask(measure_overlap(rows(asked[3].texts[0]), asked))
    assert found.level is Level.INFO
    (found,) = contaminated_evaluation.rule.ask(measure_overlap(rows(*(one.texts[0] for one in asked[:20])), asked))
    assert found.level is Level.WARN
    assert "20 of 200" in found.message


def test_one_or_two_short_items_may_coincide():
    asked = items(20, 6, template="")
    one, many = (
        contaminated_evaluation.rule.ask(measure_overlap(rows(*(each.texts[0] for each in asked[:count])), asked))[0]
        for count in (1, 4)
    )
    assert (one.level, many.level) == (Level.INFO, Level.WARN)


def test_choosing_is_worse_than_looking():
    chosen, looked = (contaminated_evaluation.rule.ask(case)[0] for case in sick()[-2:])
    assert chosen.level is Level.WARN
    assert "was used to select step-800, after 1 evaluation." in chosen.message
    assert looked.level is Level.INFO
    assert "evaluated 4 times with 2 models" in looked.message


@pytest.mark.parametrize("case", [Overlap(), Overlap(shares=np.full(3, np.nan))])
def test_cannot_tell_from_nothing(case):
    assert isinstance(contaminated_evaluation.rule.ask(case), CannotTell)
