"""Evaluations, runs or groups of seeds side by side: may they be compared, and if so, which is better and how sure?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.contrast import Contrast, EvaluationParty
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.evidence.scores import ITEMS, ContrastScores, PartyPair, PartyScore
from weaklink.base.stats import Interval
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.show.document import HTML, Block, Box, Boxes, Chart, Page, Prose, Section, Table, TableRow
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_number
from weaklink.show.thinning import PageAxes, ThinnedSeries
from weaklink.verbs.compare import Compared

COMMAND = "compare"
REFUSED = "The scores are not shown, because they may not be compared; `--anyway` shows them."
NOT_COMPARABLE = "not comparable: shown because you asked for it anyway"
NOTHING_STATED = "Nothing states how these were evaluated; weaklink.evaluation writes it down."
NOT_STATED, DIFFERS = "not stated", "differs"
LOOKS = ("task", "split", "looks", "repeats", "models", "chosen by it")
SEEN = ("item", "share", "place", "begins")
MOST_SEEN = 10


def build(compared: Compared, *, id: str = "comparison") -> Page:
    """Evaluations, runs or groups of seeds side by side."""
    diagnosis, axes, facts = compared.diagnosis, PageAxes(), _list_facts(compared)
    sections = [] if compared.contrast is None else [_show_protocol(compared.contrast), _show_scores(compared, axes)]
    if compared.overlap is not None and compared.overlap.seen:
        rows = [(one.item, f"{one.share:.0%}", one.place, one.text) for one in compared.overlap.seen[:MOST_SEEN]]
        items = _make_table("Items", SEEN, rows, names=(0, 2, 3))
        sections.append(Section(id="overlap", title="Items met in the training data", blocks=(items,)))
    page = build_judged(
        diagnosis,
        id=id,
        title=facts[0] if facts else diagnosis.target,
        command=COMMAND,
        reason=_explain_verdict(compared),
        facts=[("compared" if not place else "", fact) for place, fact in enumerate(facts)],
        sections=sections,
        axes=axes.found,
    )
    alike = compared.contrast is not None and diagnosis.verdict is Verdict.HEALTHY
    return msgspec.structs.replace(page, word="comparable") if alike else page


def record(compared: Compared) -> dict[str, Any]:
    """The diagnosis with every number that is shown, under the keys of the contract."""
    contrast, overlap = compared.contrast, compared.overlap
    body: dict[str, Any] = {"comparable": None, "parties": [], "protocol": [], "looks": []}
    if contrast is not None:
        body = {
            "comparable": compared.comparable,
            "measure": contrast.measure,
            "target_score": contrast.target,
            "tasks": list(contrast.tasks),
            "parties": [_record_party(party) for party in contrast.parties],
            "protocol": msgspec.to_builtins(contrast.protocol),
            "looks": msgspec.to_builtins(contrast.looks),
        }
    body["scores"] = None if compared.scores is None else msgspec.to_builtins(compared.scores)
    body["overlap"] = None if overlap is None or not overlap.rows else _record_overlap(overlap)
    return {**record_diagnosis(compared.diagnosis), **body}


def _record_party(party: EvaluationParty) -> dict[str, Any]:
    stated = ("task", "model", "date", "split", "seeds", "source")
    manifests = [entry.manifest for entry in party.entries]
    evaluations = [{name: getattr(each, name) for name in stated} for each in manifests]
    return {"name": party.name, "evaluations": evaluations}


def _record_overlap(overlap: Overlap) -> dict[str, Any]:
    named = ("training", "evaluation", "rows", "items", "judged", "words", "exact")
    return {name: getattr(overlap, name) for name in named} | {"seen": msgspec.to_builtins(overlap.seen)}


# -- what is said ----------------------------------------------------------------------------------------------------


def _explain_verdict(compared: Compared) -> str:
    """Why a comparison without a break is called healthy or unclear."""
    if compared.contrast is None:
        few = compared.diagnosis.findings
        return f"{few[0].message.rstrip('.')}, too few to move the score much" if few else _count_met(compared.overlap)
    told = "; ".join(_conclude(pair, compared.scores) for pair in (compared.scores.pairs if compared.scores else ()))
    alike = sum(all(row.values) and not row.differs for row in compared.contrast.protocol)
    if compared.diagnosis.verdict is Verdict.HEALTHY:
        return f"{count_noun(alike, 'setting')} alike; {told}"
    if not compared.contrast.whole:
        return "not all runs have a level at their end, and those without one are left out: nothing is concluded"
    return f"not all say how they were evaluated, so whether they may be compared is open; {told}"


def _count_met(overlap: Overlap | None) -> str:
    if overlap is None or not overlap.judged:
        return "no item has text of its own that could be looked for"
    met = sum(one.share > 0 for one in overlap.seen)
    rest = f"; {count_noun(met, 'item')} in small parts" if met else ""
    return f"none of {count_noun(overlap.judged, 'item')} stands in {count_noun(overlap.rows, 'training row')}{rest}"


def _conclude(pair: PartyPair, scores: ContrastScores | None) -> str:
    if pair.better:
        other = pair.first if pair.better == pair.second else pair.second
        return f"{pair.better} is better than {other}"
    if pair.difference is not None and math.isinf(pair.difference.high):
        return f"one seed cannot tell {pair.second} from {pair.first}"
    unit = scores.unit if scores else "seed"
    return f"these {unit}s cannot tell {pair.second} from {pair.first}"


def _list_facts(compared: Compared) -> list[str]:
    """What was compared."""
    contrast, overlap = compared.contrast, compared.overlap
    told = []
    if contrast is not None:
        named = [task for task in contrast.tasks if task]
        more = f" and {len(named) - 3} more" if len(named) > 3 else ""
        told = [
            " against ".join(party.name for party in contrast.parties),
            ", ".join(named[:3]) + more,
            contrast.measure,
        ]
    if overlap is not None and overlap.rows:
        told.append(f"{count_noun(overlap.items, 'item')} of {overlap.evaluation} in {overlap.training}")
        told.append(count_noun(overlap.rows, "training row"))
    return [fact for fact in told if fact]


# -- the protocol ----------------------------------------------------------------------------------------------------


def _show_protocol(contrast: Contrast) -> Section:
    """The settings, those that differ first and marked, and how often each split was looked at."""
    head = ("setting", *(party.name for party in contrast.parties), "")
    rows = [
        (row.name, *(value or NOT_STATED for value in row.values), DIFFERS if row.differs else "")
        for row in contrast.protocol
    ]
    stated: Block = Prose(title="Protocol", paragraphs=(NOTHING_STATED,))
    if rows:
        stated = _make_table("Protocol", head, rows, states=["broken" if row[-1] else "" for row in rows])
    looks = [
        (
            one.task or "-",
            one.split,
            str(one.looks),
            str(one.repeats),
            str(len(one.models)) if one.models else "-",
            ", ".join(dict.fromkeys(one.selections)) or "-",
        )
        for one in contrast.looks
    ]
    counted = (_make_table("Looks at each split", LOOKS, looks),) if looks else ()
    return Section(id="protocol", title="Protocol", blocks=(stated, *counted))


def _make_table(
    title: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    states: Sequence[str] = (),
    names: tuple[int, ...] = (0,),
) -> Table:
    marks = states or [""] * len(rows)
    shown = tuple(TableRow(cells=tuple(row), state=state) for row, state in zip(rows, marks, strict=True))
    return Table(title=title, columns=tuple(head), rows=shown, names=names)


# -- the scores ------------------------------------------------------------------------------------------------------


def _show_scores(compared: Compared, axes: PageAxes) -> Section:
    found = compared.scores
    if found is None:
        return Section(id="scores", title="Scores", blocks=(Prose(title="", paragraphs=(REFUSED,)),))
    pairs = tuple(_show_pairs(found, conclude=compared.comparable))
    blocks: list[Block] = [_draw_scores(found), _show_numbers(found)]
    if pairs:
        blocks.append(Prose(title="Against the first", paragraphs=pairs))
    # of one seed, or of right and wrong alone, a profile says no more than the score does
    if found.levels[0] < found.levels[-1] and max(len(set(score.profile)) for score in found.parties) > 2:
        blocks.append(_draw_profiles(found, axes))
    note = "" if compared.comparable else NOT_COMPARABLE
    return Section(id="scores", title="Scores", blocks=tuple(blocks), note=note)


def _show_numbers(found: ContrastScores) -> Table:
    gap = any(score.gap is not None for score in found.parties)
    many = max(len(score.tasks) for score in found.parties) > 1
    tasks = list(found.parties[0].tasks) if many else []
    held = f"{found.statistic} ({100 * found.confidence:.4g} % interval)"
    head = ("", held, f"{found.unit}s", *tasks, *(("below target",) if gap else ()))
    rows = [_make_row(score, tasks) + ((_format_number(score.gap),) if gap else ()) for score in found.parties]
    return _make_table("Scores", head, rows)


def _make_row(score: PartyScore, tasks: list[str]) -> tuple[str, ...]:
    held = (
        _format_interval(score.interval)
        if score.interval
        else f"{_format_number(score.value)} (no interval from one seed)"
    )
    return (score.name, held, f"{score.count:,}", *(_format_number(score.tasks[task]) for task in tasks))


def _show_pairs(found: ContrastScores, *, conclude: bool) -> list[str]:
    """What is said of each party against the first; nothing is concluded from what may not be compared."""
    return [
        line
        for pair in found.pairs
        for line in (*_show_pair(pair, found), *((f"so {_conclude(pair, found)}",) if conclude else ()))
    ]


def _show_pair(pair: PartyPair, found: ContrastScores) -> list[str]:
    told = []
    if pair.difference is not None:
        told.append(f"{pair.second} less {pair.first}: {_format_interval(pair.difference)}")
    if pair.improvement is not None:
        each = "an item" if found.unit == ITEMS else "a seed"
        told.append(f"probability that {each} improves: {_format_interval(pair.improvement)}")
    if pair.only_first is not None:
        told.append(
            f"right in {pair.second} alone {pair.only_second}, in {pair.first} alone {pair.only_first}: "
            f"chance {_format_chance(pair.chance)} (McNemar, exact)"
        )
    elif pair.chance is not None:
        told.append(
            f"chance of such a difference between like {found.unit}s: {_format_chance(pair.chance)} (relabelled)"
        )
    if not pair.better and pair.needed is not None:
        told.append(
            f"to tell a difference of this size: about {count_noun(pair.needed, found.unit)} a side (power 80 %)"
        )
    return told


def _draw_scores(found: ContrastScores) -> Boxes:
    """Each score with its interval; of a score alone nothing else is known, so the box is the interval."""
    rows = []
    for score in found.parties:
        held = score.interval
        known = held is not None and math.isfinite(held.low) and math.isfinite(held.high)
        low, high = (held.low, held.high) if held is not None and known else (score.value, score.value)
        ends = {"low": low, "quarter": low, "three_quarters": high, "high": high, "mean_low": low, "mean_high": high}
        note = count_noun(score.count, found.unit) + ("" if known else ", no interval")
        rows.append(Box(label=score.name, middle=score.value, mean=score.value, note=note, **ends))
    note = f"the {found.statistic} with its interval ({100 * found.confidence:.4g} %)"
    return Boxes(title="Scores with their intervals", rows=tuple(rows), note=note, where=(HTML,))


def _draw_profiles(found: ContrastScores, axes: PageAxes) -> Chart:
    """For each party the share of its seeds above each level."""
    levels = np.asarray(found.levels, dtype=float)
    lines = tuple(
        axes.line(score.name, ThinnedSeries(levels, np.asarray(score.profile, dtype=float)), "score")
        for score in found.parties
        if len(score.profile) == len(levels)
    )
    scaled = " (scaled)" if found.scaled else ""
    reach = f"{_format_number(found.levels[0])} to {_format_number(found.levels[-1])}"
    note = f"share of {found.unit}s that score above {reach}{scaled}"
    return Chart(id="profiles", title="Performance profiles", lines=lines, note=note, unit="share")


def _format_interval(held: Interval) -> str:
    """`0.31 (0.25 to 0.37)`."""
    if math.isinf(held.low) or math.isinf(held.high):
        return f"{_format_number(held.estimate)} (no interval from one seed)"
    return f"{_format_number(held.estimate)} ({_format_number(held.low)} to {_format_number(held.high)})"


def _format_number(value: float | None) -> str:
    return "-" if value is None else format_number(float(f"{value:.4g}"))


def _format_chance(value: float | None) -> str:
    if value is None:
        return "-"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"
