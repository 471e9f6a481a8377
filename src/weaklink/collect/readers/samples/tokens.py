"""Texts that a trainer writes as the list of their tokens, with a list beside it for what it says of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from weaklink.collect.readers.samples.names import BODIES, find_field
from weaklink.collect.readers.samples.speakers import ASSISTANT, INSTRUCTIONS, SPEAKERS, TOOL_ROLES, USER
from weaklink.collect.readers.samples.trained import is_loss_mask

FEWEST = 4.0
"""Pieces that a text has on average."""
SPACED = 0.1
"""The share of the pieces of a text that carry the space before them: a list of names or of answers has none."""
SPACES = (" ", "\u0120", "\u2581")
"""A space, and what stands for one in vocabularies of tokens."""
KNOWN_ROLES = frozenset((ASSISTANT, INSTRUCTIONS, USER, *SPEAKERS, *TOOL_ROLES))


def find_tokens(rows: Sequence[Mapping[str, Any]]) -> str:
    """The field that lists the pieces of one text in nearly all rows; empty where a row has its text, or none does."""
    names = dict.fromkeys(name for row in rows for name in row)
    if not rows or any(find_field(name) in BODIES for name in names):
        return ""
    return next((name for name in names if _is_pieces([row.get(name) for row in rows])), "")


def join_tokens(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The row with the text in place of its tokens: messages where another list says who wrote each of them."""
    tokens = row.get(name)
    rest = {field: value for field, value in row.items() if field != name}
    if not isinstance(tokens, list):
        return rest
    texts = [str(token).replace(SPACES[1], " ").replace(SPACES[2], " ") for token in tokens]
    beside = {field: value for field, value in rest.items() if isinstance(value, list) and len(value) == len(tokens)}
    roles = next((field for field, value in beside.items() if set(map(str, value)) <= KNOWN_ROLES), "")
    if not roles:
        return {**rest, "completion": "".join(texts)}
    masks = (field for field, value in beside.items() if is_loss_mask(field) and set(value) <= {0, 1})
    messages = _list_messages(texts, beside[roles], beside.get(next(masks, "")))
    return {**{field: value for field, value in rest.items() if field not in beside}, "messages": messages}


def _is_pieces(column: Sequence[Any]) -> bool:
    """Whether all are lists of texts of one word and less, many with the space that parts it from the one before."""
    lists = [value for value in column if value is not None]
    if not lists or not all(isinstance(value, list) and all(isinstance(one, str) for one in value) for value in lists):
        return False
    pieces = [one for value in lists for one in value]
    words = sum(len(one.split()) for one in pieces)
    spaced = sum(one.startswith(SPACES) and bool(one.strip()) for one in pieces)
    return len(pieces) >= FEWEST * len(lists) and words <= len(pieces) and spaced >= SPACED * len(pieces)


def _list_messages(texts: Sequence[str], roles: Sequence[str], mask: Sequence[int] | None) -> list[dict[str, Any]]:
    """A message for each stretch of one role, and whether most of it is trained on, where a mask says so."""
    messages: list[dict[str, Any]] = []
    for role, places in groupby(range(len(texts)), key=lambda place: roles[place]):
        own = list(places)
        message: dict[str, Any] = {"role": role, "content": "".join(texts[place] for place in own)}
        if mask is not None:
            message["loss"] = 2 * sum(mask[place] for place in own) > len(own)
        messages.append(message)
    return messages
