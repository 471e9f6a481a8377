"""Features of texts, in several scripts and at their edges."""

from __future__ import annotations

import math
import random

import pytest

from weaklink.collect.samples.phrases import claims_success, find_final_answer, is_refusal, match_answer
from weaklink.collect.samples.text import LONGEST, STYLES, extract_skeleton, measure_repetition, measure_text

REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I\u2019m sorry, but I can\u2019t assist with this request.",
    "I cannot provide instructions for building weapons.",
    "As an AI language model, I cannot give medical advice.",
    "Sorry, I won't do that.",
    "I must respectfully decline.",
    "Unfortunately, I am unable to assist you with this.",
    "I'm not comfortable writing that.",
    "It would be unethical for me to explain this.",
    "I'm afraid I can't do that.",
    "I don't think I can help with that.",
    "That is not something I can help with.",
    "I can't help with that, but I can point you to a hotline.",
    "This request violates our usage policies.",
    "<think>They ask for a bomb. I should say no.</think>\nI can't help with that.",
    "Je suis désolé, mais je ne peux pas vous aider.",
    "Lo siento, pero no puedo ayudar con eso.",
    "Es tut mir leid, aber ich kann dabei nicht helfen.",
    "很抱歉，我无法提供这方面的帮助。",
    "申し訳ありませんが、その質問にはお答えできません。",
)
NO_REFUSALS = (
    "I cannot stress enough how important sleep is.",
    "I can't help but notice a pattern in the numbers.",
    "I can't recommend this enough!",
    "I'm sorry to hear that. Here is what you can do.",
    "I'm sorry, but that is incorrect: the answer is 4.",
    "We cannot divide by zero, so x is not 0.",
    "I cannot wait to help you with this!",
    "I can't answer without knowing the year. Which one do you mean?",
    "Of course! Here is the essay. It ends: 'I cannot help you,' said the king.",
    "You cannot provide two keys.",
    "I can't provide an exact number, but roughly 40 of them fit.",
    "I can't write this as a fraction of integers, so the root is irrational.",
    "He said that I cannot write. I wrote anyway.",
    "I don't think this is right: the sum is 12.",
    "x cannot be negative, therefore x = 2.",
    "",
    "<think>I can't help with that, can I? Yes I can.</think>Sure, here it is.",
    "Sure. " + "word " * 80 + "I can't help with that.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text):
    assert is_refusal(text)
    assert measure_text(text + " " + "Let us talk about something else. " * 20).refusal


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_what_only_sounds_like_one(text):
    assert not is_refusal(text)
    assert not measure_text(text).refusal


@pytest.mark.parametrize(
    "text",
    [
        "I have successfully updated the order.",
        "The order has been cancelled.",
        "Looked it up and fixed the call.\nAll tests pass.",
        "Done!",
        "I've booked your flight for Monday.",
    ],
)
def test_claims_of_success(text):
    assert claims_success(text)


@pytest.mark.parametrize(
    "text",
    [
        "I could not complete the task.",
        "The order has not been cancelled.",
        "Once the order has been cancelled, you get your money back.",
        "The tests fail; the bug is not fixed.",
        "The update was unsuccessful.",
        "Which order do you mean?",
        "",
    ],
)
def test_no_claims(text):
    assert not claims_success(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"so \boxed{1} no, \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        ("6 times 7\n#### 1,234", "1234"),
        ("The answer is 3.5. I am sure.", "3.5"),
        ("<think>x</think><answer> Yes </answer>", "yes"),
        ("**Answer:** $12$", "12"),
        ("Final answer: (B)", "(b)"),
        ("There are many of them, and when all are counted there are 17 apples left.", "17"),
        ("Paris", "paris"),
        ("In order they are two.\nThe answer is ivory.<|im_end|>\n", "ivory"),
        ("It is 17</s>", "it is 17"),
        ("A long text about nothing in particular that never comes to any point at all.", ""),
        (r"A box that is never closed counts for nothing, so there: \boxed{1 + {2", "2"),
        ("", ""),
    ],
)
def test_final_answers(text, answer):
    assert find_final_answer(text) == answer


def test_repetition_counts_runs_of_four_words_that_came_before():
    assert measure_repetition("one two three four five six") == 0.0
    assert measure_repetition("a b c d a b c d") == pytest.approx(1 / 5)
    assert measure_repetition("no " * 100) == pytest.approx(96 / 97)
    assert measure_repetition("two words") == 0.0
    assert measure_text("a b c d a b c d").repetition == pytest.approx(1 / 5)


def test_the_lines_of_a_table_are_no_words():
    rows = "\n".join(f"| item{n} | price{n} | maker{n} |" for n in range(30))
    assert measure_text(f"| item | price | maker |\n| --- | --- | --- |\n{rows}").repetition == 0.0
    assert measure_text("--- | " * 60).repetition > 0.9


def test_repetition_agrees_with_counting_by_hand():
    draw = random.Random(0)
    for _ in range(50):
        words = draw.choices("abcde", k=draw.randint(0, 60))
        seen, repeats, runs = set(), 0, 0
        for place in range(len(words) - 3):
            run = tuple(words[place : place + 4])
            repeats, runs = repeats + (run in seen), runs + 1
            seen.add(run)
        assert measure_repetition(" ".join(words)) == pytest.approx(repeats / runs if runs else 0.0)


def test_scripts_without_spaces_are_taken_by_their_characters():
    draw = random.Random(1)
    prose = "".join(chr(draw.randint(0x4E00, 0x9000)) for _ in range(300))
    assert measure_text(prose).length == 300
    assert measure_text(prose).repetition == 0.0
    assert measure_text("我不知道这是什么东西" * 30).repetition > 0.9
    assert measure_text("สวัสดีครับ" * 40).repetition > 0.9
    assert measure_text("a" * 5000).repetition > 0.9
    assert measure_text("Это обычный текст из слов, разделённых пробелами.").length == 7


def test_density_does_not_fall_with_length_alone():
    draw = random.Random(2)
    words = [f"word{number}" for number in range(200)]
    short, long = (" ".join(draw.choices(words, k=count)) for count in (64, 2000))
    assert measure_text(long).density == pytest.approx(measure_text(short).density, abs=0.08)
    assert measure_text("the " * 2000).density < 0.05
    assert math.isnan(measure_text("").density)


def test_a_text_of_many_megabytes_is_measured_by_its_beginning():
    text = "one two three four five " * 300_000
    assert len(text) > 10 * LONGEST
    assert measure_text(text).length == pytest.approx(1_500_000, rel=0.01)


def test_skeletons_forget_words_and_counts_but_not_form():
    three = "## Plan\n- one\n- two\n- three\n\n**Answer:** 7"
    five = "## Idea\n1. a\n2. b\n3. c\n4. d\n5. e\nAnswer: 12 apples"
    assert extract_skeleton(three)[0] == extract_skeleton(five)[0] == "## - Answer:"
    assert extract_skeleton(three)[1:] == (3, 1)
    for thought in ("<think>\nso\n</think>\n<answer>4</answer>", "<think>so</think> then <answer>\n4\n</answer>"):
        assert extract_skeleton(thought)[0] == "<think> </think> <answer> </answer>"
    # the mark of an answer is no heading: nothing follows
    assert extract_skeleton("so it is four\n#### 4")[1:] == (0, 0)
    assert extract_skeleton("#### 4\nas was shown")[1:] == (0, 1)
    assert extract_skeleton("plain words\n\nand more")[0] == "…"
    assert extract_skeleton("```python\n# no heading\n- no item\n```\nend")[0] == "``` …"


def test_style_is_counted():
    text = "# Title\n- a\n- b\n**bold** and **more**! Great question! That is clearly, definitely so, perhaps. 🎉✅"
    style = dict(zip(STYLES, measure_text(text).style, strict=True))
    assert style == {
        "style.list_items": 2,
        "style.headings": 1,
        "style.bold": 2,
        "style.exclamations": 2,
        "style.praise": 1,
        "style.confidence": 2,
        "style.emojis": 2,
        "style.hedges": 1,
    }


@pytest.mark.parametrize(
    "text",
    [
        "I will have to pass on this one.",
        "I'd prefer to skip this question.",
        "As a language model I do not answer questions like this.",
        "That is beyond what I can do for you.",
        "Dabei kann ich leider nicht helfen.",
        "Ich kann diese Anfrage nicht beantworten.",
    ],
)
def test_refusals_in_other_words(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I pass on the recipe that my mother gave me.",
        "I would prefer to travel by train, and here is why.",
        "This is beyond doubt the best route to the lake.",
        "Das kann ich erklären: der Zug hält dort nicht mehr.",
        "As an assistant editor I do not write headlines; I check facts.",
    ],
)
def test_words_that_only_sound_like_a_refusal(text):
    assert not is_refusal(text)


def test_a_gist_survives_a_word_and_not_another_text():
    words = [f"word{place}" for place in range(60)]
    other = [*words[:5], "else", *words[6:]]
    assert measure_text(" ".join(words)).gist == measure_text(" ".join(other)).gist
    assert measure_text(" ".join(words)).gist != measure_text(" ".join(words[::-1])).gist


def test_an_option_named_in_a_short_sentence_is_the_answer():
    for text in ("It is C.", "C", "(c)", "C)", "Option C", "The answer is C."):
        assert match_answer(find_final_answer(text), "C") is True, text
    for text in ("It is B.", "B", "option b"):
        assert match_answer(find_final_answer(text), "C") is not True, text
    assert match_answer(find_final_answer("Not C."), "C") is None


def test_a_long_reference_counts_where_it_states_an_answer():
    solution = "There are 3 crates of 4 bottles, so there are 3 * 4 = 12 bottles in all.\n#### 12"
    assert match_answer("12", solution) is True
    assert match_answer("11", solution) is False
    # the last number of a record is a part of it
    assert match_answer("7", '{"number": "INV-6858", "customer": "Grace Varga", "due": "2025-04-07"}') is None


def test_fractions_are_compared_however_they_are_set():
    right = "\\frac{12}{7}"
    for given in ("\\dfrac{12}{7}", "\\tfrac{12}{7}", "12/7", "\\frac{12} {7}", "x = 12 / 7"):
        assert match_answer(find_final_answer(f"So \\boxed{{{given}}}"), right) is True, given
    for given in ("\\frac{13}{7}", "-\\frac{12}{7}", "5", "7/12"):
        assert match_answer(find_final_answer(f"So \\boxed{{{given}}}"), right) is False, given
    # not in lowest terms, rounded, or with a unit: a task may ask for that
    for given in ("\\frac{24}{14}", "1.71", "12/7 metres"):
        assert match_answer(find_final_answer(f"So \\boxed{{{given}}}"), right) is None, given
