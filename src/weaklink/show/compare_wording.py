"""What every view of a comparison of evaluations says the same way."""

from __future__ import annotations

import math

from weaklink.base.evidence.contrast import Contrast
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.evidence.scores import ITEMS, Pair, Score, Scores
from weaklink.base.stats import Interval
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.show.text import number, several
from weaklink.verbs.compare import Compared

NOT_STATED = "not stated"
DIFFERS = "differs"
NOT_COMPARABLE = "not comparable: shown because you asked for it anyway"
LOOKS = ("task", "split", "looks", "repeats", "models", "chosen by it")
SEEN = ("item", "share", "place", "begins")
MOST_SEEN = 10
BLOCKS, ASCII = "▁▂▃▄▅▆▇█", "_.-=+*#@"


def reason(compared: Compared) -> str:
    """Why a comparison without a break is called healthy or unclear."""
    if compared.contrast is None:
        few = compared.diagnosis.findings
        return f"{few[0].message.rstrip('.')}, too few to move the score much" if few else _of_overlap(compared.overlap)
    told = [_better(pair, compared.scores) for pair in (compared.scores.pairs if compared.scores else ())]
    alike = sum(all(row.values) and not row.differs for row in compared.contrast.protocol)
    if compared.diagnosis.verdict is Verdict.HEALTHY:
        return f"may be compared, {several(alike, 'setting')} alike; {'; '.join(told)}"
    if not compared.contrast.whole:
        return "not all runs have a level at their end, and those without one are left out: nothing is concluded"
    return f"not all say how they were evaluated, so whether they may be compared is open; {'; '.join(told)}"


def _of_overlap(overlap: Overlap | None) -> str:
    if overlap is None or not overlap.judged:
        return "no item has text of its own that could be looked for"
    met = sum(one.share > 0 for one in overlap.seen)
    rest = f"; {several(met, 'item')} in small parts" if met else ""
    return f"none of {several(overlap.judged, 'item')} stands in {several(overlap.rows, 'training row')}{rest}"


def _better(pair: Pair, scores: Scores | None) -> str:
    if pair.better:
        other = pair.first if pair.better == pair.second else pair.second
        return f"{pair.better} is better than {other}"
    if pair.difference is not None and math.isinf(pair.difference.high):
        return f"one seed cannot tell {pair.second} from {pair.first}"
    unit = scores.unit if scores else "seed"
    return f"these {unit}s cannot tell {pair.second} from {pair.first}"


def facts(compared: Compared) -> list[str]:
    """What was compared."""
    contrast, overlap = compared.contrast, compared.overlap
    told = []
    if contrast is not None:
        told.append(" against ".join(party.name for party in contrast.parties))
        named = [task for task in contrast.tasks if task]
        told += [", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")] if named else []
        told += [contrast.measure] if contrast.measure else []
    if overlap is not None and overlap.rows:
        told.append(f"{several(overlap.items, 'item')} of {overlap.evaluation} in {overlap.training}")
        told.append(several(overlap.rows, "training row"))
    return told


def protocol(contrast: Contrast) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the rows of the table of settings, those that differ first and marked."""
    head = ("setting", *(party.name for party in contrast.parties), "")
    rows = [
        (row.name, *(value or NOT_STATED for value in row.values), DIFFERS if row.differs else "")
        for row in contrast.protocol
    ]
    return head, rows


def scores(found: Scores) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the rows of the table of scores."""
    gap = any(score.gap is not None for score in found.parties)
    many = max(len(score.tasks) for score in found.parties) > 1
    tasks = list(found.parties[0].tasks) if many else []
    head = ("", f"{found.statistic} ({_percent(found.confidence)} interval)", f"{found.unit}s", *tasks)
    rows = [_row(score, tasks) + ((figure(score.gap),) if gap else ()) for score in found.parties]
    return (*head, "below target") if gap else head, rows


def _row(score: Score, tasks: list[str]) -> tuple[str, ...]:
    held = interval(score.interval) if score.interval else f"{figure(score.value)} (no interval from one seed)"
    return (score.name, held, f"{score.count:,}", *(figure(score.tasks[task]) for task in tasks))


def pairs(found: Scores, *, conclude: bool = True) -> list[str]:
    """What is said of each party against the first; nothing is concluded from what may not be compared."""
    return [
        line
        for pair in found.pairs
        for line in (*_pair(pair, found), *((f"so {_better(pair, found)}",) if conclude else ()))
    ]


def _pair(pair: Pair, found: Scores) -> list[str]:
    told = []
    if pair.difference is not None:
        told.append(f"{pair.second} less {pair.first}: {interval(pair.difference)}")
    if pair.improvement is not None:
        each = "an item" if found.unit == ITEMS else "a seed"
        told.append(f"probability that {each} improves: {interval(pair.improvement)}")
    if pair.only_first is not None:
        told.append(
            f"right in {pair.second} alone {pair.only_second}, in {pair.first} alone {pair.only_first}: "
            f"chance {_chance(pair.chance)} (McNemar, exact)"
        )
    elif pair.chance is not None:
        told.append(f"chance of such a difference between like {found.unit}s: {_chance(pair.chance)} (relabelled)")
    if not pair.better and pair.needed is not None:
        told.append(f"to tell a difference of this size: about {several(pair.needed, found.unit)} a side (power 80 %)")
    return told


def looks(contrast: Contrast) -> list[tuple[str, ...]]:
    """The rows of the table of looks."""
    return [
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


def seen(overlap: Overlap) -> list[tuple[str, ...]]:
    """The rows of the table of items that were met, the most overlapping first."""
    return [(one.item, f"{one.share:.0%}", one.place, one.text) for one in overlap.seen[:MOST_SEEN]]


def profiles(found: Scores, *, unicode: bool = True) -> list[tuple[str, str]]:
    """For each party the share of its seeds above each level, from low to high, as one line of text."""
    signs = BLOCKS if unicode else ASCII
    return [
        (score.name, "".join(signs[round(share * (len(signs) - 1))] for share in score.profile))
        for score in found.parties
    ]


def profile_axis(found: Scores) -> str:
    """What the profile is drawn over."""
    scaled = " (scaled)" if found.scaled else ""
    return f"share of {found.unit}s that score above {figure(found.levels[0])} to {figure(found.levels[-1])}{scaled}"


def worth_drawing(found: Scores) -> bool:
    """Whether a profile says more than the score does: not of one seed, and not of right and wrong alone."""
    return found.levels[0] < found.levels[-1] and max(len(set(score.profile)) for score in found.parties) > 2


def interval(held: Interval) -> str:
    """`0.31 (0.25 to 0.37)`."""
    if math.isinf(held.low) or math.isinf(held.high):
        return f"{figure(held.estimate)} (no interval from one seed)"
    return f"{figure(held.estimate)} ({figure(held.low)} to {figure(held.high)})"


def figure(value: float | None) -> str:
    """A number in a table."""
    return "-" if value is None else number(float(f"{value:.4g}"))


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _chance(value: float | None) -> str:
    if value is None:
        return "-"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"
