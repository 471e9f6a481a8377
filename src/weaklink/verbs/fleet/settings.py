"""The runs of a fleet as a sweep: what they set, and where they broke first."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.sweep import Sweep, SweptRun
from weaklink.judge.diagnosis.patterns import SweepPatterns, find_patterns
from weaklink.verbs.fleet.summary import RunSummary

FEWEST = 12
"""Runs from which on settings are looked at: in fewer, no exact test can tell three broken runs from chance."""


def find_settings(summaries: Sequence[RunSummary]) -> SweepPatterns | None:
    """Which settings go with which first break; None where there are too few runs to tell."""
    if len(summaries) < FEWEST:
        return None
    return find_patterns(Sweep.of(map(make_swept, summaries)))


def make_swept(one: RunSummary) -> SweptRun:
    """A run as a part of a sweep."""
    broke = one.diagnosis.first_break
    link, code = ("", "") if broke is None else (broke.link.value, broke.code)
    return SweptRun(one.settings, one.peer.seed, link, code)
