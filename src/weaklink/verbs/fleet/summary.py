"""One run as a fleet keeps it: all that is said of it, and little of its series."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.config import find_canonical_name, parse_value
from weaklink.base.evidence.fleet import PeerRun, shorten_value
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.privacy import HIDDEN, hide_in_mapping
from weaklink.base.stats import block_means
from weaklink.judge.diagnosis.diagnosis import Diagnosis

CURVE = 48
"""Points of the curve that a row of a table is drawn with: a third of its width in pixels."""

Setting = bool | int | float | str


class ReturnCourse(msgspec.Struct, frozen=True, kw_only=True):
    """How the measure of success moved; None of `Performance` but its plain numbers and words."""

    metric: str
    start: float
    best: float
    best_step: float
    final: float
    lowest: float
    improved: bool
    declined: bool
    flat: bool


class RunSummary(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """A judged run: its diagnosis, who it can be compared with, its settings without secrets, and its return in short.

    `curve` holds means of the measure of success, `metric` its name; `seconds` is what reading and judging took.
    """

    diagnosis: Diagnosis
    peer: PeerRun
    settings: dict[str, Setting] = {}
    course: ReturnCourse | None = None
    metric: str = ""
    curve: tuple[float, ...] = ()
    seconds: float = 0.0


def summarise_run(run: Run, diagnosis: Diagnosis, seconds: float = 0.0) -> RunSummary:
    """What a fleet keeps of a run; nothing of it refers to the run itself."""
    peer = PeerRun.of(run)
    return RunSummary(
        diagnosis=diagnosis,
        peer=peer,
        settings=list_settings(run),
        course=_describe_course(run),
        metric=peer.metric,
        curve=_shorten_curve(run.series[peer.metric]) if peer.metric else (),
        seconds=seconds,
    )


def make_plain(summary: RunSummary) -> RunSummary:
    """The same with plain numbers alone, as it comes out of another process: rules may give those of numpy."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(summary, enc_hook=_unwrap_number), type=RunSummary)


def _unwrap_number(value: object) -> object:
    item = getattr(value, "item", None)
    if item is None:
        raise NotImplementedError(f"{type(value).__name__} cannot be sent")
    return item()


def list_settings(run: Run) -> dict[str, Setting]:
    """The hyper-parameters by canonical name where they have one and else as they were found, without secrets."""
    found: dict[str, Setting] = {}
    for key, value in hide_in_mapping(run.config.raw).items():
        known = find_canonical_name(key)
        if value is not None and value != HIDDEN:
            found.setdefault(known if known is not None and known not in found else key, _make_plain(value))
    return found


def _make_plain(value: object) -> Setting:
    known = parse_value(value)
    return known if isinstance(known, bool | int | float) else shorten_value(known)


def _describe_course(run: Run) -> ReturnCourse | None:
    seen = run.performance
    if seen is None:
        return None
    return ReturnCourse(
        metric=seen.metric,
        start=seen.start,
        best=seen.best,
        best_step=seen.best_step,
        final=seen.final,
        lowest=seen.lowest,
        improved=bool(seen.improved),
        declined=bool(seen.declined),
        flat=bool(seen.flat),
    )


def _shorten_curve(series: Series) -> tuple[float, ...]:
    if not len(series):
        return ()
    return tuple(float(f"{mean:.5g}") for mean in block_means(series.values, min(len(series), CURVE)).tolist())
