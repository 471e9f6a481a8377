"""A trainer beside a reference on the same environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.comparison import Comparison, Contestant, ContestantTraining
from weaklink.base.evidence.standing import ContestantSide, SeedLevel, Standing, compute_curve, compute_standing
from weaklink.base.stats import bootstrap_interval, quantile
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.show.document import HTML, Block, Box, Boxes, Chart, ChartLine, Page, Prose, Section, Table, TableRow
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.show.thinning import PageAxes, ThinnedSeries
from weaklink.verbs.against import Against

COMMAND = "probe"
AXIS = "environment steps"
NOT_SHOWN = "-"


def build(against: Against, *, id: str = "against") -> Page:
    """Both sides: their curves, their levels, and what each was given."""
    comparison, diagnosis = against.comparison, against.diagnosis
    found, axes = compute_standing(comparison), PageAxes()
    names = (comparison.trainer.name, comparison.reference.name)
    rows = tuple(TableRow(cells=row) for row in _compare_numbers(comparison, found))
    blocks: list[Block] = [
        *_draw_curves(comparison, axes),
        *_draw_finals(zip(names, (found.trainer, found.reference), strict=True), comparison.random),
        Table(title="Both in numbers", columns=("", *names), rows=rows, numeric=(1, 2)),
    ]
    between = tuple(_compare_both(comparison, found))
    if between:
        blocks.append(Prose(title="Between them", paragraphs=between))
    settings = Prose(title="Settings", paragraphs=tuple(_describe_settings(comparison)))
    return build_judged(
        diagnosis,
        id=id,
        title=f"{names[0]} against {names[1]}",
        command=COMMAND,
        reason=_explain_verdict(diagnosis, comparison, found),
        facts=_list_facts(comparison),
        sections=[
            Section(id="sides", title="Side by side", blocks=tuple(blocks)),
            Section(id="settings", title="What each was given", blocks=(settings,), folded=True),
        ],
        axes=axes.found,
    )


def record(against: Against) -> dict[str, Any]:
    """The diagnosis with every curve and number that is drawn, under the keys of the contract."""
    comparison, found = against.comparison, compute_standing(against.comparison)
    between = {name: msgspec.to_builtins(value) for name, value in msgspec.structs.asdict(found).items()}
    return {
        **record_diagnosis(against.diagnosis),
        "seconds": comparison.seconds,
        "environment": comparison.environment,
        "budget": comparison.steps,
        "random": list(comparison.random),
        "trainer": _record_side(comparison.trainer, found.trainer, comparison.steps),
        "reference": _record_side(comparison.reference, found.reference, comparison.steps),
        "comparison": {
            name: value for name, value in between.items() if name not in ("trainer", "reference", "random")
        },
    }


def _record_side(contestant: Contestant, side: ContestantSide, steps: int) -> dict[str, Any]:
    return {
        "name": contestant.name,
        "settings": dict(contestant.settings),
        **msgspec.to_builtins(side),
        "curve": msgspec.to_builtins(compute_curve(contestant, steps)),
        "trainings": [_record_training(each) for each in contestant.trainings],
    }


def _record_training(training: ContestantTraining) -> dict[str, Any]:
    """One training without what it printed."""
    body: dict[str, Any] = msgspec.to_builtins(training)
    return {name: value for name, value in body.items() if name != "printed"}


def _explain_verdict(diagnosis: Diagnosis, comparison: Comparison, found: Standing) -> str:
    """Why a comparison without a break is called healthy or unclear."""
    if diagnosis.blind:
        return f"could not be told without {'; '.join(next(iter(diagnosis.blind.values())))}"
    gain = "" if found.gain is None else f", with {found.gain:.0%} of its gain over random play"
    if diagnosis.verdict is Verdict.HEALTHY:
        return f"it keeps up with {comparison.reference.name}{gain}"
    return f"so few seeds show no difference from {comparison.reference.name}{gain}"


def _list_facts(comparison: Comparison) -> list[tuple[str, str]]:
    seeds = max(len(side.trainings) for side in _list_sides(comparison))
    return [
        ("compared", f"{comparison.trainer.name} against {comparison.reference.name}"),
        ("environment", comparison.environment),
        ("steps", f"{comparison.steps:,} steps"),
        ("seeds", count_noun(seeds, "seed")),
        ("time", f"compared in {comparison.seconds:.0f} s"),
    ]


def _compare_numbers(comparison: Comparison, found: Standing) -> list[tuple[str, ...]]:
    """The table of both: finals first, then what they took, then the components that they show."""
    ours, theirs = found.trainer, found.reference
    every: list[tuple[str, ...]] = [
        ("final return", _format_interval(ours.final), _format_interval(theirs.final)),
        ("return late in training", _format_interval(ours.late), _format_interval(theirs.late)),
        ("seeds that trained to the end", *map(_count_whole, _list_sides(comparison))),
        ("steps taken", *map(_count_taken, _list_sides(comparison))),
        ("steps to half of the gain", _describe_half_way(ours), _describe_half_way(theirs)),
        ("seconds of training", *map(_average_seconds, _list_sides(comparison))),
        ("discount", _format_number(ours.gamma), _format_number(theirs.gamma)),
        ("value over what follows", _format_number(ours.promise), _format_number(theirs.promise)),
        ("entropy of the policy", _format_number(ours.entropy), _format_number(theirs.entropy)),
    ]
    return [row for row in every if row[1:] != (NOT_SHOWN, NOT_SHOWN)]


def _compare_both(comparison: Comparison, found: Standing) -> list[str]:
    """What is said of both together."""
    own = "" if found.own_agreement is None else f" (the reference's seeds among themselves {found.own_agreement:.0%})"
    together = "" if found.value_correlation is None else f", correlation {found.value_correlation:.2f}"
    told = [
        found.difference and f"difference of the final returns {_format_interval(found.difference)}",
        found.worse is not None and f"chance that a seed of the reference does better {found.worse:.0%}",
        found.random is not None and f"random play {format_number(float(f'{found.random:.4g}'))}",
        found.agreement is not None
        and f"actions alike in {found.agreement:.0%} of {comparison.observations} observations{own}",
        found.value_scale is not None and f"values {found.value_scale:.2g} times the reference's{together}",
    ]
    return [line for line in told if line]


def _describe_settings(comparison: Comparison) -> list[str]:
    """What each was given."""
    lines = []
    for side in _list_sides(comparison):
        given = ", ".join(f"{name} = {value}" for name, value in side.settings.items()) or "nothing"
        lines.append(f"{side.name} was given {given}")
    return lines


def _format_interval(level: SeedLevel | None) -> str:
    """`310 (250 to 370)`."""
    if level is None:
        return NOT_SHOWN
    mean, low, high = (format_number(float(f"{value:.4g}")) for value in (level.mean, level.low, level.high))
    return f"{mean} ({low} to {high})"


def _list_sides(comparison: Comparison) -> tuple[Contestant, Contestant]:
    return comparison.trainer, comparison.reference


def _count_whole(side: Contestant) -> str:
    return f"{len(side.whole)} of {len(side.trainings)}"


def _count_taken(side: Contestant) -> str:
    taken = [each.taken for each in side.whole if each.taken]
    return f"{round(sum(taken) / len(taken)):,}" if taken else NOT_SHOWN


def _average_seconds(side: Contestant) -> str:
    return f"{sum(each.seconds for each in side.whole) / len(side.whole):.1f}" if side.whole else NOT_SHOWN


def _format_number(value: float | None) -> str:
    return NOT_SHOWN if value is None else format_number(float(f"{value:.3g}"))


def _describe_half_way(side: ContestantSide) -> str:
    if side.half_way is not None:
        return format_step(round(side.half_way))
    return "never" if side.late is not None else NOT_SHOWN


def _draw_curves(comparison: Comparison, axes: PageAxes) -> list[Chart]:
    lines: list[ChartLine] = []
    for side, dashed in ((comparison.trainer, False), (comparison.reference, True)):
        drawn = compute_curve(side, comparison.steps)
        if drawn.steps:
            means, lows, highs = (
                np.array([getattr(level, part) for level in drawn.levels]) for part in ("mean", "low", "high")
            )
            short = ThinnedSeries(np.array(drawn.steps, dtype=float), means, lows, highs)
            lines.append(axes.line(side.name, short, AXIS, dashed=dashed))
    note = "the mean over seeds with its interval (95 %, by resampling the seeds)"
    chart = Chart(
        id="returns", title="Returns in training", lines=tuple(lines), note=note, unit="reward", link="reward"
    )
    return [chart] if lines else []


def _draw_finals(sides: Iterable[tuple[str, ContestantSide]], random: tuple[float, ...]) -> list[Boxes]:
    groups = [*((name, side.seeds, "seed") for name, side in sides), ("random play", random, "episode")]
    rows = tuple(make_box(name, values, count_noun(len(values), unit)) for name, values, unit in groups if values)
    note = "the mean with its interval (95 %)"
    return [Boxes(title="Final returns", rows=rows, note=note, where=(HTML,))] if rows else []


def make_box(label: str, values: Sequence[float] | np.ndarray, note: str = "") -> Box:
    """One group of numbers in short: extremes, quartiles, and the mean with its interval by resampling."""
    array = np.asarray(values, dtype=float)
    mean = bootstrap_interval(array, np.random.default_rng(0))
    low, quarter, middle, three_quarters, high = (quantile(array, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    return Box(
        label=label,
        low=low,
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        high=high,
        mean=float(array.mean()),
        mean_low=mean.low,
        mean_high=mean.high,
        note=note,
    )
