"""What a training needs on the accelerator, phase by phase, and what to change where it does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from weaklink.show.document import Page, Prose, Section, Table, TableRow
from weaklink.verbs.memory import Estimate, MemoryPhase

COMMAND = "memory"
GIGABYTE = 1e9
SMALLEST_SHOWN = 0.005
"""Parts under this share of their phase are shown together."""

SCALES = (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1, "")
ANSWERS = {True: ("fits", "healthy"), False: ("does not fit", "broken"), None: ("needed", "")}
"""The word for whether it fits, and the verdict that it is coloured as."""


def build(estimate: Estimate, *, id: str = COMMAND) -> Page:
    """An estimate of memory."""
    word, verdict = ANSWERS[estimate.fits]
    rows = tuple(row for phase in estimate.phases for row in _show_phase(phase, peak=phase is estimate.peak))
    changes = tuple(
        TableRow(
            cells=(
                f"{place}.",
                f"saves {format_gigabytes(change.saves)}",
                f"leaves {format_gigabytes(change.leaves)}",
                f"{change.change}  {change.option}",
            )
        )
        for place, change in enumerate(estimate.changes, 1)
    )
    heading = "What each change would save" if estimate.device_memory is None else "What to change first"
    phases = Table(title="Phases", columns=("phase", "part", "memory", ""), rows=rows, numeric=(2,))
    first = Table(title=heading, columns=("", "saves", "leaves", "change"), rows=changes, listed=True)
    remarks = Prose(title="Remarks", paragraphs=tuple(_list_remarks(estimate)))
    sections = (
        Section(id="phases", title="Phases", blocks=(phases, Prose(title="", paragraphs=(_describe_sums(estimate),)))),
        Section(id="changes", title=heading, blocks=(first,) if changes else ()),
        Section(id="remarks", title="Remarks", blocks=(remarks,) if remarks.paragraphs else (), folded=True),
    )
    return Page(
        id=id,
        title=estimate.name,
        command=COMMAND,
        verdict=verdict,
        word=word,
        headline=_write_headline(estimate),
        facts=(
            ("model", estimate.name),
            ("parameters", _count_parameters(estimate)),
            ("plan", _describe_plan(estimate)),
        ),
        sections=tuple(section for section in sections if section.blocks),
    )


def record(estimate: Estimate) -> dict[str, Any]:
    """An estimate under the keys of the contract; sizes are bytes."""
    return {
        "target": estimate.name,
        "parameters": estimate.parameters,
        "trained_parameters": estimate.trained,
        "peak": {"phase": estimate.peak.name, "bytes": estimate.allocated},
        "reserved": estimate.reserved,
        "needed": estimate.needed,
        "device_memory": estimate.device_memory,
        "fits": estimate.fits,
        "phases": [
            {"phase": phase.name, "bytes": phase.bytes, "parts": {part.name: part.bytes for part in phase.parts}}
            for phase in estimate.phases
        ],
        "changes": msgspec.to_builtins(estimate.changes),
        "notes": list(estimate.notes),
        "plan": msgspec.to_builtins(estimate.plan),
    }


def format_gigabytes(size: float) -> str:
    """`12.3 GB`, in units of a billion bytes."""
    value = size / GIGABYTE
    return f"{value:,.1f} GB" if value >= 10 else f"{value:.2f} GB"


def _write_headline(estimate: Estimate) -> str:
    needed, peak = format_gigabytes(estimate.needed), f"peak: {estimate.peak.name}"
    if estimate.device_memory is None:
        return f"{needed} on each device, {peak}"
    room = format_gigabytes(estimate.device_memory)
    return f"{needed} of {room}, {peak}" if estimate.fits else f"{needed} needed, {room} there, {peak}"


def _count_parameters(estimate: Estimate) -> str:
    trained = "" if estimate.trained == estimate.parameters else f", {_format_count(estimate.trained)} of them trained"
    return f"{_format_count(estimate.parameters)} parameters{trained}"


def _describe_plan(estimate: Estimate) -> str:
    plan = estimate.plan
    said = [f"{plan.precision.value}, {plan.optimizer.value}, micro-batch {plan.micro_batch}"]
    if estimate.shape is not None:
        said.append(f"{plan.prompt} + {plan.completion} tokens, {plan.attention.value} attention")
    said += ["checkpointing"] * plan.checkpointing
    if plan.devices > 1:
        said.append(f"{plan.sharding.value} on {plan.devices} devices")
    return ", ".join(said)


def _show_phase(phase: MemoryPhase, *, peak: bool) -> Iterator[TableRow]:
    yield TableRow(
        cells=(phase.name, "", format_gigabytes(phase.bytes), "<- peak" if peak else ""), state="broken" if peak else ""
    )
    small = SMALLEST_SHOWN * phase.bytes
    parts = [(part.name, part.bytes) for part in phase.parts if part.bytes >= small]
    rest = sum(part.bytes for part in phase.parts if part.bytes < small)
    for name, size in (*parts, *((("everything else", rest),) if rest else ())):
        yield TableRow(cells=("", name, format_gigabytes(size), ""))


def _describe_sums(estimate: Estimate) -> str:
    return (
        f"Tensors {format_gigabytes(estimate.allocated)}, held by the allocator {format_gigabytes(estimate.reserved)}, "
        f"with the context of the device {format_gigabytes(estimate.needed)}."
    )


def _list_remarks(estimate: Estimate) -> Iterator[str]:
    if estimate.fits is False and (not estimate.changes or estimate.changes[-1].leaves > (estimate.device_memory or 0)):
        yield "No change that is known here makes it fit: take a smaller model, or more devices."
    if estimate.notes:
        yield f"Not given: {'; '.join(estimate.notes)}."


def _format_count(value: float) -> str:
    scale, letter = next((pair for pair in SCALES if value >= pair[0]), SCALES[-1])
    return f"{value / scale:.3g} {letter}".strip()
