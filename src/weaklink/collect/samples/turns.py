"""Turns in one text: control tokens of chat templates, after which the model should have stopped."""

from __future__ import annotations

import re

_ENDS = r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return)\|>|</s>|<end_of_turn>|<｜end▁of▁sentence｜>"
_END = re.compile(_ENDS)
_STARTS = re.compile(
    r"<\|im_start\|>\s*(?:user|human)\b|<\|start_header_id\|>\s*(?:user|human)\b|<start_of_turn>\s*user\b|<\|user\|>"
    r"|<｜User｜>|\[INST\]"
)
_PLAIN = re.compile(
    r"^(?:(?:Human|User|### ?(?:Human|User|Instruction))[ \t]*:|(?:user|human)[ \t]*$)"
    r"[\s\S]{3,4000}?"
    r"^(?:(?:Assistant|AI|Model|### ?(?:Assistant|Response))[ \t]*:|(?:assistant|model)[ \t]*$)",
    re.MULTILINE,
)
"""A user's turn and the next answer in plain words, as templates without control tokens write them."""
_BEFORE = 20
"""Characters of an answer before such a turn: a dialogue that is asked for begins with one."""
_TAIL = re.compile(rf"(?:\s|{_ENDS}|<pad>|<\|pad\|>|\[PAD\])+$")
_RESULT = re.compile(r"<tool_response>|<(?:information|observation|result|output)>|\bObservation:|\btool_result\b")
LONGEST = 200_000
"""Characters that are looked at, from the end."""
_END_OF_TEXT = 200
"""Characters at the end of a text that hold the tokens that end it."""
_LATER = 20
"""Characters of text after a token that ends a turn: fewer are remains of a template."""


def strip_ends(text: str) -> str:
    """The text without the control tokens that end it: they are part of no answer."""
    if not text.endswith((">", "]", "\n", " ")):
        return text
    return text[:-_END_OF_TEXT] + _TAIL.sub("", text[-_END_OF_TEXT:])


def goes_on(text: str) -> bool:
    """Whether a text goes on after its turn: a user's turn begins in it, or text follows a token that ends turns.

    In plain words, a user's turn must come after an answer and be answered itself. Tokens at its end are none of that,
    and neither are turns that hold the results of tools, as a log of a whole conversation has them.
    """
    spoken = "ssistant" in text or "### " in text or "\nmodel" in text
    if "<" not in text and "[INST]" not in text and not spoken:
        return False
    body = _TAIL.sub("", text[-LONGEST:])
    if _RESULT.search(body):
        return False
    if spoken and (turn := _PLAIN.search(body)) is not None and turn.start() > _BEFORE:
        return True
    if _STARTS.search(body):
        return True
    if "<s>" in body:  # struck out in HTML
        body = body.replace("</s>", "")
    end = _END.search(body)
    return end is not None and len(body) - end.end() > _LATER
