"""What completions hand in for an answer: nothing, an abstention, the question itself, or digits that hold it."""

from __future__ import annotations

import re
from functools import lru_cache

from weaklink.collect.samples.phrases import match_answer, normalise_answer

BRIEF = 300
"""Characters of a text that says no more than that it does not know: a longer one may go on to answer."""
KEPT = 512
"""Prompts whose reading is remembered: the completions of a group share one."""
FORMS = ("\\boxed", "<answer>", "####")
"""Marks in which prompts ask for an answer."""
_THOUGHT = "</think>"
_ABSTAINS = re.compile(
    r"\bi (?:really |honestly |simply )?(?:do not|don't) (?:actually )?know\b|\bi have no (?:idea|answer)\b"
    r"|\b(?:not enough|insufficient) information\b|\bi(?: would|'d) rather not (?:guess|say|answer)\b"
    r"|\bi (?:cannot|can't|can not|am not able to|am unable to) (?:say|answer|determine|tell)\b"
    r"|\b(?:it is|it's) (?:not known|unknown|impossible to (?:say|know|tell|determine))\b"
    r"|\bi(?: am|'m) not sure (?:what|which|who|how|about (?:this|that|the answer))\b"
)
_OPEN_REFERENCE = re.compile(
    r"unknown|unanswerable|not? (?:answer|enough|known)|none|n/a|cannot|can't|don't know|undetermined|insufficient"
    r"|refus|abstain|declin|safe",
    re.IGNORECASE,
)
"""References that say themselves that there is no answer."""
_OPERATION = re.compile(r"\d\)*\s?(?:[-+*/^\u00d7\u00b7\u00f7]|\*\*|\\(?:times|cdot|div))\s?\(*\d")
_LETTERS = re.compile(r"[^\W\d_]")
_SPACES = re.compile(r"\s+")
_PLAIN = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_OPTION = re.compile(r"^[ \t]{0,8}\(?([A-H])[.):][ \t]", re.MULTILINE)
_OPTION_TEXT = re.compile(r"^[ \t]{0,8}\(?[A-H][.):][ \t]+([^\n]{1,200})$", re.MULTILINE)
_NAMED_OPTION = re.compile(r"\(?([A-Ha-h])(?:[).:]|$)")
FEWEST_OPTIONS = 3
"""Options of a question: of two, the other one is the next as well as the one before."""

_PERCENT = re.compile(r"\bper ?cent(?:age)?s?\b|\bin %|\bprozent\b|\bpour ?cent\b|\bpor ?ciento\b", re.IGNORECASE)
_FRACTION = re.compile(r"\bdecimals?\b|\bfractions?\b|\bbetween 0 and 1\b|\bprobabilit", re.IGNORECASE)


@lru_cache(KEPT)
def asks_percent(prompt: str) -> bool:
    """Whether a prompt speaks of per cent, and not of a fraction or a decimal."""
    return _PERCENT.search(prompt) is not None and _FRACTION.search(prompt) is None


def abstains(text: str, reference: str) -> bool | None:
    """Whether a short text says that it does not know; None where the reference says so too."""
    if _OPEN_REFERENCE.search(reference):
        return None
    said = text.rpartition(_THOUGHT)[2].strip().lower().replace("\u2019", "'")
    return len(said) <= BRIEF and _ABSTAINS.search(said) is not None


def holds_reference(answer: str, reference: str) -> bool | None:
    """Whether an answer is another number with the digits of the reference in it; None where it is none or right."""
    right = normalise_answer(reference)
    if not _PLAIN.fullmatch(right) or not _PLAIN.fullmatch(answer) or match_answer(answer, reference) is not False:
        return None
    return right in answer


def is_unevaluated(answer: str, prompt: str, reference: str) -> bool | None:
    """Whether an answer is an expression of the question, not worked out; None where the reference is no number."""
    if not answer or not _PLAIN.fullmatch(normalise_answer(reference)):
        return None
    if _LETTERS.search(answer) or not _OPERATION.search(answer):
        return False
    return _SPACES.sub("", answer) in _SPACES.sub("", prompt.lower())


def lacks_answer(text: str, prompt: str) -> bool | None:
    """Whether a text lacks the mark in which its prompt asks for the answer; None where that asks for none."""
    asked = next((mark for mark in FORMS if mark in prompt), None)
    return None if asked is None else asked not in text


def measure_option_gap(answer: str, prompt: str, reference: str) -> float | None:
    """How many options after the one that is right the chosen one comes, going round; None where either is not told."""
    count, right = count_options(prompt), _NAMED_OPTION.fullmatch(reference.strip())
    if count < FEWEST_OPTIONS or right is None:
        return None
    options = [option.strip().lower() for option in _OPTION_TEXT.findall(prompt)]
    if len(options) != count:
        return None
    chosen = _NAMED_OPTION.match(answer)
    place = options.index(answer) if answer in options else _place(chosen[1]) if chosen else -1
    if not 0 <= place < count or _place(right[1]) >= count:
        return None
    return float((place - _place(right[1])) % count)


def _place(letter: str) -> int:
    return "ABCDEFGH".index(letter.upper())


@lru_cache(KEPT)
def count_options(prompt: str) -> int:
    """How many options a prompt lists by their letters, from A on."""
    listed = _OPTION.findall(prompt)
    return next((place for place, letter in enumerate("ABCDEFGH") if letter not in listed), 8)
