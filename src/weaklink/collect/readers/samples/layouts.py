"""Rows of other layouts to rows of one sample each: nested, a group a line, a step a line, names that say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from weaklink.collect.readers.samples.chat import is_chat, is_steps
from weaklink.collect.readers.samples.comparisons import arrange_comparison, is_comparison
from weaklink.collect.readers.samples.guessing import guess_fields
from weaklink.collect.readers.samples.listing import find_listed, list_completions
from weaklink.collect.readers.samples.names import BODIES, find_field
from weaklink.collect.readers.samples.nesting import flatten, is_nested
from weaklink.collect.readers.samples.stepwise import EpisodeJoiner, is_step

LOOKED_AT, MOST_CHARACTERS = 200, 20_000_000
"""Rows by which a layout is told, and how many characters of text they may hold together."""

Row = tuple[int, Any]


class RowArranger:
    """Gives the rows of a file as rows of one sample each.

    `guessed` has the fields that were known by what they hold, `joined` says whether steps were joined to episodes.
    """

    def __init__(self) -> None:
        self.guessed: dict[str, str] = {}
        self.joined = False

    def arrange(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, arranged as the first of them show that they must be."""
        start, rest = _look_ahead(rows)
        every: Iterator[Row] = chain(start, rest)
        known = [row for _, row in start if isinstance(row, dict)]
        if any(map(is_nested, known)):
            every = ((place, flatten(row) if isinstance(row, dict) else row) for place, row in every)
            known = [flatten(row) for row in known]
        if any(map(find_listed, known)):
            return _list_groups(every)
        if known and "chosen" not in known[0] and 2 * sum(map(is_comparison, known)) > len(known):
            return ((place, arrange_comparison(row) if isinstance(row, dict) else row) for place, row in every)
        if known and all(map(is_step, known)):
            self.joined = True
            return _join_episodes(every)
        if known and not any(map(_has_body, known)):
            self.guessed = guess_fields(known)
        if self.guessed:
            return ((place, self._rename(row)) for place, row in every)
        return every

    def _rename(self, row: Any) -> Any:
        if not isinstance(row, dict):
            return row
        fields = set(self.guessed.values())
        return {self.guessed.get(name, name): value for name, value in row.items() if name not in fields}


def _look_ahead(rows: Iterator[Row]) -> tuple[list[Row], Iterator[Row]]:
    """The first rows, so many as fit into a bounded memory, and the others; a file may turn out to be broken there."""
    start: list[Row] = []
    held = 0
    try:
        for place, row in rows:
            start.append((place, row))
            held += sum(len(value) for value in row.values() if isinstance(value, str)) if isinstance(row, dict) else 0
            if len(start) >= LOOKED_AT or held > MOST_CHARACTERS:
                break
    except Exception as error:
        return start, chain.from_iterable(map(_fail, (error,)))  # once the next row is asked for
    return start, rows


def _fail(error: Exception) -> list[Row]:
    raise error


def _has_body(row: Mapping[str, Any]) -> bool:
    """Whether some field is a completion by its name or its form."""
    named = any(find_field(name) in BODIES for name in row if isinstance(name, str))
    return named or any(is_chat(value) or is_steps(value) for value in row.values())


def _list_groups(rows: Iterator[Row]) -> Iterator[Row]:
    for place, row in rows:
        listed = find_listed(row) if isinstance(row, dict) else ""
        if listed:
            yield from ((place, one) for one in list_completions(row, listed, place))
        else:
            yield place, row


def _join_episodes(rows: Iterator[Row]) -> Iterator[Row]:
    joiner = EpisodeJoiner()
    place = 0
    for place, row in rows:
        if isinstance(row, dict) and is_step(row):
            yield from ((place, episode) for episode in joiner.take(row))
        else:
            yield place, row
    yield from ((place, episode) for episode in joiner.rest())
