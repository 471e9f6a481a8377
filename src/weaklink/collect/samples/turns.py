"""Turns in one text: control tokens of chat templates, after which the model should have stopped."""

from __future__ import annotations

import re

_ENDS = r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return)\|>|</s>|<end_of_turn>|<｜end▁of▁sentence｜>"
_END = re.compile(_ENDS)
_STARTS = re.compile(
    r"<\|im_start\|>\s*(?:user|human)\b|<\|start_header_id\|>\s*(?:user|human)\b|<start_of_turn>\s*user\b|<\|user\|>"
    r"|<｜User｜>|\[INST\]"
)
_TAIL = re.compile(rf"(?:\s|{_ENDS}|<pad>|<\|pad\|>|\[PAD\])+$")
_RESULT = re.compile(r"<tool_response>|<(?:information|observation|result|output)>|\bObservation:|\btool_result\b")
LONGEST = 200_000
"""Characters that are looked at, from the end."""
_LATER = 20
"""Characters of text after a token that ends a turn: fewer are remains of a template."""


def goes_on(text: str) -> bool:
    """Whether a text goes on after its turn: a user's turn begins in it, or text follows a token that ends turns.

    Tokens at its end are none of that, and neither are turns that hold the results of tools, as a log of a whole
    conversation has them.
    """
    if "<" not in text and "[INST]" not in text:
        return False
    body = _TAIL.sub("", text[-LONGEST:])
    if _RESULT.search(body):
        return False
    if _STARTS.search(body):
        return True
    if "<s>" in body:  # struck out in HTML
        body = body.replace("</s>", "")
    end = _END.search(body)
    return end is not None and len(body) - end.end() > _LATER
