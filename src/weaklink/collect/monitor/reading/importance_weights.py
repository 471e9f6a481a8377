"""Prioritised rows: by what they are drawn, and the weights that make up for it.

What is drawn more often than it should be must be weighed less for it.

A priority is the error that a row had when it was learned from last, which is much like the one that it has now. So the
weights that make up for it fall with the error. Where rows are drawn unevenly and the weights rise with it, what is
drawn too often counts for too much besides.

Whatever the weights are, the gradient of a row has the sign of its error. Rows are to be drawn by how large their error
was; where those of one sign hardly ever come back while the others do, they are drawn by the error itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import ONE_SIDED_DRAWS, RISING_WEIGHTS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall
from weaklink.base.stats.correlation import correlation

FEWEST = 256
"""Rows with a weight that must tell."""

RISES = 0.4
"""The rank correlation of weights with errors: right ones lie between -0.6 and 0.1, in every phase of a training."""

UNEVEN = 5.0
"""Standard deviations by which fewer rows than by even chance must have been drawn at all."""

FEWEST_EXPECTED, SELDOM = 20.0, 0.15
"""Times that rows of one sign should have come back at the rate of the others, and the share of these times that is too
few: with priorities to the power of 0.6 their errors would have to be some twenty times smaller throughout."""


def find_one_sided_draws(calls: Sequence[HeadCall]) -> Iterator[RecoveredFlaw]:
    """Rows whose error has one sign and that are hardly drawn again, although those with the other sign are.

    Args:
        calls: of one head, a minibatch from a replay buffer each.
    """
    signs: dict[int, int] = {}
    kept, back = {-1: 0, 1: 0}, {-1: 0, 1: 0}  # how often rows could come back, and did
    for call in sorted(calls, key=lambda each: each.step):
        drawn = set(call.rows.tolist())
        for row, sign in signs.items():
            kept[sign] += 1
            back[sign] += row in drawn
        asked = np.sign(call.gradients.sum(axis=1)).astype(int)
        told = (asked != 0) & (call.rows != UNMATCHED)
        signs.update(zip(call.rows[told].tolist(), asked[told].tolist(), strict=True))
    for sign in (-1, 1):
        expected = kept[sign] * back[-sign] / max(kept[-sign], 1)
        if expected >= FEWEST_EXPECTED and back[sign] <= SELDOM * expected:
            yield RecoveredFlaw(
                kind=ONE_SIDED_DRAWS,
                head=calls[0].head,
                count=back[sign],
                of=kept[sign],
                number=expected,
                other=float(sign),
            )


def find_rising_weights(head: str, rows: Array, weights: Array, errors: Array) -> Iterator[RecoveredFlaw]:
    """Weights that rise with the error of their rows although these are drawn by it.

    Args:
        head: that learns.
        rows: (n,) of the tape, as they were drawn.
        weights: (n,) of the loss; NaN where nobody knows.
        errors: (n,) of the values, of either sign.
    """
    told = np.isfinite(weights) & np.isfinite(errors)
    if told.sum() < FEWEST or not _are_uneven(rows):
        return
    rank = correlation(weights, np.abs(errors))
    if rank is not None and rank > RISES:
        count = int(told.sum())
        yield RecoveredFlaw(
            kind=RISING_WEIGHTS, head=head, count=count, of=len(np.unique(rows)), number=rank, other=len(rows)
        )


def _are_uneven(rows: Array) -> bool:
    """Whether fewer rows were drawn at all than even chance would have drawn from those between the first and last."""
    reach, drawn = int(rows.max()) - int(rows.min()) + 1, len(rows)
    missed = (1.0 - 1.0 / reach) ** drawn
    expected = reach * (1.0 - missed)
    both = (1.0 - 2.0 / reach) ** drawn if reach > 1 else 0.0
    spread = np.sqrt(max(reach * missed + reach * (reach - 1.0) * both - (reach * missed) ** 2, 1e-9))
    return bool(len(np.unique(rows)) < expected - UNEVEN * spread)
