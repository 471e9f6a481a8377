"""Actors that are to climb a critic and do not, and the loss of the temperature beside them.

The gradient at the logarithm of a temperature is `k * (mean log-probability + target entropy)`, times the temperature
where the loss has it outside of the logarithm. Over several steps both numbers follow; `k` is below 0 where the
temperature rises as the entropy falls short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import (
    ENTROPY_ALONE,
    HIGH_ENTROPY,
    PUSHED_CRITIC,
    TARGET_ENTROPY,
    TEMPERATURE_SIGN,
    UNREACHED_ACTOR,
    WIDE_ENTROPY,
)
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import LEARNING, FreeParameter, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.climbing import find_climb
from weaklink.collect.monitor.reading.next_values import SQUASHES, list_log_probs, undo_squashing

FEWEST_STEPS = 5
"""Steps from which two numbers are fitted with some to spare."""

EXACTLY = 1e-3
"""What the fit may leave of the spread of the gradients."""

FEWEST_ALONE, NEARLY = 3, 1e-3
"""Steps in which an actor must follow its entropy alone, and what may be left of the gradients: actions that tanh has
squashed are known to fewer digits."""

REACH = 1e-3
"""By how much a target entropy must be out of reach."""


def find_unreached(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """Critics that an actor's loss looks at in its own rows without the gradient reaching any actor.

    The gradient at such a critic is one number in all rows, it came before the actor's step, and the optimizer that
    made that step moved the actor for something else, or nothing at all.
    """
    if any(call.climbed for call in reading.calls):
        return ()
    moving = {call.step for call in reading.calls} | {each.step for each in reading.parameters}
    passes: dict[str, list[HeadCall]] = {}
    for call in reading.calls:
        if call.outputs.shape[1] != 1 or call.passed is None or call.passed >= call.step:
            continue
        if find_climb(call.gradients * len(call.rows)) is not None:
            beside = [each for each in reading.calls if each.step == call.passed and each.head != call.head]
            if call.passed not in moving or any(np.array_equal(each.rows, call.rows) for each in beside):
                passes.setdefault(call.head, []).append(call)
    rows = {head: sum(len(call.rows) for call in calls) for head, calls in passes.items()}
    return tuple(
        RecoveredFlaw(kind=UNREACHED_ACTOR, head=head, count=count, of=count) for head, count in list(rows.items())[:1]
    )


def find_entropy_alone(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """Actors that were moved by the log-probability of a drawn action alone, while critics were asked about it.

    The gradient at the mean is `k * (u - mean) / std**2`, with the action u before tanh and one k for all rows and
    dimensions: nothing of what the critics answered is in it.
    """
    width = reading.tape.observations.shape[1]
    if any(call.climbed for call in reading.calls):
        return ()
    counts: dict[str, list[int]] = {}
    for answer in reading.answers:
        dimensions = answer.inputs.shape[1] - width
        if answer.when != LEARNING or answer.outputs.shape[1] != 1 or dimensions < 1:
            continue
        drawn, _ = undo_squashing(answer.inputs[:, width:], reading.tape.bounds)
        calls = [call for call in reading.calls if call.step == answer.step and call.inputs.shape[1] == width]
        beside = [call for call in calls if np.array_equal(call.inputs, answer.inputs[:, :width])]
        for mean, std, asked, head in _list_moments(beside, dimensions):
            if drawn is not None and _follow_log_prob(asked, (drawn - mean) / std**2):
                counts.setdefault(head, []).append(len(mean))
    found = [
        RecoveredFlaw(kind=ENTROPY_ALONE, head=head, count=sum(rows), of=sum(rows))
        for head, rows in counts.items()
        if len(rows) >= FEWEST_ALONE
    ]
    return tuple(found[:1])


def _list_moments(calls: Sequence[HeadCall], dimensions: int) -> Iterator[tuple[Array, Array, Array, str]]:
    """Mean, standard deviation and gradient at the mean, for every reading of what actors put out."""
    for call in calls:
        outputs, asked = np.asarray(call.outputs, np.float64), np.asarray(call.gradients, np.float64)
        raws = [outputs[:, dimensions:]] if outputs.shape[1] == 2 * dimensions else []
        if outputs.shape[1] == dimensions:
            raws = [np.asarray(each.outputs, np.float64) for each in calls if each is not call]
        for raw in (each for each in raws if each.shape[1] == dimensions):
            for bound in SQUASHES:
                yield outputs[:, :dimensions], np.exp(bound(raw)), asked[:, :dimensions], call.head


def _follow_log_prob(asked: Array, direction: Array) -> bool:
    """Whether gradients are one positive number times the direction in which the drawn action becomes likelier."""
    factor = float(np.sum(asked * direction)) / max(float(np.sum(direction**2)), 1e-30)
    return factor > 0.0 and float(np.abs(asked - factor * direction).max()) <= NEARLY * float(np.abs(asked).max())


def measure_bonus(reading: UpdateReading) -> float | None:
    """How much the entropy term of an actor's loss amounts to: its temperature times the mean log-probability.

    None where no temperature's own loss could be read, so that nobody knows whether there is such a term.
    """
    for losses in _list_temperatures(reading):
        if _fit_loss(reading, losses) is not None:
            logs = [_average_log_probs(reading, each.step)[0] for each in losses]
            sizes = [abs(next(iter(each.values()))) for each in logs if each]
            return float(np.median(sizes)) * float(np.exp(losses[0].values.ravel()[0])) if sizes else None
    return None


def find_pushed(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """Critics that the loss of an actor moves too: it raises their values, whatever is true.

    The gradient at such a critic is one number in all rows, the action was made by another network in the same graph,
    and the critic's own weights hold a gradient when the step is made.
    """
    held = {(step.head, step.step): float(np.abs(step.held).max(initial=0.0)) for step in reading.head_steps}
    counts: dict[str, int] = {}
    for call in reading.calls:
        made = call.made is not None and call.outputs.shape[1] == 1 and not call.climbed and call.passed == call.step
        climb = find_climb(call.gradients * len(call.rows)) if made else None
        if climb is not None and climb.weight < 0.0 and held.get((call.head, call.step), 0.0) > 0.0:
            counts[call.head] = counts.get(call.head, 0) + 1
    found = (RecoveredFlaw(kind=PUSHED_CRITIC, head=head, count=count, of=count) for head, count in counts.items())
    return tuple(found)[:1]


def find_temperature_flaws(reading: UpdateReading) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """What is wrong with the loss of a temperature, and whether one could be read."""
    for losses in _list_temperatures(reading):
        fit = _fit_loss(reading, losses)
        if fit is not None:
            seen = reading.tape.observations.shape[1]
            return tuple(_judge(losses[0].name, len(losses), *fit, seen)), True
    return (), False


def _list_temperatures(reading: UpdateReading) -> Iterator[list[FreeParameter]]:
    """Single numbers that no layer owns, each with its gradients in all steps that moved it."""
    for name in dict.fromkeys(each.name for each in reading.parameters if each.values.size == 1):
        losses = [each for each in reading.parameters if each.name == name and each.gradient is not None]
        if losses:
            yield losses


def _judge(name: str, steps: int, factor: float, entropy: float, dimensions: int, seen: int) -> Iterator[RecoveredFlaw]:
    if dimensions < seen and abs(entropy + seen) < REACH * seen:
        yield RecoveredFlaw(kind=WIDE_ENTROPY, head=name, count=dimensions, of=seen, number=entropy)
    if factor > 0.0:
        yield RecoveredFlaw(kind=TEMPERATURE_SIGN, head=name, count=steps, of=steps, number=entropy)
    # no distribution on -1 .. 1 has a larger entropy than the uniform one, and one of half the width has none
    elif entropy > dimensions * np.log(2.0) + REACH:
        yield RecoveredFlaw(kind=TARGET_ENTROPY, head=name, count=dimensions, of=steps, number=entropy)
    elif entropy > REACH:
        yield RecoveredFlaw(kind=HIGH_ENTROPY, head=name, count=dimensions, of=steps, number=entropy)


def _fit_loss(reading: UpdateReading, losses: Sequence[FreeParameter]) -> tuple[float, float, int] | None:
    """The factor of the log-probability, the target entropy and the dimensions of an action; None where none fits."""
    seen = [(each, _average_log_probs(reading, each.step)) for each in losses]
    readings = dict.fromkeys(name for _, found in seen for name in found[0])
    for name in readings:
        pairs = [(each, found) for each, found in seen if name in found[0]]
        if len(pairs) < FEWEST_STEPS:
            continue
        logs = np.array([found[0][name] for _, found in pairs])
        gradients = np.array([float(each.gradient.ravel()[0]) for each, _ in pairs if each.gradient is not None])
        rates = np.exp([float(each.values.ravel()[0]) for each, _ in pairs])
        for scaled in (gradients, gradients / rates):
            table = np.stack([logs, np.ones(len(logs))], axis=1)
            (factor, offset), *_ = np.linalg.lstsq(table, scaled, rcond=None)
            left = np.abs(scaled - table @ (factor, offset)).max()
            if left <= EXACTLY * np.std(scaled) and factor != 0.0:
                return float(factor), float(offset / factor), pairs[0][1][1]
    return None


def _average_log_probs(reading: UpdateReading, step: int) -> tuple[dict[str, float], int]:
    """The mean log-probability of the actions of the last actor's loss before a step, by reading; their dimensions."""
    climbed = [call for call in reading.calls if call.climbed and call.made is not None and call.step <= step]
    if not climbed:
        return {}, 0
    last = climbed[-1]
    drawn = last.made
    assert drawn is not None
    actors: list[Array] = [
        call.outputs
        for call in reading.calls
        if call.step == last.step and not call.climbed and len(call.rows) == len(drawn)
    ]
    logs = list_log_probs(actors, drawn, reading.tape.bounds)
    return {name: float(each.mean()) for name, each in logs.items()}, drawn.shape[1]
