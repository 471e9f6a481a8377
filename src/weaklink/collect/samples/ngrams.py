"""N-grams of words as numbers: an index of the few, past which the many stream.

Words are cut out by the bytes of a whole chunk of rows at once, numbered by the vocabulary of the items, and windows
of them hashed by differences of one running sum; only windows without a word that no item has are looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from weaklink.collect.readers.texts import TextItem

Keys = NDArray[np.uint64]
Ints = NDArray[np.int64]

FEWEST_WORDS = 5
"""An item with fewer is looked for only where a text is nothing else; runs of so many words make a template."""

COMMON = 0.5
"""The share of items from which on a figure that they hold is part of their template."""

CHUNK = 1 << 22
UNKNOWN, FIELD, ROW = 0, 1, 2
"""Numbers of words: one that no item has, the border of a text, the border of a row."""

_FIELD_END, _ROW_END = " \x00 ", " \x00 \x01 \x00 "
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
# signs of arithmetic tell one problem from another; other signs are layout
_KEPT = frozenset(b"\x00\x01+=<>^%")
_LETTERS = bytes(code if code in _KEPT or code >= 128 or chr(code).isalnum() else 32 for code in range(256))
_MARKS = str.maketrans("\x00\x01", "  ")
_NO_SPACES = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")


@dataclass(frozen=True)
class TextChunk:
    """Some training rows as one text, and where each comes from."""

    text: str
    places: list[str]


@dataclass(frozen=True)
class ChunkHits:
    """What a chunk has in common with items: for each item and row how many of the item's n-grams the row holds."""

    items: Ints
    rows: Ints
    counts: Ints


def split_chunks(rows: Iterable[TextItem]) -> Iterator[TextChunk]:
    """Rows in pieces of a few megabytes; one that is larger than that is cut."""
    parts: list[str] = []
    places: list[str] = []
    size = 0
    for row in rows:
        text = _FIELD_END.join(map(normalise_text, row.texts))
        for start in range(0, max(len(text), 1), CHUNK):
            parts.append(text[start : start + CHUNK])
            places.append(row.place)
            size += len(parts[-1])
            if size >= CHUNK:
                yield TextChunk(_ROW_END.join(parts), places)
                parts, places, size = [], [], 0
    if parts:
        yield TextChunk(_ROW_END.join(parts), places)


def normalise_text(text: str) -> str:
    """A text without marks of our own, each letter of a script without spaces a word."""
    if not text.isascii():
        text = _NO_SPACES.sub(r" \g<0> ", unicodedata.normalize("NFKC", text))
    return text.translate(_MARKS) if "\x00" in text or "\x01" in text else text


def split_words(text: str) -> list[bytes]:
    """The words of a text, alike whatever their case and whatever stands between them."""
    return text.lower().encode("utf-8", "replace").translate(_LETTERS).split()


class NgramIndex:
    """The n-grams of items that are their own.

    Args:
        texts: what each item asks, no two of them the same.
        words: how many words an n-gram has; shorter items are looked for as a whole.
        template: runs of words in a larger share of the items are part of a template.
    """

    def __init__(self, texts: Sequence[str], words: int, template: float) -> None:
        self._numbers: dict[bytes, int] = {b"\x00": FIELD, b"\x01": ROW}
        numbered = [self._numbered(split_words(normalise_text(text))) for text in texts]
        self._values = np.random.default_rng(0).integers(0, 1 << 64, len(self._numbers) + 1, np.uint64)
        self._powers = _HashPowers()
        most = max(int(template * len(texts)), 1)
        own = self._own_words(numbered, most)
        by_size: dict[int, list[int]] = {}
        for place, numbers in enumerate(numbered):
            if len(numbers):
                by_size.setdefault(_pick_size(len(numbers), words), []).append(place)
        self.counts: Ints = np.zeros(len(texts), np.int64)
        """How many n-grams of its own each item has."""
        self._figures = self._find_figures(numbered)
        self._loose: dict[int, frozenset[int]] = {}
        """Figures of items that none of their n-grams holds: a row must have them, or it is another problem."""
        self._tables = [self._table(size, places, numbered, own, most) for size, places in sorted(by_size.items())]

    def look(self, chunk: TextChunk) -> ChunkHits:
        """What a chunk holds of the items."""
        words = split_words(chunk.text)
        numbers = np.fromiter(map(self._numbers.get, words, repeat(UNKNOWN)), np.int64, len(words))
        borders = np.flatnonzero(numbers == ROW)
        numbers = np.concatenate([[FIELD], numbers, [FIELD]])
        sums = self._sums(numbers)
        strange = np.concatenate([[0], np.cumsum(numbers == UNKNOWN)])
        found = [table.look(sums, strange, self._powers) for table in self._tables]
        keys, items, starts = (np.concatenate(part) for part in zip(*found, strict=True))
        rows = np.searchsorted(borders, starts - 1, side="right")
        hits = _count_hits(keys, items, rows)
        return self._drop_others(hits, np.split(numbers[1:-1], borders)) if self._loose else hits

    def _drop_others(self, hits: ChunkHits, rows: list[Ints]) -> ChunkHits:
        """The hits without rows that lack a figure of the item: one pattern with other figures is another problem."""
        kept = np.array(
            [
                self._loose.get(int(item), frozenset()) <= set(rows[row].tolist())
                for item, row in zip(hits.items, hits.rows, strict=True)
            ],
            bool,
        )
        return ChunkHits(hits.items[kept], hits.rows[kept], hits.counts[kept])

    def _numbered(self, words: list[bytes]) -> Ints:
        known = self._numbers
        return np.array([known.setdefault(word, len(known) + 1) for word in words], np.int64)

    def _sums(self, numbers: Ints) -> Keys:
        powers, _ = self._powers.up_to(len(numbers))
        sums = np.zeros(len(numbers) + 1, np.uint64)
        np.cumsum(self._values[numbers] * powers, out=sums[1:])
        return sums

    def _own_words(self, numbered: list[Ints], most: int) -> list[NDArray[np.bool_]]:
        """For each item which of its words are not part of a template."""
        hashes = [self._windows(numbers, FEWEST_WORDS) for numbers in numbered]
        distinct = np.concatenate([np.unique(each) for each in hashes]) if hashes else np.empty(0, np.uint64)
        keys, times = np.unique(distinct, return_counts=True)
        shared = keys[times > most]
        own = []
        for numbers, each in zip(numbered, hashes, strict=True):
            mask = np.ones(len(numbers), bool)
            for start in np.flatnonzero(np.isin(each, shared)):
                mask[start : start + FEWEST_WORDS] = False
            own.append(mask)
        return own

    def _find_figures(self, numbered: list[Ints]) -> Ints:
        """The words with digits, as numbers, that tell items apart."""
        known = np.array([place for word, place in self._numbers.items() if any(48 <= sign <= 57 for sign in word)])
        counts = np.bincount(np.concatenate([np.unique(each) for each in numbered]), minlength=len(self._numbers) + 1)
        return known[counts[known] <= COMMON * len(numbered)] if len(known) else np.zeros(0, np.int64)

    def _windows(self, numbers: Ints, size: int) -> Keys:
        if len(numbers) < size:
            return np.empty(0, np.uint64)
        return _hash_windows(self._sums(numbers), np.arange(len(numbers) - size + 1), size, self._powers)

    def _table(
        self, size: int, places: list[int], numbered: list[Ints], own: list[NDArray[np.bool_]], most: int
    ) -> _NgramTable:
        keys: list[Keys] = []
        items: list[Ints] = []
        for place in places:
            numbers, mine = numbered[place], own[place]
            if size > len(numbers):
                numbers, mine = np.concatenate([[FIELD], numbers, [FIELD]]), np.concatenate([[False], mine, [False]])
            inside = np.concatenate([[0], np.cumsum(mine)])
            needed = min(int(inside[-1]), (size + 1) // 2)
            kept = (inside[size:] - inside[:-size] >= needed) & (needed > 0)
            found = np.unique(self._windows(numbers, size)[kept])
            held = [numbers[start : start + size] for start in np.flatnonzero(kept)]
            if held and len(left := np.setdiff1d(np.intersect1d(numbers, self._figures), np.concatenate(held))):
                self._loose[place] = frozenset(left.tolist())
            keys.append(found)
            items.append(np.full(len(found), place, np.int64))
        table = _NgramTable.of(size, np.concatenate(keys), np.concatenate(items), most)
        np.add.at(self.counts, table.items, 1)
        return table


@dataclass(frozen=True)
class _NgramTable:
    """The n-grams of one size: sorted keys, and for each from where to where its items stand."""

    size: int
    keys: Keys
    bounds: Ints
    items: Ints
    sieve: NDArray[np.bool_]
    shift: np.uint64

    @classmethod
    def of(cls, size: int, keys: Keys, items: Ints, most: int) -> _NgramTable:
        order = np.argsort(keys, kind="stable")
        distinct, times = np.unique(keys[order], return_counts=True)
        few = times <= most
        chosen = np.repeat(few, times)
        bounds = np.concatenate([[0], np.cumsum(times[few])])
        bits = int(np.clip(np.ceil(np.log2(max(int(few.sum()), 1))) + 6, 16, 27))
        sieve = np.zeros(1 << bits, bool)
        shift = np.uint64(64 - bits)
        sieve[distinct[few] >> shift] = True
        return cls(size, distinct[few], bounds, items[order][chosen], sieve, shift)

    def look(self, sums: Keys, strange: Ints, powers: _HashPowers) -> tuple[Ints, Ints, Ints]:
        """The places of the keys that were met, the items that each belongs to, and where the n-gram begins."""
        if not len(self.keys) or len(sums) <= self.size:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
        starts = np.flatnonzero(strange[self.size :] == strange[: -self.size])
        hashes = _hash_windows(sums, starts, self.size, powers)
        likely = np.flatnonzero(self.sieve[hashes >> self.shift])
        hashes, starts = hashes[likely], starts[likely]
        places = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
        right = self.keys[places] == hashes
        places, starts = places[right], starts[right]
        times = self.bounds[places + 1] - self.bounds[places]
        within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        items = self.items[np.repeat(self.bounds[places], times) + within]
        return np.repeat(places, times), items, np.repeat(starts, times)


class _HashPowers:
    """The powers of the base of the hash and of its inverse, as many as were needed so far."""

    def __init__(self) -> None:
        self._up = self._down = np.ones(1, np.uint64)

    def up_to(self, count: int) -> tuple[Keys, Keys]:
        if count > len(self._up):
            self._up, self._down = _compute_powers(_BASE, count), _compute_powers(_INVERSE, count)
        return self._up[:count], self._down[:count]


def _compute_powers(base: int, count: int) -> Keys:
    factors = np.full(count, np.uint64(base))
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _hash_windows(sums: Keys, starts: Ints, size: int, powers: _HashPowers) -> Keys:
    """The hash of each window: its part of the running sum, moved back to the beginning and well mixed."""
    _, down = powers.up_to(len(sums))
    moved = (sums[starts + size] - sums[starts]) * down[starts]
    return np.asarray((moved ^ (moved >> np.uint64(31))) * np.uint64(_BASE))


def _pick_size(count: int, words: int) -> int:
    """How long the n-grams of an item with so many words are; beyond its own length where its borders count."""
    if count >= words:
        return words
    return count if count >= FEWEST_WORDS else count + 2


def _count_hits(keys: Ints, items: Ints, rows: Ints) -> ChunkHits:
    """How many different n-grams of each item each row holds."""
    order = np.lexsort((keys, items, rows))
    keys, items, rows = keys[order], items[order], rows[order]
    fresh = np.ones(len(keys), bool)
    fresh[1:] = (keys[1:] != keys[:-1]) | (items[1:] != items[:-1]) | (rows[1:] != rows[:-1])
    items, rows = items[fresh], rows[fresh]
    begins = np.ones(len(items), bool)
    begins[1:] = (items[1:] != items[:-1]) | (rows[1:] != rows[:-1])
    first = np.flatnonzero(begins)
    counts = np.diff(np.append(first, len(items)))
    return ChunkHits(items[first], rows[first], counts)
