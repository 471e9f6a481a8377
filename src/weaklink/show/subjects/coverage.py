"""What could be judged and what not, what to log, what the log holds besides, and with what the run was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.about import find_link, find_name
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import HTML, TEXT, WHOLE, Block, Checklist, Prose, Section, ShownItem, Table, TableRow
from weaklink.show.text import count_noun, format_number, shorten

if TYPE_CHECKING:
    from weaklink.judge.diagnosis.checklists import ChecklistItem

MOST_KEYS = 300
LONGEST_VALUE = 240
DEEPEST = 4


def show_coverage(
    diagnosis: Diagnosis, run: Run | None = None, *, remarks: Iterable[str] = (), to_log: str = "log", wishes: int = 3
) -> Section:
    """Which rules judged, which could not and what they lack; what to log; keys that no rule reads; remarks.

    Args:
        diagnosis: what was judged.
        run: the log that it was judged by.
        remarks: what else is said of the subject.
        to_log: what to do with the metrics that would let more rules judge.
        wishes: how many of these are shown where there is little room.
    """
    rules, wished = (
        tuple(_list_rules(diagnosis)),
        tuple(
            TableRow(cells=(wording.pick_wished_metric(one), wording.describe_wish(one))) for one in diagnosis.wishes
        ),
    )
    unknown = wording.describe_unknown_keys(diagnosis)
    said = (*remarks, *wording.list_unable(diagnosis), *diagnosis.notes)
    noted = tuple(line.strip() for line in said if line.strip())
    blocks: list[Block | None] = [
        Table(title="Rules", columns=("rule", "name", "link", "what became of it"), rows=rules, where=(HTML,))
        if rules
        else None,
        Table(
            title=f"To let more rules judge, {to_log}",
            columns=("metric", "what it brings"),
            rows=wished,
            names=(0,),
            short=wishes,
            listed=True,
        )
        if wished
        else None,
        *_list_keys(diagnosis, run),
        Prose(title="", paragraphs=(unknown,), where=TEXT) if unknown else None,
        Prose(title="Remarks", paragraphs=noted) if noted else None,
    ]
    return Section(
        id="coverage",
        title="What could be judged",
        note=wording.describe_coverage(diagnosis),
        blocks=tuple(block for block in blocks if block is not None),
        folded=True,
        view="" if diagnosis.first_break is None else WHOLE,
    )


def _list_rules(diagnosis: Diagnosis) -> Iterable[TableRow]:
    fired = {finding.code: finding for finding in reversed(diagnosis.findings)}
    codes = {*fired, *diagnosis.clean, *diagnosis.blind, *diagnosis.unable}
    for code in sorted(codes, key=lambda each: (_rank_code(each), each)):
        link = fired[code].link if code in fired else find_link(code)
        if code in fired:
            role = "consequence" if fired[code].consequence_of else "broken"
            state, told = (
                role if fired[code].severity > 1 else "",
                f"{fired[code].severity.word}: {fired[code].message}",
            )
        elif code in diagnosis.clean:
            state, told = "clean", "clean"
        elif code in diagnosis.blind:
            state, told = "unknown", f"could not tell without {', '.join(diagnosis.blind[code])}"
        else:
            state, told = "unknown", f"failed itself: {diagnosis.unable[code]}"
        yield TableRow(cells=(code, find_name(code), link.value if link else "", told), state=state, code=code)


def _rank_code(code: str) -> int:
    link = find_link(code)
    return len(Link) if link is None else link.order


def _list_keys(diagnosis: Diagnosis, run: Run | None) -> Iterable[Table]:
    """The keys of the log that are no metric of the vocabulary, with what they hold."""
    keys = list(run.unknown) if run is not None else list(diagnosis.unknown_keys)
    if not keys:
        return
    rows = tuple(_make_key_row(key, run) for key in keys[:MOST_KEYS])
    more = f"; {len(keys) - MOST_KEYS:,} more are not listed" if len(keys) > MOST_KEYS else ""
    yield Table(
        title="Keys that no rule reads",
        columns=("key", "points", "first", "last", "why"),
        rows=rows,
        note=f"{count_noun(len(keys), 'key')} of the log{more}.",
        numeric=(1, 2, 3),
        where=(HTML,),
    )


def _make_key_row(key: str, run: Run | None) -> TableRow:
    if run is None:
        return TableRow(cells=(key, "", "", "", "not known"))
    series: Series = run.unknown[key]
    why = f"means the same as {run.unused[key]}" if key in run.unused else "not known"
    ends = (format_number(series.values[0]), format_number(series.values[-1])) if len(series) else ("", "")
    return TableRow(cells=(key, f"{series.count:,}", *ends, why))


def show_context(config: Config, recorded: Mapping[str, Any] | None = None) -> list[Section]:
    """With what a run was made: its hyper-parameters, and what a recording was begun with."""
    blocks = []
    canonical = {str(name): value for name, value in config.values.items()}
    rows = [_make_fact_row(name, value) for name, value in canonical.items()]
    rows += [_make_fact_row(key, value) for key, value in config.raw.items() if key not in canonical]
    if rows:
        shown = tuple(rows[:MOST_KEYS])
        blocks.append(Table(title="Hyper-parameters", columns=("name", "value"), rows=shown, settings=True))
    around = [_make_fact_row(name, value) for name, value in _flatten(recorded or {}) if name != "notes"]
    if around:
        shown = tuple(around[:MOST_KEYS])
        blocks.append(Table(title="Recorded with the run", columns=("what", "value"), rows=shown, settings=True))
    made = Section(id="context", title="How the run was made", blocks=tuple(blocks), folded=True, where=(HTML,))
    return [made] if blocks else []


def _flatten(values: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterable[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and depth < DEEPEST:
            yield from _flatten(value, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", value


def _make_fact_row(name: str, value: Any) -> TableRow:
    """A name and its value; what others may see of it is settled where a page is written (show/hiding.py)."""
    return TableRow(cells=(name, _format_value(value)))


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return format_number(value) if abs(value) >= 1e-4 or value == 0 else f"{value:g}"
    if isinstance(value, list | tuple):
        return shorten(", ".join(map(_format_value, value)), LONGEST_VALUE)
    return shorten(str(value), LONGEST_VALUE)


def show_checklist(
    title: str, items: Sequence[ChecklistItem], *, section: str = "checklist", folded: bool = False
) -> list[Section]:
    """A checklist with how many of its questions are answered well; nothing where it asks none."""
    done = sum(item.state == "done" for item in items)
    shown = tuple(
        ShownItem(name=one.name, question=one.question, state=one.state, told=one.told, command=one.command)
        for one in items
    )
    block = Checklist(title=title, items=shown, note=f"{done} of {count_noun(len(items), 'question')} done")
    return [Section(id=section, title=title, blocks=(block,), folded=folded, view=WHOLE)] if items else []
