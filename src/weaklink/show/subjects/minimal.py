"""The emergency procedure: the answer, what was tried, and what the model sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.show.document import (
    HTML,
    MARKDOWN,
    TERMINAL,
    Block,
    Boxes,
    Page,
    Prose,
    Section,
    Strip,
    Strips,
    Table,
    TableRow,
)
from weaklink.show.subjects.against import make_box
from weaklink.show.text import format_number
from weaklink.verbs.debug.minimal.evidence import Minimal, PartEffect, SeenEntry, SeenPart, SeenPicture, VersionResult

COMMAND = "debug --minimal"
BRIGHTNESS = " .:-=+*#%@"
ANSWERS = {True: ("it learns", "healthy"), False: ("not even that", "broken"), None: ("no answer", "unclear")}
"""The word for whether it learns, and the verdict that it is."""

VERSION_HEAD = ("version", "what became of it", "random", "trained", "steps", "made easier")
SEEN_HEAD = ("entry", "lowest", "mean", "highest", "spread", "odd")
EARNED = {"more": "+", "less": "-", "same": "="}
STATES = {
    "learnt": "clean", "sometimes": "consequence", "not learnt": "broken", "failed": "broken",
    "nothing to learn": "broken", "unclear": "unknown",
}  # fmt: skip


def build(result: Minimal, *, files: Sequence[str] = (), id: str = "minimal") -> Page:
    """The procedure as a page; `files` says what a person may open next."""
    word, verdict = ANSWERS[result.works]
    stopped = ("Stopped before the end: what was not tried is not in the answer.",) if result.stopped else ()
    remarks = Prose(title="Remarks", paragraphs=(*result.looked.notes, *stopped))
    written = Prose(title="", paragraphs=tuple(files), where=(TERMINAL,))
    said = tuple(block for block in (remarks, written) if block.paragraphs)
    facts = (
        ("target", result.target.word or result.target.name),
        ("smallest agent", _describe_agent(result)),
        ("took", f"{result.seconds:.0f} s"),
    )
    return Page(
        id=id,
        title=f"{result.target.name}: the emergency procedure",
        command=COMMAND,
        verdict=verdict,
        word=word,
        headline=result.headline,
        facts=facts,
        sections=(
            *show_procedure(result, answer=False),
            *((Section(id="remarks", title="Remarks", blocks=said, folded=True),) if said else ()),
        ),
        advice=result.next_steps,
    )


def record(result: Minimal, *, files: Sequence[str] = ()) -> dict[str, Any]:
    """The whole of it under the keys of the contract; `works` is null where there is no answer."""
    named = {"target": result.target.word or result.target.name, "verdict": ANSWERS[result.works][1]}
    return {**msgspec.to_builtins(result), **named}


def show_procedure(result: Minimal, *, answer: bool = True) -> list[Section]:
    """What was tried and what the model sees; the answer too, where the page does not begin with it."""
    tried: list[Block] = []
    if answer:
        tried.append(Prose(title="The answer", paragraphs=(result.headline, *result.next_steps)))
    tried += _show_versions(result)
    if result.effects:
        tried += _show_parts(result)
    seen = tuple(block for part in result.looked.seen for block in _show_seen(part))
    note = (
        "your own model's network, after all wrappers and preprocessing"
        if result.looked.through_own_model
        else "the smallest agent's network, before its normaliser"
    )
    sections = (
        Section(id="minimal", title="The smallest agent", blocks=tuple(tried)),
        Section(id="model-sees", title="What the model sees", blocks=seen, note=note),
    )
    return [section for section in sections if section.blocks]


def _describe_agent(result: Minimal) -> str:
    """What the smallest agent is."""
    settings = result.looked.settings
    if not result.looked.algorithm:
        return "nothing was trained"
    parts = [result.looked.algorithm]
    if settings.get("network"):
        parts.append(f"network {'x'.join(str(width) for width in settings['network'])}")
    names = {"learning_rate": "learning rate", "ent_coef": "entropy bonus"}
    parts += [f"{told} {settings[name]}" for name, told in names.items() if name in settings]
    return ", ".join((*parts, f"discount {result.looked.gamma:g}"))


def _show_versions(result: Minimal) -> Iterator[Block]:
    if not result.versions:
        return
    rows = tuple(TableRow(cells=_show_version(one), state=STATES.get(one.state, "")) for one in result.versions)
    yield Table(title="Versions of the task", columns=VERSION_HEAD, rows=rows, numeric=(2, 3, 4))
    boxes = tuple(
        make_box(f"{version.task.name}: {who}", values)
        for version in result.versions
        for who, values in _collect_returns(version)
    )
    if boxes:
        yield Boxes(title="What episodes earn, at random and after training", rows=boxes, where=(HTML,))
    strips = tuple(
        Strip(label=f"{version.task.name}, seed {one.seed}", values=tuple(value for _, value in one.curve))
        for version in result.versions
        for one in version.attempts
        if len(one.curve) > 1
    )
    if strips:
        yield Strips(title="Returns while training", rows=strips, where=(TERMINAL, HTML))


def _show_version(version: VersionResult) -> tuple[str, ...]:
    return (
        version.task.name,
        f"{version.state}, {version.why}" if version.why else version.state,
        _format_number(version.random),
        _format_number(version.trained),
        f"{version.steps:,}" if version.steps else "",
        "" if version.task.part else "; ".join(version.task.told) or "nothing",
    )


def _collect_returns(version: VersionResult) -> Iterator[tuple[str, list[float]]]:
    done = [attempt for attempt in version.attempts if not attempt.failure]
    for who in ("random", "trained"):
        values = [value for one in done for value in getattr(one, who).paid(version.task.part)]
        if values and np.isfinite(values).all():
            yield who, values


def _show_parts(result: Minimal) -> Iterator[Block]:
    """What agents that are paid for one part earn of each: random play, and a row for each part paid for."""
    effects = result.effects
    of = list(dict.fromkeys(effect.of for effect in effects))
    cells = {(effect.paid_for, effect.of): effect for effect in effects}
    random = {effect.of: effect.random for effect in effects}
    rows = [
        ("random play", *(_format_number(random[part]) for part in of)),
        *(
            (paid_for, *(_show_effect(cells.get((paid_for, part))) for part in of))
            for paid_for in dict.fromkeys(effect.paid_for for effect in effects)
        ),
    ]
    yield Table(
        title="Each part of the reward alone",
        columns=("paid for", *(part or "the whole reward" for part in of)),
        rows=tuple(TableRow(cells=row) for row in rows),
        note="+ more than random play, - less, = no difference beyond chance",
    )
    fights = tuple(
        f"{one} and {other} fight: each is earned at the expense of the other." for one, other in result.fights
    )
    if fights:
        yield Prose(title="Fights", paragraphs=fights)


def _show_effect(effect: PartEffect | None) -> str:
    return "" if effect is None else f"{EARNED[effect.tendency]} {_format_number(effect.trained)}"


def _show_seen(part: SeenPart) -> Iterator[Block]:
    """The entries of one part of the observation: as curves where little room is and they have any, and as a table."""
    shape = "x".join(map(str, part.shape)) or "1"
    cast = part.from_type if part.from_type == part.to_type else f"{part.from_type}, given as {part.to_type}"
    more = f", {part.left_out:,} more entries not shown" if part.left_out else ""
    title = f"{part.name or 'observation'}: {shape} of {cast}, over {part.rows} steps of random play{more}"
    strips = tuple(
        Strip(label=entry.label, values=entry.trace, note=_describe_entry(entry))
        for entry in part.entries
        if len(entry.trace) > 1
    )
    drawn = len(strips) == len(part.entries) and not part.pictures
    rows = tuple(map(_show_entry, part.entries))
    where = (MARKDOWN, HTML) if drawn else ()
    yield Table(title=title, columns=SEEN_HEAD, rows=rows, numeric=(1, 2, 3, 4), where=where)
    for picture in part.pictures:
        yield Prose(title=picture.label, code="\n".join(_draw_picture(picture)))
    if strips and not part.pictures:
        yield Strips(title=title if drawn else "Step by step", rows=strips, where=(TERMINAL, HTML))


def _show_entry(entry: SeenEntry) -> TableRow:
    numbers = (_format_number(value) for value in (entry.low, entry.mean, entry.high, entry.spread))
    return TableRow(cells=(entry.label, *numbers, ", ".join(entry.notes)), state="unknown" if entry.notes else "")


def _describe_entry(entry: SeenEntry) -> str:
    return ", ".join((*entry.notes, f"mean {format_number(entry.mean)}", f"spread {format_number(entry.spread)}"))


def _draw_picture(picture: SeenPicture) -> list[str]:
    """A picture in characters, from dark to bright."""
    most = len(BRIGHTNESS) - 1
    return ["".join(BRIGHTNESS[level * most // 255] for level in row) for row in picture.rows]


def _format_number(value: float) -> str:
    return "" if value != value else format_number(value)
