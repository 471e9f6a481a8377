"""Rows of other layouts to rows of one sample each: nested, a group a line, a step a line, names that say nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from weaklink.collect.readers.samples.comparisons import arrange_comparison, find_comparison, find_pair
from weaklink.collect.readers.samples.guessing import guess_fields
from weaklink.collect.readers.samples.listing import find_listed, list_completions
from weaklink.collect.readers.samples.nesting import flatten, is_nested
from weaklink.collect.readers.samples.senses import find_senses, rename
from weaklink.collect.readers.samples.spelling import find_spelled, find_verdict, spell_out, spell_verdict
from weaklink.collect.readers.samples.stepwise import EpisodeJoiner, is_step
from weaklink.collect.readers.samples.tokens import find_tokens, join_tokens

LOOKED_AT, MOST_CHARACTERS = 2_000, 20_000_000
"""Rows by which a layout is told, and how many characters of text they may hold together."""

Row = tuple[int, Any]


class RowArranger:
    """Gives the rows of a file as rows of one sample each.

    `guessed` has the fields that were known by what they hold, `joined` says whether steps were joined to episodes.

    Args:
        components: columns that hold reward components although their names do not say so.
    """

    def __init__(self, components: Iterable[str] = ()) -> None:
        self._components = frozenset(components)
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
        if tokens := find_tokens(known):
            every = ((place, join_tokens(row, tokens) if isinstance(row, dict) else row) for place, row in every)
            known = [join_tokens(row, tokens) for row in known]
        if any(map(find_listed, known)):
            every = _list_groups(every)
            known = [row for _, row in _list_groups(enumerate(known)) if isinstance(row, dict)]
        if pair := find_pair(known):
            every = ((place, rename(row, pair)) for place, row in every)
            known = [rename(row, pair) for row in known]
        elif known and "chosen" not in known[0] and (compared := find_comparison(known)):
            return (
                (place, arrange_comparison(row, compared) if isinstance(row, dict) else row) for place, row in every
            )
        if known and all(map(is_step, known)):
            self.joined = True
            return _join_episodes(every)
        if senses := find_senses(known):
            every = ((place, rename(row, senses)) for place, row in every)
            known = [rename(row, senses) for row in known]
        if spelled := find_spelled(known):
            every = ((place, spell_out(row, spelled) if isinstance(row, dict) else row) for place, row in every)
            known = [spell_out(row, spelled) for row in known]
        if verdict := find_verdict(known):
            every = ((place, spell_verdict(row, verdict) if isinstance(row, dict) else row) for place, row in every)
            known = [spell_verdict(row, verdict) for row in known]
        self.guessed = guess_fields(known, self._components)
        if self.guessed:
            return ((place, rename(row, self.guessed)) for place, row in every)
        return every


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


def _list_groups(rows: Iterable[Row]) -> Iterator[Row]:
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
