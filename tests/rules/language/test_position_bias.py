from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Sample, Samples
from weaklink.collect.readers.samples.comparisons import arrange_comparison, find_comparison, find_pair
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


def votes(first: float, count: int = 300) -> Samples:
    """Pairs shown once; people vote for either by chance, and the judge agrees or, with a chance, takes the first."""
    rng = np.random.default_rng(0)
    rows = []
    for pair in range(count):
        voted = bool(rng.random() < 0.5)
        won = True if rng.random() < first else voted if rng.random() < 0.8 else not voted
        agrees = float(won == voted)
        texts = {"chosen": f"answer {won}", "rejected": f"answer {not won}", "first_won": won}
        rows.append(Sample(prompt=f"question {pair}", **texts, chosen_score=agrees, rejected_score=1.0 - agrees))
    return gather(rows, "votes")


def sick():
    return [verdicts(0.9), verdicts(0.7, 0.9), votes(0.6)]


def healthy():
    return [
        # it heeds the content
        verdicts(0.0, 0.95),
        verdicts(0.1, 0.95),
        # answers that are equally good, judged by chance: neither place wins more often
        verdicts(0.0, 0.5),
        # one order only: the first may be the better one
        verdicts(0.9, swap=False),
        # it contradicts people in a fifth of the pairs, for the sake of neither place
        votes(0.0),
        votes(0.1),
    ]


ROW = {"question": "Why?", "response_a": "Since it is.", "response_b": "Nobody knows.", "winner": "B"}


def test_comparisons_are_read_as_pairs():
    found = find_comparison([ROW])
    made = arrange_comparison(ROW, found)
    assert (made["chosen"], made["rejected"], made["first_won"]) == ("Nobody knows.", "Since it is.", False)
    assert arrange_comparison(ROW | {"winner": "response_a"}, found)["first_won"] is True
    assert "chosen" not in arrange_comparison(ROW | {"winner": "tie"}, found)
    assert find_comparison([ROW | {"winner": "tie"}]) is None
    assert find_comparison([{"question": "Why?", "response_a": "Since it is.", "winner": "A"}]) is None


def test_the_verdict_is_known_by_what_it_says():
    said = {name: value for name, value in ROW.items() if name != "winner"} | {"judge_says": "B", "model": "judge-l"}
    assert find_comparison([said]).verdict == "judge_says"
    # what people say is what is right, and not what was trained on
    found = find_comparison([{"human_vote": "A", **said}])
    assert (found.verdict, found.trusted) == ("judge_says", "human_vote")
    made = arrange_comparison({"human_vote": "A", **said}, found)
    assert (made["chosen_score"], made["rejected_score"], made["first_won"]) == (0.0, 1.0, False)
    # a number may be anything, unless its name asks for a verdict
    sides = {"answer1": "Since it is.", "answer2": "Nobody knows."}
    assert find_comparison([{**sides, "level": 2}]) is None
    assert (
        arrange_comparison({**sides, "vote": 2}, find_comparison([{**sides, "vote": 2}]))["chosen"] == sides["answer2"]
    )


def test_pairs_are_known_by_names_that_differ_in_who_won():
    texts = {"better": "Since it is.", "worse": "Nobody knows."}
    assert find_pair([texts]) == {"better": "chosen", "worse": "rejected"}
    scored = {
        "good_answer": "Yes.",
        "bad_answer": "No.",
        "rm_good": 0.3,
        "rm_bad": 0.1,
        "human_good": 5,
        "human_bad": 2,
    }
    assert find_pair([scored])["human_good"] == "chosen_score"
    assert find_pair([{"chosen": "Yes.", "rejected": "No.", "rm_chosen": 0.3, "rm_rejected": 0.1}]) == {
        "rm_chosen": "chosen_score",
        "rm_rejected": "rejected_score",
    }
    # one text alone is no pair, and neither are numbers
    assert find_pair([{"better": "Since it is.", "score": 1.0}]) == {}
    assert find_pair([{"positive": 3, "negative": 4, "text": "Well."}]) == {}


def test_the_message_names_the_place():
    assert "first answer" in find_rule("LLM371").ask(verdicts(0.9)).message


def test_votes_tell_the_place_without_a_second_order():
    message = find_rule("LLM371").ask(votes(0.6)).message
    assert "position bias" in message
    assert "first answer" in message
