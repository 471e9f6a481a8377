"""What prompts should not hold: the reference answer, or a template that nobody filled in."""

from __future__ import annotations

import re
from functools import lru_cache

from weaklink.collect.samples.phrases import match_answer, normalise_answer

LOOKED_AT = 20_000
"""Characters of a prompt that are looked at, from its end: questions and hints stand there."""

KEPT = 512
"""Prompts whose reading is remembered: the completions of a group share one."""

_TOLD = re.compile(
    r"\\boxed\{([^{}\n]{1,60})\}"
    r"|<answer>\s*([^<\n]{1,60}?)\s*</answer>"
    r"|####\s*([^\n]{1,60})"
    r"|\b(?:answer|solution|result|key|truth|reference|expected|output|correct|label|target|hint)s?\b[\"'*)\]]*"
    r"(?:\s+(?:key|value|answer|option|choice|letter|is|for\s+\w+)){0,2}\s*(?:\s+is\b|[:=]|->|\u2192|\s[-\u2013]\s)[\s\"'*(\[]*([^\n]{1,60})",
    re.IGNORECASE,
)
_OPEN = ("<", "[", "{", "your", "the ", "a ", "put", "write", "(your")
"""What stands where an answer is asked for, and gives none."""
_CLAUSE = re.compile(r"[.!?;](?:\s|$)|[\"'*)\]}]")

_SLOT = (
    r"\w*(?:question|prompt|input|query|problem|instruction|task|text|context|document|article|passage|content"
    r"|message|request|topic|example|statement|sentence|description|title|user|answer|option)\w*"
)
_UNFILLED = re.compile(
    rf"\{{\{{-?\s*[\w.]*{_SLOT}[\w.|\[\]'\"]*\s*-?\}}\}}"
    rf"|(?<![\w\\${{])\{{\s*{_SLOT}\s*\}}(?!\}})"
    rf"|\$\{{\s*{_SLOT}\s*\}}"
    rf"|<<\s*{_SLOT}\s*>>|\[\[\s*{_SLOT}\s*\]\]"
    rf"|^\s*{_SLOT}\s*:\s*(?:none|nan|null|undefined)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_MARKED = re.compile(r"[\[<](?:INSERT|PLACEHOLDER|TODO|YOUR)\b[^\]>\n]{0,60}[\]>]|__[A-Z]+_(?:HERE|GOES_HERE)__")
_ABOUT = re.compile(
    r"templat|placeholder|jinja|mustache|handlebars|f-string|format string|variable|curly|brace|```|latex",
    re.IGNORECASE,
)
"""Prompts that are about templates, or hold code."""
_CONTROL = re.compile(r"<\|[^|>]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<[|｜][^>]{1,40}[|｜]>")
_ROLES = frozenset(("user", "assistant", "system", "human", "question", "answer", "q", "a", "model"))


def tells_answer(prompt: str, reference: str) -> bool | None:
    """Whether the last answer that a prompt states is the reference; None where it states none."""
    told = _find_told(prompt)
    if not told:
        return None
    return bool(match_answer(normalise_answer(told), reference))


def gives_told_answer(prompt: str, answer: str) -> bool | None:
    """Whether a final answer is the one that the prompt states; None where it states none that can be compared."""
    told = _find_told(prompt)
    return match_answer(normalise_answer(told), answer) if told and answer else None


@lru_cache(KEPT)
def _find_told(prompt: str) -> str:
    """The last answer that a prompt states, such as that of a key; empty where it states none."""
    for found in reversed(list(_TOLD.finditer(prompt[-LOOKED_AT:]))):
        said = next(part for part in found.groups() if part is not None).strip()
        if found.group(4) is not None:
            inner = _TOLD.search(said)  # a key may hold a box
            said = next(filter(None, inner.groups())) if inner else _CLAUSE.split(said, maxsplit=1)[0].strip()
        if any(map(str.isalnum, said)) and not said.lower().startswith(_OPEN):
            return said
    return ""


@lru_cache(KEPT)
def is_unfilled(prompt: str) -> bool:
    """Whether a prompt is a template with an empty place: a placeholder, `None`, or nothing between its tokens."""
    text = prompt[-LOOKED_AT:]
    if _CONTROL.search(text):
        left = _CONTROL.sub(" ", text).lower().split()
        if all(word.strip(":.") in _ROLES for word in left):
            return True
    if not any(mark in text for mark in ("{", "[", "<<", "__", "<", ":")):
        return False
    return (_UNFILLED.search(text) or _MARKED.search(text)) is not None and _ABOUT.search(text) is None
