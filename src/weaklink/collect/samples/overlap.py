"""Which evaluation items stand in the training data: by n-grams of words, in one pass over any number of rows.

The small side, the items, is kept as hashes of its n-grams; the large side streams past it. Words that many items
share are a template and count for none. Items of fewer than thirteen words are looked for as a whole, and those of
fewer than five only where a text of the training data is nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from weaklink.base.errors import EmptyLog, UsageError
from weaklink.base.evidence.ledger import SplitLooks
from weaklink.base.evidence.overlap import Overlap, SeenItem
from weaklink.collect.readers.texts import TextItem, open_texts
from weaklink.collect.samples.ngrams import FEWEST_WORDS, ChunkHits, NgramIndex, split_chunks

WORDS = 13
TEMPLATE = 0.05
MOST_SHOWN = 20
LONGEST_SHOWN = 160


def measure_overlap(
    training: str | Path | Iterable[TextItem],
    evaluation: str | Path | Iterable[TextItem],
    *,
    words: int = WORDS,
    template: float = TEMPLATE,
    looks: tuple[SplitLooks, ...] = (),
    report: Callable[[str, int], None] | None = None,
) -> Overlap:
    """Looks for evaluation items in training data.

    Args:
        training: the path of the training data, or its rows.
        evaluation: the path of the evaluation items, or the items; where it is the same path, the `split` of a row says
            to which side it belongs.
        words: how many words an n-gram has.
        template: runs of words in a larger share of the items are part of a template.
        looks: how often splits were looked at, to be judged besides.
        report: is told what is being read and how many rows were.

    Raises:
        ReadError: one of them cannot be read or is empty.
    """
    if words < FEWEST_WORDS:
        raise UsageError(f"An n-gram needs at least {FEWEST_WORDS} words to mean something, not {words}.")
    shared = _is_same(training, evaluation)
    asked = open_texts(evaluation, shared=shared) if isinstance(evaluation, str | Path) else None
    read = open_texts(training, shared=shared) if isinstance(training, str | Path) else None
    items = _drop_repeated(asked.questions() if asked else _take_rows(evaluation))
    if not items:
        raise EmptyLog(f"{evaluation} holds no question to look for. Give items with a prompt or a question.")
    index = NgramIndex([" ".join(item.texts) for item in items], words, template)
    best = _BestRows(len(items))
    rows = 0
    for chunk in split_chunks(read.training() if read else _take_rows(training)):
        best.take(index.look(chunk), chunk.places)
        rows += len(chunk.places)
        if report is not None:
            report("training data", rows)
    return replace(
        _summarise_overlap(items, index, best),
        evaluation=str(evaluation) if asked else "",
        training=str(training) if read else "",
        rows=rows,
        words=words,
        looks=looks,
        notes=(*(asked.notes if asked else ()), *(read.notes if read else ())),
    )


class _BestRows:
    """For each item the training row that holds most of it."""

    def __init__(self, items: int) -> None:
        self.counts = np.zeros(items, np.int64)
        self.places: dict[int, str] = {}

    def take(self, hits: ChunkHits, places: list[str]) -> None:
        better = hits.counts > self.counts[hits.items]
        for item, row, count in zip(hits.items[better], hits.rows[better], hits.counts[better], strict=True):
            if count > self.counts[item]:
                self.counts[item] = count
                self.places[int(item)] = places[row]


def _is_same(training: object, evaluation: object) -> bool:
    """Whether both are one file or folder: then the split of each row says to which side it belongs."""
    if not isinstance(training, str | Path) or not isinstance(evaluation, str | Path):
        return False
    return os.path.realpath(training) == os.path.realpath(evaluation)


def _take_rows(rows: str | Path | Iterable[TextItem]) -> Iterable[TextItem]:
    assert not isinstance(rows, str | Path)
    return rows


def _drop_repeated(items: Iterable[TextItem]) -> list[TextItem]:
    """Each question once: an evaluation may hold several answers to it."""
    known: dict[str, TextItem] = {}
    for item in items:
        text = " ".join(" ".join(item.texts).lower().split())
        if text:
            known.setdefault(text, item)
    return list(known.values())


def _summarise_overlap(items: list[TextItem], index: NgramIndex, best: _BestRows) -> Overlap:
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(index.counts > 0, best.counts / index.counts, np.nan)
    order = np.argsort(-np.nan_to_num(shares), kind="stable")[:MOST_SHOWN]
    seen = tuple(
        SeenItem(
            item=items[place].name,
            text=" ".join(" ".join(items[place].texts).split())[:LONGEST_SHOWN],
            share=float(shares[place]),
            place=best.places[int(place)],
            exact=bool(shares[place] >= 1.0),
        )
        for place in order
        if shares[place] > 0
    )
    return Overlap(shares=shares, exact=int(np.sum(shares >= 1.0)), seen=seen)
