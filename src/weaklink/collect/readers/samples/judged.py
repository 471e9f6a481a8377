"""What a judge wrote beside a sample: the grade that it states in words."""

from __future__ import annotations

import re

from weaklink.collect.readers.samples.names import split_words

_JUDGES = frozenset(
    ("judge", "judges", "judgement", "judgment", "grader", "critic", "critique", "evaluator", "verdict")
)
_OF_SOMETHING_ELSE = frozenset(("prompt", "name", "model", "id", "version", "template"))
LOOKED_AT = 2_000
"""Characters at the end of what a judge wrote that are looked at."""
_OUT_OF = re.compile(r"(?<![\d./])(\d{1,3}(?:\.\d{1,3})?)\s?(?:/|out of)\s?\d{1,3}\b(?!/)")
_CALLED = re.compile(
    r"\b(?:score|rating|grade|marks?)\b[\"'*]{0,3}\s?(?:is|of|[:=])?\s?[\"'*\[]{0,3}\s?(\d{1,3}(?:\.\d{1,3})?)\b(?!\s?%)",
    re.IGNORECASE,
)


def speaks_of_judge(name: str) -> bool:
    """Whether a name that nobody knows says that it holds what a judge wrote: `judge_output`, `grader_response`."""
    words = split_words(name)
    return not _JUDGES.isdisjoint(words) and _OF_SOMETHING_ELSE.isdisjoint(words)


def read_grade(text: str) -> float | None:
    """The grade that a text states; None where it states none, or several that differ."""
    end = text[-LOOKED_AT:]
    stated = set(map(float, (*_OUT_OF.findall(end), *_CALLED.findall(end))))
    return stated.pop() if len(stated) == 1 else None
