"""An estimate of memory for a person, as Markdown and as data."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weaklink.show.data import encoded, envelope
from weaklink.show.layout import Page, Span
from weaklink.show.markdown import listed, table_row
from weaklink.show.text import code, prose
from weaklink.verbs.memory import Estimate, Phase

GIGABYTE = 1e9
SMALLEST_SHOWN = 0.005
"""Parts under this share of their phase are shown together."""

SCALES = (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1, "")


def page(estimate: Estimate, on: Page) -> Page:
    """For a terminal."""
    on.text(*_verdict(estimate))
    on.text((_told(estimate), "dim"))
    for phase in estimate.phases:
        on.gap()
        mark = "  <- peak" if phase is estimate.peak else ""
        on.line((f"{phase.name:<26}{gigabytes(phase.bytes):>10}", "strong"), (mark, "mark"))
        for name, size in _parts(phase):
            on.line((f"  {name:<24}{gigabytes(size):>10}", ""))
    on.gap()
    on.text((_sums(estimate), ""))
    if estimate.changes:
        on.gap()
        on.text((_heading(estimate), "strong"))
    for place, change in enumerate(estimate.changes, 1):
        saved = f"{place:>2}. saves {gigabytes(change.saves):>9}, leaves {gigabytes(change.leaves):>9}  "
        on.text((saved, ""), (change.change, ""), (f"  {change.option}", "dim"), hang=4)
    for remark in _remarks(estimate):
        on.text((remark, "dim"))
    return on


def markdown(estimate: Estimate) -> str:
    """For a page or the summary of a CI job."""
    lines = [f"## {prose(''.join(text for text, _ in _verdict(estimate)))}", "", prose(_told(estimate)), ""]
    lines += [table_row(("phase", "part", "GB")), table_row(("---", "---", "---:"))]
    for phase in estimate.phases:
        lines.append(table_row((f"**{phase.name}**", "", f"**{phase.bytes / GIGABYTE:.2f}**")))
        lines += [table_row(("", name, f"{size / GIGABYTE:.2f}")) for name, size in _parts(phase)]
    lines += ["", prose(_sums(estimate))]
    told = (
        f"{prose(change.change)} ({code(change.option)}): saves {gigabytes(change.saves)}, leaves "
        f"{gigabytes(change.leaves)}"
        for change in estimate.changes
    )
    lines += listed(_heading(estimate), told, numbered=True)
    lines += ["", *map(prose, _remarks(estimate))]
    return "\n".join(lines).rstrip() + "\n"


def line(estimate: Estimate) -> str:
    """As one line of JSON; sizes are bytes."""
    body = {
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
    return encoded({**envelope("memory"), **body})


def gigabytes(size: float) -> str:
    """`12.3 GB`, in units of a billion bytes."""
    value = size / GIGABYTE
    return f"{value:,.1f} GB" if value >= 10 else f"{value:.2f} GB"


def _verdict(estimate: Estimate) -> tuple[Span, ...]:
    needed = gigabytes(estimate.needed)
    if estimate.device_memory is None:
        return (f"{needed} on each device", "strong"), (f"  (peak: {estimate.peak.name})", "")
    room = gigabytes(estimate.device_memory)
    if estimate.fits:
        return ("FITS", "healthy"), (f"  {needed} of {room}, peak: {estimate.peak.name}", "")
    return ("DOES NOT FIT", "broken"), (f"  {needed} needed, {room} there, peak: {estimate.peak.name}", "")


def _told(estimate: Estimate) -> str:
    trained = "" if estimate.trained == estimate.parameters else f", {_counted(estimate.trained)} of them trained"
    return f"{estimate.name}: {_counted(estimate.parameters)} parameters{trained}; {_plan(estimate)}"


def _plan(estimate: Estimate) -> str:
    plan = estimate.plan
    said = [f"{plan.precision.value}, {plan.optimizer.value}, micro-batch {plan.micro_batch}"]
    if estimate.shape is not None:
        said.append(f"{plan.prompt} + {plan.completion} tokens, {plan.attention.value} attention")
    said += ["checkpointing"] * plan.checkpointing
    if plan.devices > 1:
        said.append(f"{plan.sharding.value} on {plan.devices} devices")
    return ", ".join(said)


def _parts(phase: Phase) -> Iterable[tuple[str, float]]:
    small = SMALLEST_SHOWN * phase.bytes
    yield from ((part.name, part.bytes) for part in phase.parts if part.bytes >= small)
    rest = sum(part.bytes for part in phase.parts if part.bytes < small)
    if rest:
        yield "everything else", rest


def _sums(estimate: Estimate) -> str:
    return (
        f"Tensors {gigabytes(estimate.allocated)}, held by the allocator {gigabytes(estimate.reserved)}, "
        f"with the context of the device {gigabytes(estimate.needed)}."
    )


def _heading(estimate: Estimate) -> str:
    return "What each change would save" if estimate.device_memory is None else "What to change first"


def _remarks(estimate: Estimate) -> Iterable[str]:
    if estimate.fits is False and (not estimate.changes or estimate.changes[-1].leaves > (estimate.device_memory or 0)):
        yield "No change that is known here makes it fit: take a smaller model, or more devices."
    if estimate.notes:
        yield f"Not given: {'; '.join(estimate.notes)}."


def _counted(value: float) -> str:
    scale, letter = next((pair for pair in SCALES if value >= pair[0]), SCALES[-1])
    return f"{value / scale:.3g} {letter}".strip()
