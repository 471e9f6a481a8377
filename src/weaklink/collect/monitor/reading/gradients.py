"""Whether an optimizer steps with the gradient of its own losses, read off the biases of the heads.

The gradient of a bias is the sum of all that was asked of the head's outputs. Clipping makes it smaller, by one factor
or entry by entry. Where it also holds what the step before was made with, it was never set to zero; where it is zero
although something was asked, it was set to zero too late. Where it also holds what an actor's loss asked of a critic
on the way to the actor, it was set to zero before that and not afterwards. Where it is longer than the limit that it
was clipped to, it was not there yet when it was clipped.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import NOT_LIMITED
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredGradients
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, HeadStep, LimitedStep

CLOSE = 1e-3
"""How far sums in 32-bit numbers over thousands of rows may lie apart, as a share of the larger one."""

FEWEST_STEPS = 3
"""Steps that must tell the same: one may be the first of a gradient that is accumulated on purpose."""


def read_gradients(steps: Sequence[HeadStep], calls: Sequence[HeadCall]) -> tuple[RecoveredGradients, ...]:
    """What became of the gradients of each head between backward and the steps; heads of few steps are left out.

    Args:
        steps: of all heads.
        calls: of all heads; those that were climbed left a gradient that no step is meant to hold.
    """
    heads = dict.fromkeys(step.head for step in steps)
    climbed = {head: [call for call in calls if call.climbed and call.head == head] for head in heads}
    found = [_read_head(head, [step for step in steps if step.head == head], climbed[head]) for head in heads]
    together = _read_together(steps)
    if together is not None and not any(each.kept for each in found):
        found.append(together)
    return tuple(each for each in found if each.steps >= FEWEST_STEPS)


def _read_together(steps: Sequence[HeadStep]) -> RecoveredGradients | None:
    """The gradients of heads that the same optimizer moves; None where every step moves one alone.

    Clipping makes all of them smaller by one factor. A head of one output, or of two that add up to nothing, shows any
    factor by itself; two heads must show the same one.
    """
    groups: dict[int, list[HeadStep]] = {}
    for step in steps:
        groups.setdefault(step.step, []).append(step)
    heads = {tuple(each.head for each in group) for group in groups.values()}
    if len(heads) != 1 or len(min(heads)) < 2:
        return None
    compared = kept = 0
    earlier: list[Array] | None = None
    for group in groups.values():
        asked, held = ([np.asarray(getattr(each, name), np.float64) for each in group] for name in ("asked", "held"))
        if all(np.isfinite(each).all() and each.any() for each in (*asked, *held)):
            compared += 1
            if earlier is not None and not _is_shrunk_alike(asked, held):
                kept += _is_shrunk_alike([one + other for one, other in zip(asked, earlier, strict=True)], held)
        earlier = held
    return RecoveredGradients(head=" and ".join(min(heads)), steps=compared, kept=kept / max(compared, 1), cleared=0.0)


def _read_head(head: str, steps: Sequence[HeadStep], climbed: Sequence[HeadCall]) -> RecoveredGradients:
    earlier, before = np.zeros(0), -1
    compared, kept, cleared, passed, leaked = 0, 0, 0, 0, 0
    for step in steps:
        asked, held = (np.asarray(each, np.float64) for each in (step.asked, step.held))
        if np.isfinite(asked).all() and np.isfinite(held).all() and np.abs(asked).max(initial=0.0) > 0.0:
            compared += 1
            cleared += not held.any()
            if earlier.any() and held.any() and not _is_own(asked, held):
                kept += _is_shrunk_as_one(asked + earlier, held)
            left = _add_up([call for call in climbed if before < call.step < step.step], len(asked))
            if np.abs(left).max(initial=0.0) > CLOSE * np.abs(asked).max():
                passed += 1
                leaked += not _is_shrunk_as_one(asked, held) and _is_shrunk_as_one(asked + left, held)
        earlier, before = held, step.step
    shares = (kept / max(compared, 1), cleared / max(compared, 1), leaked / max(passed, FEWEST_STEPS))
    return RecoveredGradients(head=head, steps=compared, kept=shares[0], cleared=shares[1], leaked=shares[2])


def find_unlimited(limited: Sequence[LimitedStep]) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
    """Clipped gradients that are longer than their limit, in most of the steps; and the kind, where it would show."""
    if len(limited) < FEWEST_STEPS:
        return (), frozenset()
    over = [each for each in limited if each.norm > (1.0 + CLOSE) * each.limit]
    if 2 * len(over) <= len(limited):
        return (), frozenset((NOT_LIMITED,))
    worst = max(over, key=lambda each: each.norm / max(each.limit, 1e-30))
    flaw = RecoveredFlaw(
        kind=NOT_LIMITED, head="", count=len(over), of=len(limited), number=worst.limit, other=worst.norm
    )
    return (flaw,), frozenset((NOT_LIMITED,))


def _add_up(climbed: Sequence[HeadCall], width: int) -> Array:
    """What passes ask of the bias of a head all together."""
    sums = [call.gradients.sum(axis=0, dtype=np.float64) for call in climbed]
    return np.asarray(np.sum(sums, axis=0)) if sums else np.zeros(width)


def _is_own(asked: Array, held: Array) -> bool:
    """Whether the gradient is what was asked, clipped or not; a single entry may be clipped by any factor."""
    return _is_shrunk(asked, held) if len(asked) == 1 else _is_shrunk_as_one(asked, held)


def _is_shrunk(asked: Array, held: Array) -> bool:
    """Whether no entry is larger than what was asked, or of another sign."""
    allowed = CLOSE * float(np.abs(asked).max())
    return bool(np.all(np.abs(held) <= np.abs(asked) + allowed) and np.all(held * np.sign(asked) >= -allowed))


def _is_shrunk_alike(asked: Sequence[Array], held: Sequence[Array]) -> bool:
    """Whether the gradients of all heads are what was asked of them, times one factor of at most 1."""
    sizes = [float(each @ each) for each in asked]
    if not all(sizes):
        return False
    factors = [float(one @ two) / size for one, two, size in zip(asked, held, sizes, strict=True)]
    apart = [
        float(np.abs(two - factor * one).max()) / float(np.abs(two).max())
        for one, two, factor in zip(asked, held, factors, strict=True)
    ]
    alike = max(factors) - min(factors) < 2.0 * CLOSE * max(factors)
    return min(factors) > 0.0 and max(factors) < 1.0 + CLOSE and alike and max(apart) < CLOSE


def _is_shrunk_as_one(asked: Array, held: Array) -> bool:
    """Whether the gradient is what was asked times one factor of at most 1; for a single entry, 1 itself."""
    size = float(asked @ asked)
    factor = float(asked @ held) / size if size > 0.0 else 0.0
    if len(asked) == 1:
        return abs(factor - 1.0) < CLOSE
    return 0.0 < factor < 1.0 + CLOSE and float(np.abs(held - factor * asked).max()) < CLOSE * float(np.abs(held).max())
