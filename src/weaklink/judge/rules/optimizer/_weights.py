"""Findings about some of a network's weights."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.model import Parameter
from weaklink.base.finding import Evidence, Finding, Level


def describe_weights(
    which: Sequence[Parameter],
    among: Sequence[Parameter],
    words: str,
    names: Sequence[str],
    most: int,
    level: Level,
    sure: float,
) -> Finding:
    """What is wrong with some weights among others, with up to `most` of their names."""
    size, total = sum(each.size for each in which), sum(each.size for each in among)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    what = "weights" if level is Level.INFO else "trainable weights"
    return Finding(
        message=f"{size:,} of {total:,} {what} {words}: {', '.join(names[:most])}{more}.",
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="weights", value=float(size), limit=None if level is Level.INFO else 0.0),),
    )
