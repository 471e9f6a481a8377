"""The emergency procedure on the page: a section of a case, or a page of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.show import minimal_wording as words
from weaklink.show.page.blocks import Block, Box, Boxes, Page, Prose, Row, Section, Strip, Strips, Table
from weaklink.show.text import number
from weaklink.verbs.debug.minimal.evidence import Minimal, SeenPart, Version

COLOURS = {
    "learnt": "clean", "sometimes": "consequence", "not learnt": "broken", "failed": "broken",
    "nothing to learn": "broken", "unclear": "unknown",
}  # fmt: skip


def minimal_page(result: Minimal, *, id: str = "minimal") -> Page:
    """The procedure as a page of its own."""
    facts = (
        ("target", result.target.word or result.target.name),
        ("smallest agent", words.agent(result)),
        ("took", f"{result.seconds:.0f} s"),
    )
    return Page(
        id=id,
        title=f"{result.target.name}: the emergency procedure",
        command="debug --minimal",
        verdict=words.VERDICTS[result.works],
        headline=result.headline,
        facts=facts,
        sections=tuple(minimal_sections(result, answer=False)),
        advice=result.next_steps,
    )


def minimal_sections(result: Minimal, *, answer: bool = True) -> list[Section]:
    """What was tried and what the model sees; the answer too, where the page does not begin with it."""
    tried: list[Block] = []
    if answer:
        tried.append(Prose(title="The answer", paragraphs=(result.headline, *result.next_steps)))
    tried += _versions(result)
    if result.effects:
        head, rows = words.matrix(result.effects)
        note = "+ more than random play, - less, = not to be told apart"
        tried.append(
            Table(
                title="Each part of the reward alone",
                columns=head,
                rows=tuple(Row(cells=row) for row in rows),
                note=note,
            )
        )
    sections = [Section(id="minimal", title="The smallest agent", blocks=tuple(tried), note=words.agent(result))]
    seen = [block for part in result.looked.seen for block in _seen(part)]
    if seen:
        sections.append(
            Section(id="model-sees", title="What the model sees", blocks=tuple(seen), note=words.seen_by(result))
        )
    return sections


def _versions(result: Minimal) -> Iterator[Block]:
    if not result.versions:
        return
    rows = tuple(Row(cells=words.version_row(one), state=COLOURS.get(one.state, "")) for one in result.versions)
    yield Table(title="Versions of the task", columns=words.VERSION_HEAD, rows=rows, numeric=(2, 3, 4))
    boxes = tuple(box for version in result.versions for box in _boxes(version))
    if boxes:
        yield Boxes(title="What episodes earn, at random and after training", rows=boxes)
    strips = tuple(
        Strip(label=f"{version.task.name}, seed {one.seed}", values=tuple(value for _, value in one.curve))
        for version in result.versions
        for one in version.attempts
        if len(one.curve) > 1
    )
    if strips:
        yield Strips(title="Returns while training", rows=strips)


def _boxes(version: Version) -> Iterator[Box]:
    done = [attempt for attempt in version.attempts if not attempt.failure]
    for who in ("random", "trained"):
        values = [value for one in done for value in getattr(one, who).paid(version.task.part)]
        if values and np.isfinite(values).all():
            yield _box(f"{version.task.name}: {who}", np.asarray(values, dtype=float))


def _box(label: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Box:
    low, quarter, middle, three_quarters, high = (float(each) for each in np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))
    mean = float(values.mean())
    error = 1.96 * float(values.std()) / max(len(values), 1) ** 0.5
    return Box(
        label=label,
        low=low,
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        high=high,
        mean=mean,
        mean_low=mean - error,
        mean_high=mean + error,
    )


def _seen(part: SeenPart) -> Iterator[Block]:
    rows = tuple(Row(cells=cells, state="unknown" if cells[-1] else "") for cells in words.seen_rows(part))
    yield Table(title=words.seen_title(part), columns=words.SEEN_HEAD, rows=rows, numeric=(1, 2, 3, 4))
    if part.pictures:
        for picture in part.pictures:
            yield Prose(title=picture.label, code="\n".join(words.drawn(picture)))
        return
    strips = tuple(
        Strip(label=entry.label, values=entry.trace, note=", ".join(entry.notes) or f"mean {number(entry.mean)}")
        for entry in part.entries
        if len(entry.trace) > 1
    )
    if strips:
        yield Strips(title=f"{part.name or 'observation'}, step by step", rows=strips)
