from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Sample, Samples
from weaklink.collect.readers.samples.comparisons import arrange_comparison, is_comparison
from weaklink.collect.samples.gathering import gather
from weaklink.judge.rules._registry import find_rule


def verdicts(first: float, better: float = 0.5, count: int = 100, *, swap: bool = True) -> Samples:
    """Each pair twice: with one chance the first one wins, else the better one mostly does."""
    rng = np.random.default_rng(0)
    rows = []
    for pair in range(count):
        for order in (0, 1) if swap else (0, 0):
            shown = ("good answer", "poor answer")[:: 1 - 2 * order]
            sound = shown.index("good answer" if rng.random() < better else "poor answer") == 0
            won = True if rng.random() < first else sound
            chosen, rejected = shown if won else shown[::-1]
            rows.append(Sample(prompt=f"question {pair}", chosen=chosen, rejected=rejected, first_won=won))
    return gather(rows, "verdicts")


def sick():
    return [verdicts(0.9), verdicts(0.7, 0.9)]


def healthy():
    return [
        # it heeds the content
        verdicts(0.0, 0.95),
        verdicts(0.1, 0.95),
        # answers that are equally good, judged by chance: neither place wins more often
        verdicts(0.0, 0.5),
        # one order only: the first may be the better one
        verdicts(0.9, swap=False),
    ]


def test_comparisons_are_read_as_pairs():
    row = {"question": "Why?", "response_a": "Since it is.", "response_b": "Nobody knows.", "winner": "B"}
    assert is_comparison(row)
    made = arrange_comparison(row)
    assert (made["chosen"], made["rejected"], made["first_won"]) == ("Nobody knows.", "Since it is.", False)
    assert arrange_comparison(row | {"winner": "response_a"})["first_won"] is True
    assert not is_comparison(row | {"winner": "tie"})
    assert not is_comparison({"question": "Why?", "response_a": "Since it is.", "winner": "A"})


def test_the_message_names_the_place():
    assert "first answer" in find_rule("LLM371").ask(verdicts(0.9)).message
