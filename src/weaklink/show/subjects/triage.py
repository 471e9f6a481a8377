"""A fleet on a page: its runs grouped by diagnosis, worst first, and a map of its settings against its breaks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from weaklink.base.evidence.sweep import Sweep, Value
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.show import wording
from weaklink.show.document import HTML, Block, Section, Table, TableRow
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.show.triage import Triage, TriageGroup, TriageRow
from weaklink.verbs.diagnose import Diagnosed, find_common_folder
from weaklink.verbs.fleet.settings import make_swept
from weaklink.verbs.fleet.summary import RunSummary

FEWEST = 7
"""Runs from which on they are listed this way: fewer have a tab each at the top of the page."""
MOST_SETTINGS = 24
"""Settings that the list can be filtered by, those first that patterns name."""
MOST_LINKS, MOST_PARTS = 8, 6
"""Columns of the map, and rows of one setting."""
STATES = {Verdict.BROKEN: "broken", Verdict.UNCLEAR: "unknown", Verdict.HEALTHY: "clean"}
ORDER = {Verdict.BROKEN: 0, Verdict.UNCLEAR: 2, Verdict.HEALTHY: 3}

Key = tuple[str, ...]


def rank_runs(summaries: Sequence[RunSummary]) -> list[list[RunSummary]]:
    """Groups of runs with the same diagnosis: breaks by their level and number first, healthy ones last."""
    groups: dict[Key, list[RunSummary]] = {}
    for one in summaries:
        groups.setdefault(_make_key(one.diagnosis), []).append(one)
    for runs in groups.values():
        runs.sort(key=lambda one: one.peer.final if one.peer.final is not None else float("-inf"))
    return sorted(groups.values(), key=_rank_group)


def choose_drawn(summaries: Sequence[RunSummary], most: int) -> list[RunSummary]:
    """The runs whose curves are drawn: one of each group, the worst groups first, then a second of each."""
    groups = rank_runs(summaries)
    longest = max(map(len, groups), default=0)
    return [runs[place] for place in range(longest) for runs in groups if place < len(runs)][:most]


def show_triage(diagnosed: Diagnosed, pages: dict[int, str]) -> list[Section]:
    """The list of all runs and the map of their settings; `pages` by the identity of their summaries."""
    sweep = Sweep.of(map(make_swept, diagnosed.summaries))
    folder = find_common_folder(diagnosed.results)
    names = _choose_settings(diagnosed, sweep)
    groups = [
        _show_group(runs, [_make_row(one, names, folder, pages.get(id(one), "")) for one in runs])
        for runs in rank_runs(diagnosed.summaries)
    ]
    unread = [
        TriageRow(title=_shorten(one.target, folder), final=one.message, values=("",) * len(names))
        for one in diagnosed.failures
    ]
    if unread:
        broken = sum(group.state == "broken" for group in groups)
        groups.insert(broken, TriageGroup(title="Could not be read", state="unknown", rows=tuple(unread)))
    note = f"in {folder}" if folder else ""
    block = Triage(title="", groups=tuple(groups), settings=tuple(names), note=note)
    shown = Section(id="triage", title="The runs, worst first", blocks=(block,), where=(HTML,))
    return [shown, *_show_map(diagnosed, sweep)]


def _make_key(diagnosis: Diagnosis) -> Key:
    """What runs have in common: the verdict, the first break, and all else that is more than information."""
    broke = diagnosis.first_break
    alarms = sorted({one.code for one in diagnosis.findings if one.severity >= Level.WARN})
    return (diagnosis.verdict.value, "" if broke is None else broke.code, *alarms)


def _rank_group(runs: Sequence[RunSummary]) -> tuple[int, int, int, Key]:
    diagnosis = runs[0].diagnosis
    return ORDER[diagnosis.verdict], -int(diagnosis.worst or 0), -len(runs), _make_key(diagnosis)


def _show_group(runs: Sequence[RunSummary], rows: Iterable[TriageRow]) -> TriageGroup:
    diagnosis = runs[0].diagnosis
    first = wording.find_first_finding(diagnosis)
    codes = dict.fromkeys(one.code for one in diagnosis.findings if one.severity >= Level.WARN)
    if diagnosis.first_break is None or first is None:
        title = diagnosis.verdict.value.capitalize()
    else:
        title = f"{diagnosis.first_break.link.value.capitalize()} broke first: {wording.format_title(first)}"
    return TriageGroup(title=title, state=STATES[diagnosis.verdict], codes=tuple(codes), rows=tuple(rows))


def _make_row(one: RunSummary, names: Sequence[str], folder: str, page: str) -> TriageRow:
    diagnosis, broke = one.diagnosis, one.diagnosis.first_break
    first = wording.find_first_finding(diagnosis)
    placed = broke is not None and broke.step is not None
    placed = placed and not (first is not None and wording.has_no_onset(first, diagnosis))
    return TriageRow(
        title=_shorten(diagnosis.target, folder),
        page=page,
        curve=one.curve,
        final="" if one.peer.final is None else format_number(one.peer.final),
        since=f"from step {format_step(broke.step)}" if placed and broke is not None and broke.step is not None else "",
        values=tuple(_format_value(one, name) for name in names),
    )


def _format_value(one: RunSummary, name: str) -> str:
    value = one.peer.seed if name == "seed" else one.settings.get(name)
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _shorten(target: str, folder: str) -> str:
    return os.path.relpath(target, folder) if folder else target


def _choose_settings(diagnosed: Diagnosed, sweep: Sweep) -> list[str]:
    """Those that patterns name, then the others that differ, then the seed."""
    found = diagnosed.patterns.found if diagnosed.patterns is not None else ()
    named = dict.fromkeys(condition.setting for pattern in found for condition in pattern.conditions)
    chosen = [*named, *(name for name in sweep.names if name not in named)][: MOST_SETTINGS - 1]
    return [*chosen, *(["seed"] if any(one.peer.seed for one in diagnosed.summaries) else [])]


def _show_map(diagnosed: Diagnosed, sweep: Sweep) -> list[Section]:
    """How many of the runs with each value broke first at each link."""
    counted = Counter(run.link for runs in sweep.members for run in runs if run.link)
    links = [link for link, _ in counted.most_common(MOST_LINKS)]
    names = [name for name in _choose_settings(diagnosed, sweep) if name in sweep.names]
    if not links or not names:
        return []
    rows = [row for name in names for row in _map_setting(name, sweep, links)]
    table: Block = Table(
        title="",
        columns=("setting", "value", "runs", *links),
        rows=tuple(rows),
        numeric=tuple(range(2, 3 + len(links))),
        settings=True,
        note=f"How many of the runs broke first at each link; {count_noun(sum(counted.values()), 'run')} broke.",
    )
    return [Section(id="map", title="Settings against breaks", blocks=(table,), where=(HTML,))]


def _map_setting(name: str, sweep: Sweep, links: Sequence[str]) -> Iterator[TableRow]:
    place = sweep.names.index(name)
    values = [row[place] for row in sweep.values]
    for label, chosen in _split_values(values):
        runs = [run for number in chosen for run in sweep.members[number]]
        hits = [sum(run.link == link for run in runs) for link in links]
        yield TableRow(
            cells=(name, label, f"{len(runs):,}", *(f"{hit:,}" if hit else "" for hit in hits)),
            shares=tuple(hit / len(runs) for hit in hits),
        )


def _split_values(values: Sequence[Value | None]) -> Iterator[tuple[str, list[int]]]:
    """Each value with the configurations that have it; numbers that are many in about equal parts."""
    numbers = np.array([one if isinstance(one, float) else np.nan for one in values])
    distinct = np.unique(numbers[np.isfinite(numbers)])
    if len(distinct) > MOST_PARTS:
        limits = np.unique(
            np.quantile(numbers[np.isfinite(numbers)], np.linspace(0, 1, MOST_PARTS)[1:], method="lower")
        )
        low = -np.inf
        for limit in limits:
            yield f"at most {limit:.4g}", np.flatnonzero((numbers > low) & (numbers <= limit)).tolist()
            low = limit
    else:
        for number in distinct:
            yield f"{number:g}", np.flatnonzero(numbers == number).tolist()
    words = Counter(one for one in values if not isinstance(one, float))
    for word, _ in words.most_common(MOST_PARTS):
        chosen = [at for at, one in enumerate(values) if one is word or (type(one) is type(word) and one == word)]
        yield "not set" if word is None else str(word), chosen
