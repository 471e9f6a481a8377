"""Examples in a prompt: whether one of them is the question itself, with its answer."""

from __future__ import annotations

import re
from functools import lru_cache

from weaklink.collect.samples.phrases import match_answer, normalise_answer

LOOKED_AT = 20_000
"""Characters of a prompt that are looked at, from its end."""
KEPT = 512
"""Prompts whose reading is remembered: the completions of a group share one."""
SHORTEST = 12
"""Letters and digits of a question: a shorter one may stand anywhere."""

_ANSWERED = re.compile(
    r"\s*(?:[*#>-]\s*)?(?:\*\*)?(?:final |correct |expected )?(?:answer|a|solution|output|label|response)"
    r"(?:\*\*)?\s*[:=]\s*(?:\*\*)?\s*(\S.{0,199})",
    re.IGNORECASE,
)
"""A line that gives the answer of an example."""
_ASKED = re.compile(r"^\s*(?:question|problem|input|query|example|task|q)\s*\d{0,3}\s*[:.)]\s*", re.IGNORECASE)


def answers_example(prompt: str, reference: str) -> bool | None:
    """Whether an example that is the question itself has the reference for its answer; None where no example is it."""
    told = _find_own_example(prompt)
    return match_answer(normalise_answer(told), reference) if told else None


@lru_cache(KEPT)
def _find_own_example(prompt: str) -> str:
    """The answer of the example whose every line stands in the question as well; empty where there is none."""
    parts: list[tuple[list[str], str]] = []
    lines: list[str] = []
    for line in prompt[-LOOKED_AT:].splitlines():
        answered = _ANSWERED.fullmatch(line)
        if answered is not None:
            parts.append((lines, answered[1]))
            lines = []
        else:
            lines.append(_ASKED.sub("", line).strip().lower())
    asked = frozenset(filter(None, lines))
    for place, (example, answer) in enumerate(parts):
        # what the prompt begins with is no part of the first example
        if _stands_in(example, asked) or (not place and "" in example and _stands_in(_cut_head(example), asked)):
            return answer
    return ""


def _cut_head(lines: list[str]) -> list[str]:
    return lines[lines.index("") + 1 :]


def _stands_in(lines: list[str], asked: frozenset[str]) -> bool:
    """Whether lines are a part of the question, and enough of them to be one."""
    own = frozenset(filter(None, lines))
    return own <= asked and sum(map(str.isalnum, "".join(own))) >= SHORTEST
