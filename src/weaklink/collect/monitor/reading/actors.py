"""Actors that are to climb a critic and do not, and the loss of the temperature beside them.

The gradient at the logarithm of a temperature is `k * (mean log-probability + target entropy)`, times the temperature
where the loss has it outside of the logarithm. Over several steps both numbers follow; `k` is below 0 where the
temperature rises as the entropy falls short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.recovered import (
    PUSHED_CRITIC,
    TARGET_ENTROPY,
    TEMPERATURE_SIGN,
    UNREACHED_ACTOR,
    RecoveredFlaw,
)
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import FreeParameter, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.climbing import find_climb
from weaklink.collect.monitor.reading.next_values import list_log_probs

FEWEST_STEPS = 5
"""Steps from which two numbers are fitted with some to spare."""

EXACTLY = 1e-3
"""What the fit may leave of the spread of the gradients."""

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
    for name in dict.fromkeys(each.name for each in reading.parameters if each.values.size == 1):
        losses = [each for each in reading.parameters if each.name == name and each.gradient is not None]
        fit = _fit_loss(reading, losses)
        if fit is not None:
            return tuple(_judge(name, len(losses), *fit)), True
    return (), False


def _judge(name: str, steps: int, factor: float, entropy: float, dimensions: int) -> Iterator[RecoveredFlaw]:
    if factor > 0.0:
        yield RecoveredFlaw(kind=TEMPERATURE_SIGN, head=name, count=steps, of=steps, number=entropy)
    # no distribution on -1 .. 1 has a larger entropy than the uniform one
    elif entropy > dimensions * np.log(2.0) + REACH:
        yield RecoveredFlaw(kind=TARGET_ENTROPY, head=name, count=dimensions, of=steps, number=entropy)


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
