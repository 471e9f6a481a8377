"""Features of one text: how long, how repetitive, how it is built, what it says at its beginning and at its end.

Texts in scripts that put no spaces between words are taken by their characters instead.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from weaklink.base.evidence.samples import STYLE
from weaklink.collect.samples.phrases import CONFIDENT, HEDGES, PRAISE, REFUSING, is_refusal

LONGEST = 200_000
"""Characters that are looked at; what comes after counts for the length alone."""
RUN = 4
CHARACTER_RUN = 8
WINDOW = 64
OPENING = 4
MOST_PARTS = 40
PROSE = "…"
_SPACED = 12
_SPACED_ASCII = 40
_TAG = re.compile(r"</?[A-Za-z_][\w-]{0,30}>")
_BULLETS = "+-*•–(0123456789"
_ITEM = re.compile(r"(?:[-*+•–]|\(?\d{1,3}[.)]|\([a-z]\))\s")
_LABEL = re.compile(r"(?:\*\*)?([A-Z][\w' ]{0,28}?)(?:\*\*)?:(?:\*\*)?(?:\s|$)")
_DIGITS = str.maketrans("0123456789", "##########")
_RULES = "|-:=_+"
_MARKS = ("", ",", ".", "!", ":", ";", "?")
_STYLED = frozenset(phrase.split()[-1] + mark for phrase in (*PRAISE, *CONFIDENT, *HEDGES) for mark in _MARKS)
_ENCLOSING = tuple(
    (f"<{name}>", f"</{name}>") for name in ("think", "thinking", "reasoning", "answer", "solution", "tool_call")
)
FEWEST_SENTENCES = 3
"""Sentences that must be whole before one counts as broken off: who writes without full stops breaks none off."""
_LAST_LINE = 60
_NO_PROSE = ("#", "-", "*", "|", ">", "`", "$")
_LATIN = "\u024f"
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


class TextFeatures(NamedTuple):
    """What is known of a text; `style` holds the counts of `STYLES`."""

    length: float
    repetition: float
    density: float
    refusal: bool
    unfinished: bool
    template: str
    opening: str
    gist: str
    style: tuple[int, ...]


STYLES = tuple(
    STYLE + name
    for name in ("list_items", "headings", "bold", "exclamations", "praise", "confidence", "emojis", "hedges")
)
"""The columns of style, in the order in which they are counted."""


def measure_text(text: str, lower_words: list[str] | None = None) -> TextFeatures:
    """Measures a text.

    Args:
        text: the text.
        lower_words: its words in lower case, where they are known.
    """
    looked_at = text if len(text) <= LONGEST else text[:LONGEST]
    lower = looked_at.lower()
    words, run = _split_words(lower, lower_words if looked_at is text else None)
    count = len(words)
    template, items, headings = extract_skeleton(looked_at)
    found = lower.count
    windows = [set(words[place : place + WINDOW]) for place in range(0, count, WINDOW)]
    styled = not all(map(_STYLED.isdisjoint, windows))
    ascii_only = lower.isascii()
    style = (
        items,
        headings,
        found("**") // 2,
        found("!"),
        sum(map(found, PRAISE)) if styled else 0,
        sum(map(found, CONFIDENT)) if styled else 0,
        0 if ascii_only else len(_EMOJI.findall(looked_at)),
        sum(map(found, HEDGES)) if styled else 0,
    )
    # most texts do not begin with a word of refusing, which is quickly seen; thoughts may come before it
    may_refuse = not ascii_only or "</think>" in lower or not (windows and REFUSING.isdisjoint(windows[0]))
    return TextFeatures(
        count if looked_at is text else count * len(text) / LONGEST,
        _measure_repetition(words, run),
        _measure_density(windows, count),
        may_refuse and is_refusal(text),
        is_unfinished(looked_at, count),
        template,
        " ".join(words[:OPENING]),
        _extract_gist(words, run),
        style,
    )


def is_unfinished(text: str, words: int) -> bool:
    """Whether a text stops before its end: inside of a tag or of code, or in the middle of a sentence."""
    end = text.rstrip()
    if any(end.rfind(opening) > end.rfind(closing) for opening, closing in _ENCLOSING if opening in end):
        return True
    if end.count("```") % 2:
        return True
    if words < FEWEST_SENTENCES * OPENING or not (end[-1:].isalpha() or end[-1:] == ",") or end[-1:] > _LATIN:
        return False
    last = end[-_LAST_LINE:].rpartition("\n")[2]
    return end.count(". ") >= FEWEST_SENTENCES and "nswer" not in last and not last.lstrip().startswith(_NO_PROSE)


def _extract_gist(words: list[str], run: int) -> str:
    """The first in order of the runs of words in the middle third: equal for texts that differ in a few words only.

    What many texts begin and end with, such as a format, is not part of it (a minhash with one hash, Broder 1997).
    """
    third = len(words) // 3
    middle = words[third : 2 * third]
    if len(middle) < run:
        return " ".join(words)
    return " ".join(min(zip(*(middle[place:] for place in range(run)), strict=False)))


def split_words(text: str) -> list[str]:
    """The words of a text, or its characters where it puts no spaces between words."""
    return _split_words(text)[0]


def measure_repetition(text: str) -> float:
    """The share of runs of four words that stood in the same text before."""
    return _measure_repetition(*_split_words(text[:LONGEST].lower()))


def extract_skeleton(text: str) -> tuple[str, int, int]:
    """A text without its words: tags, headings, items, labels, code and prose in their order; items, headings counted.

    Neighbours that are alike count once, so that a list of three and a list of five have one skeleton.
    """
    parts: list[str] = []
    items = headings = 0
    last = ""
    in_code = False
    tagged, labelled = "<" in text and _TAG.search(text) is not None, ":" in text
    prose = "" if tagged else PROSE  # where there are tags, it matters little which lines they share with words
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        first = line[0]
        if first == "`" and line.startswith("```"):
            in_code = not in_code
            part = "```"
        elif in_code:
            continue
        elif first == "#":
            headings += 1
            part = line[: len(line) - len(line.lstrip("#"))]
        elif first in _BULLETS and _ITEM.match(line):
            items += 1
            part = "-"
        elif tagged and "<" in line and (tags := _TAG.findall(line)):
            part = " ".join(tags)
        elif labelled and ":" in line and (label := _LABEL.match(line)):
            part = label.group(1).translate(_DIGITS) + ":"
        else:
            part = prose
        if part and part != last and len(parts) < MOST_PARTS:
            parts.append(part)
            last = part
    headings -= last[:1] == "#"  # nothing follows: the mark of an answer
    if "\\boxed" in text:
        parts.append("\\boxed" if text.count("\\boxed") == 1 else "\\boxed \\boxed")
    return " ".join(parts), items, headings


def _split_words(text: str, words: list[str] | None = None) -> tuple[list[str], int]:
    words = text.split() if words is None else words
    if len(text) > _SPACED * len(words) and len(text) > (_SPACED_ASCII * len(words) if text.isascii() else 0):
        return [character for character in text if not character.isspace()], CHARACTER_RUN
    if "|" in text or "---" in text:
        # the lines of a table repeat by nature; a text that is mostly lines is another matter
        kept = [word for word in words if word.strip(_RULES)]
        if 4 * len(kept) >= len(words):
            return kept, RUN
    return words, RUN


def _measure_repetition(words: list[str], run: int) -> float:
    total = len(words) - run + 1
    if total <= 0:
        return 0.0
    if run == RUN:
        return 1.0 - len(set(zip(words, words[1:], words[2:], words[3:], strict=False))) / total
    return 1.0 - len({"".join(words[place : place + run]) for place in range(total)}) / total


def _measure_density(windows: list[set[str]], count: int) -> float:
    """The share of different words in windows of one size, so that a longer text is not poorer by its length."""
    if not windows:
        return float("nan")
    if count < WINDOW:
        return len(windows[0]) / count
    whole = count // WINDOW
    return sum(map(len, windows[:whole])) / (whole * WINDOW)
