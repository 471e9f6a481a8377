"""An audit as data: the JSON contract, with samples side by side and the numbers of every table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from weaklink.base.evidence.samples import Samples, Shown
from weaklink.collect.samples.tables import Tables
from weaklink.collect.samples.trends import Trend
from weaklink.show.columns import LONGEST_LOOK
from weaklink.show.data import document, encoded, envelope
from weaklink.show.text import shortened
from weaklink.verbs.audit import Audited


def line(audited: Audited) -> str:
    """An audit as one line of JSON."""
    body = document(audited.diagnosis)
    body |= {
        "stopped": audited.stopped,
        "samples": None if audited.samples is None else _samples(audited, audited.samples),
        "tables": None if audited.tables is None else _tables(audited.tables),
        "verifier": _verifier(audited),
    }
    return encoded({**envelope("audit"), **body})


def _samples(audited: Audited, samples: Samples) -> dict[str, Any]:
    baseline = samples.baseline
    return {
        "rows": samples.rows,
        "used": len(samples),
        "faulty": audited.faulty,
        "faults": list(samples.faults),
        "unused_fields": list(samples.unknown),
        "baseline": None if baseline is None else {"name": baseline.name, "rows": baseline.rows},
        "high_reward": _shown(samples.best),
        "low_reward": _shown(samples.worst),
        "random": _shown(samples.random),
        "partings": [msgspec.to_builtins(parting) for parting in samples.partings],
    }


def _shown(shown: Iterable[Shown]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(one) | _texts(one) | {"row": one.row + 1} for one in shown]


def _texts(shown: Shown) -> dict[str, str]:
    return {name: shortened(getattr(shown, name), LONGEST_LOOK) for name in ("prompt", "completion")}


def _tables(tables: Tables) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(tables)
    return body | {"trends": [_trend(trend) for trend in tables.trends]}


def _trend(trend: Trend) -> dict[str, Any]:
    return {**msgspec.to_builtins(trend), "start": trend.start, "end": trend.end}


def _verifier(audited: Audited) -> dict[str, Any] | None:
    check = audited.verifier
    if check is None:
        return None
    return {**msgspec.to_builtins(check), "kinds": [msgspec.to_builtins(one) for one in audited.tried]}
