"""What every view of a comparison says the same way."""

from __future__ import annotations

from weaklink.base.evidence.comparison import Comparison, Contestant
from weaklink.base.evidence.standing import Level, Side, Standing
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.show.text import number, several, step

HEAD = ("", "trainer", "reference")
NOT_SHOWN = "-"


def reason(diagnosis: Diagnosis, comparison: Comparison, found: Standing) -> str:
    """Why a comparison without a break is called healthy or unclear."""
    if diagnosis.blind:
        return f"could not be told without {'; '.join(next(iter(diagnosis.blind.values())))}"
    gain = "" if found.gain is None else f", with {found.gain:.0%} of its gain over random play"
    if diagnosis.verdict is Verdict.HEALTHY:
        return f"it keeps up with {comparison.reference.name}{gain}"
    return f"it cannot be told apart from {comparison.reference.name} with so few seeds{gain}"


def facts(comparison: Comparison) -> list[str]:
    """What was compared."""
    seeds = max(len(side.trainings) for side in (comparison.trainer, comparison.reference))
    return [
        f"{comparison.trainer.name} against {comparison.reference.name}",
        comparison.environment,
        f"{comparison.steps:,} steps",
        several(seeds, "seed"),
        f"compared in {comparison.seconds:.0f} s",
    ]


def rows(comparison: Comparison, found: Standing) -> list[tuple[str, str, str]]:
    """The table of both: finals first, then what they took, then the components that they show."""
    ours, theirs = found.trainer, found.reference
    every: list[tuple[str, ...]] = [
        ("final return", interval(ours.final), interval(theirs.final)),
        ("return late in training", interval(ours.late), interval(theirs.late)),
        ("seeds that trained to the end", *map(_whole, _sides(comparison))),
        ("steps taken", *map(_taken, _sides(comparison))),
        ("steps to half of the gain", _half_way(ours), _half_way(theirs)),
        ("seconds of training", *map(_seconds, _sides(comparison))),
        ("discount", _figure(ours.gamma), _figure(theirs.gamma)),
        ("value over what follows", _figure(ours.promise), _figure(theirs.promise)),
        ("entropy of the policy", _figure(ours.entropy), _figure(theirs.entropy)),
    ]
    return [(name, one, two) for name, one, two in every if (one, two) != (NOT_SHOWN, NOT_SHOWN)]


def between(comparison: Comparison, found: Standing) -> list[str]:
    """What is said of both together."""
    told = []
    if found.difference is not None:
        told.append(f"difference of the final returns {interval(found.difference)}")
    if found.worse is not None:
        told.append(f"chance that a seed of the reference does better {found.worse:.0%}")
    if found.random is not None:
        told.append(f"random play {number(float(f'{found.random:.4g}'))}")
    if found.agreement is not None:
        own = (
            ""
            if found.own_agreement is None
            else f" (the reference's seeds among themselves {found.own_agreement:.0%})"
        )
        told.append(f"actions alike in {found.agreement:.0%} of {comparison.observations} observations{own}")
    if found.value_scale is not None:
        together = "" if found.value_correlation is None else f", correlation {found.value_correlation:.2f}"
        told.append(f"values {found.value_scale:.2g} times the reference's{together}")
    return told


def settings(comparison: Comparison) -> list[str]:
    """What each was given."""
    lines = []
    for side in _sides(comparison):
        given = ", ".join(f"{name} = {value}" for name, value in side.settings.items()) or "nothing"
        lines.append(f"{side.name} was given {given}")
    return lines


def interval(level: Level | None) -> str:
    """`310 (250 to 370)`."""
    if level is None:
        return NOT_SHOWN
    mean, low, high = (number(float(f"{value:.4g}")) for value in (level.mean, level.low, level.high))
    return f"{mean} ({low} to {high})"


def _sides(comparison: Comparison) -> tuple[Contestant, Contestant]:
    return comparison.trainer, comparison.reference


def _whole(side: Contestant) -> str:
    return f"{len(side.whole)} of {len(side.trainings)}"


def _taken(side: Contestant) -> str:
    taken = [each.taken for each in side.whole if each.taken]
    return f"{round(sum(taken) / len(taken)):,}" if taken else NOT_SHOWN


def _seconds(side: Contestant) -> str:
    return f"{sum(each.seconds for each in side.whole) / len(side.whole):.1f}" if side.whole else NOT_SHOWN


def _figure(value: float | None) -> str:
    return NOT_SHOWN if value is None else number(float(f"{value:.3g}"))


def _half_way(side: Side) -> str:
    if side.half_way is not None:
        return step(round(side.half_way))
    return "never" if side.late is not None else NOT_SHOWN
