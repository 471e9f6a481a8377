"""The recordings of all ranks of a training, as one evidence beside that of the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from weaklink.base.errors import ReadError
from weaklink.base.evidence.ranks import RankPlace, RankRecord, Ranks, join_ranks, read_place
from weaklink.base.evidence.series import Series
from weaklink.collect.readers import recording
from weaklink.collect.readers._files import clean
from weaklink.collect.readers.raw import RawLog, assemble

CURVES = ("reward.episode_return", "reward.of_rank", "reward.group_std", "data.staleness")
"""What is compared between ranks besides their looks."""

MOST_RANKS = 1024
"""Recordings of ranks that are read; a look at more takes minutes."""

MOST_NAMED = 8


def load_ranks(
    first: RawLog, series: Mapping[str, Series], others: Sequence[Path]
) -> tuple[Ranks | None, tuple[str, ...]]:
    """The ranks of a training, and what is to be said of those that are missing.

    Args:
        first: the recording of rank 0.
        series: its curves.
        others: the recordings of the others.
    """
    if not isinstance(first, recording.RecordedLog) or read_place(first.context) is None:
        return None, ()
    records, notes = [_make_record(first, series)], []
    for path in others[:MOST_RANKS]:
        try:
            found = recording.read([path])[0]
        except ReadError as error:
            notes.append(f"left out: {clean(str(error))}")
            continue
        if isinstance(found, recording.RecordedLog) and read_place(found.context) is not None:
            records.append(_make_record(found, assemble(found).series))
    ranks = join_ranks(records)
    if ranks is not None and ranks.missing:
        notes.append(_explain_missing(ranks))
    return ranks, tuple(notes)


def _make_record(log: recording.RecordedLog, series: Mapping[str, Series]) -> RankRecord:
    started = log.context.get("started")
    place = read_place(log.context) or RankPlace()
    curves = CURVES if place.collects else ()
    return RankRecord(
        place=place,
        looks=dict(log.looks),
        series={name: series[name] for name in curves if name in series and len(series[name])},
        task=str(log.config.get("env_id") or ""),
        started=float(started) if isinstance(started, int | float) else 0.0,
    )


def _explain_missing(ranks: Ranks) -> str:
    named = ", ".join(map(str, ranks.missing[:MOST_NAMED])) + (", ..." if len(ranks.missing) > MOST_NAMED else "")
    return f"of {ranks.world} ranks {len(ranks.missing)} left no recording, and were not compared: {named}"
