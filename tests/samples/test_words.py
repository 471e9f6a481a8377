"""What is remembered of words, and that it changes no answer."""

from __future__ import annotations

from tests.looping import loop_over
from weaklink.collect.samples import words
from weaklink.collect.samples.copying import measure_copied, measure_stuffing
from weaklink.collect.samples.languages import find_language
from weaklink.collect.samples.phrases import claims_success
from weaklink.collect.samples.readability import measure_gibberish
from weaklink.collect.samples.structure import find_ending
from weaklink.collect.samples.text import measure_text
from weaklink.collect.samples.words import LONGEST, WordMemory, lower_words

TEXTS = (
    "",
    "The house is old, and it is by the sea. The sea is cold, and the house is not. So HOPE guides us home.",
    "Das ist nicht die Frage, und es ist auch nicht das Haus. Wir sind hier!  Und sie?",
    "ΟΔΥΣΣΕΥΣ Σ ΑΣ' İstanbul ẞ \u2028 Straße ﬁn K ſcore\x85x\u3000y",
    "qrr zqtrk PDF Pdf pdf 0x7f tand3m " * 9,
    "最後の答えは四です。 " * 30 + "The rest is in English, as the task is to be in it.",
    "word " * 900 + "and the end of it is to be not of that for the",
    "x" * 5000 + " | a | b | --- |",
)


@loop_over(text=TEXTS)
def test_words_that_are_known_already_change_nothing(text):
    lower = lower_words(text.split())
    prompt = f"{TEXTS[1]} {text[:300]}"
    assert lower == text.lower().split()
    assert find_language(text, lower) == find_language(text)
    assert repr(measure_gibberish(text, text.split())) == repr(measure_gibberish(text))
    assert repr(measure_text(text, lower)) == repr(measure_text(text))
    assert repr(measure_copied(text, prompt, lower)) == repr(measure_copied(text, prompt))
    assert repr(measure_stuffing(text, prompt, lower)) == repr(measure_stuffing(text, prompt))


def test_a_word_is_worked_out_once_and_a_long_one_each_time():
    asked = []
    memory = WordMemory(lambda word: asked.append(word) or len(word))
    long = "x" * (LONGEST + 1)
    assert [memory[word] for word in ("one", "three", "one", long, long)] == [3, 5, 3, LONGEST + 1, LONGEST + 1]
    assert asked == ["one", "three", long, long]


def test_no_more_words_are_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(words, "MOST", 10)
    memory = WordMemory(str.upper)
    for number in range(1000):
        assert memory[f"w{number}"] == f"W{number}"
        assert len(memory) <= 10


@loop_over(
    text=(
        "One. Two! So the last one is here today",
        "A (b. c) d e f g? \n\n  And so it ended for all of us. ",
        "No full stop in this line of words at all",
        "Stop.Here is no space before the last sentence",
        ". . . . a b c d e",
    )
)
def test_the_last_sentence_is_what_follows_the_last_end_of_one(text):
    import re

    *before, last = re.split(r"(?<=[.!?])\s+", text[-600:].strip())
    plain = last.lower().split()
    assert find_ending(text) == (" ".join(plain) if before and len(plain) >= 5 else "")


DONE = (
    "completed", "done", "finished", "accomplished", "fixed", "resolved", "solved", "updated", "created", "cancelled",
    "canceled", "processed", "confirmed", "booked", "deleted", "removed", "saved", "sent", "placed", "changed",
    "implemented", "added", "installed", "deployed", "submitted", "refunded", "scheduled",
)  # fmt: skip
CLAIMS = (
    *(f"The order has been {done}" for done in DONE),
    "It went successfully", "Success!", "Task complete", "The tests pass", "Mission accomplished", "You are all set",
    "Everything works", "Your parcel is on its way",
)  # fmt: skip


@loop_over(claim=CLAIMS)
def test_every_claim_of_success_is_looked_at(claim):
    assert claims_success(f"I looked at it. {claim} now.")
    assert claims_success(claim.upper() + "!")
