"""Two texts side by side: which is the better one is told by their names, or by the verdict of a judge beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from weaklink.collect.readers.samples.dialogues import OFTEN, Columns, holds
from weaklink.collect.readers.samples.names import find_field, is_of_people, split_words

WON = frozenset((
    "chosen", "preferred", "better", "best", "good", "winner", "winning", "win", "won", "accepted", "positive", "pos",
))  # fmt: skip
LOST = frozenset((
    "rejected", "dispreferred", "worse", "worst", "bad", "loser", "losing", "lose", "lost", "negative", "neg",
    "unpreferred", "nonpreferred",
))  # fmt: skip
"""Words of the names of the preferred text of a pair, or of its score, and of the other one."""

PLACES = (("a", "b"), ("1", "2"), ("x", "y"), ("left", "right"), ("first", "second"), ("one", "two"))
"""Words of the names of the text that is shown first and of the other."""

TIES = frozenset(("tie", "tied", "both", "neither", "equal", "same", "draw", "none", "c"))
"""What a verdict says where neither was preferred."""

ASKED = frozenset((
    "winner", "preference", "preferred", "verdict", "choice", "judgment", "judgement", "better", "vote", "label",
    "pick",
))  # fmt: skip
"""Words of the name of a verdict that is a number: any other number may be anything."""

FIRST_WON = "first_won"
"""The field of a pair that says whether the answer that was shown first was preferred."""

_DIGIT = re.compile(r"(?<=[a-z])(?=\d)")
_MARKS = re.compile(r"[\W_]+")


class Comparison(NamedTuple):
    """The columns of two texts, of the verdict on them, and of what people say of them, where that is another one."""

    first: str
    second: str
    verdict: str
    trusted: str = ""


def find_pair(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The names that must be both sides of a preference pair, and their scores: they differ in who won alone."""
    columns = _list_columns(rows)
    texts = {name: column for name, column in columns.items() if holds(column, (str, list))}
    found = next(_match_names(texts, WON, LOST), None)
    if found is None:
        return {}
    numbers = {name: column for name, column in columns.items() if holds(column, (int, float))}
    scores = sorted(_match_names(numbers, WON, LOST), key=lambda pair: not is_of_people(pair[0]))
    named = dict(zip(found, ("chosen", "rejected"), strict=True))
    if scores and not any(find_field(name) == "chosen_score" for name in columns):
        named |= dict(zip(scores[0], ("chosen_score", "rejected_score"), strict=True))
    return {name: field for name, field in named.items() if find_field(name) != field}


def find_comparison(rows: Sequence[Mapping[str, Any]]) -> Comparison | None:
    """Two texts whose names say in which place they were shown, and who says which of them is better."""
    columns = _list_columns(rows)
    texts = {name: column for name, column in columns.items() if holds(column, str)}
    for first, second in PLACES:
        sides = next(_match_names(texts, {first}, {second}), None)
        told = [name for name in columns if sides and name not in sides and _is_verdict(name, columns[name])]
        if sides and told:
            told.sort(key=is_of_people)
            return Comparison(*sides, told[0], told[-1] if len(told) > 1 and is_of_people(told[-1]) else "")
    return None


def arrange_comparison(row: Mapping[str, Any], found: Comparison) -> dict[str, Any]:
    """The row as a pair of a chosen and a rejected answer; as it is where neither was preferred.

    What people say of the pair is the score of both sides: 1 for the better one.
    """
    sides = found.first, found.second
    won = _read_verdict(row.get(found.verdict))
    if won is None or not all(isinstance(row.get(name), str) for name in sides):
        return dict(row)
    told = {name: value for name, value in row.items() if name not in found}
    chosen, rejected = sides if won else sides[::-1]
    trusted = _read_verdict(row.get(found.trusted)) if found.trusted else None
    scores = {} if trusted is None else {"chosen_score": float(trusted == won), "rejected_score": float(trusted != won)}
    return {**told, **scores, "chosen": row[chosen], "rejected": row[rejected], FIRST_WON: won}


def _list_columns(rows: Sequence[Mapping[str, Any]]) -> Columns:
    names = dict.fromkeys(name for row in rows for name in row if isinstance(name, str))
    return {name: [row.get(name) for row in rows] for name in names}


def _split_name(name: str) -> list[str]:
    return [part for word in split_words(name) for part in _DIGIT.split(word)]


def _match_names(names: Iterable[str], own: AbstractSet[str], other: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Names that are the same but for one word: one of these in the first, one of the others in the second."""
    split = {name: _split_name(name) for name in names}
    for name, words in split.items():
        for place in (place for place, word in enumerate(words) if word in own):
            before, after = words[:place], words[place + 1 :]
            matches = (match for match, others in split.items() if others[:place] == before)
            yield from (
                (name, match)
                for match in matches
                if split[match][place + 1 :] == after and not other.isdisjoint(split[match][place : place + 1])
            )


def _is_verdict(name: str, column: Sequence[Any]) -> bool:
    """Whether nearly all values say which of two won, or that neither did; a number only where its name asks for it."""
    values = [value for value in column if value is not None]
    if isinstance(next(iter(values), None), int) and ASKED.isdisjoint(split_words(name)):
        return False
    told = [value for value in values if _read_verdict(value) is not None or _normalise(value) in TIES]
    return bool(values) and len(told) >= OFTEN * len(values) and any(_read_verdict(value) is not None for value in told)


def _normalise(value: object) -> str:
    """The last word of a value: `A` for `[[A]]` and for `response_a`."""
    words = [word for word in _MARKS.split(str(value).lower()) if word] if isinstance(value, str | int) else []
    return words[-1] if words and len(words) <= 2 else ""


def _read_verdict(value: object) -> bool | None:
    """Whether the first one won; None where that is not said, or both are even."""
    said = _normalise(value)
    return next((said == first for first, second in PLACES if said in (first, second)), None)
