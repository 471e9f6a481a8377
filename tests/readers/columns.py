"""The series that a log's columns give."""

from __future__ import annotations

from weaklink.base.evidence.series import Provenance, Series
from weaklink.collect.readers.raw import RawLog


def series(raw: RawLog, key: str) -> Series:
    """The points of one column, in the order of their steps."""
    return raw.columns[key].build(key, Provenance(key))
