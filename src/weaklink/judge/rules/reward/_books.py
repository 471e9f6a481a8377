"""The reward against the books: a net that the info tells, of the same parts, one of them with the other sign."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play
from weaklink.judge.rules.reward._plays import is_sound

FEWEST_STEPS, MOST_STEPS = 200, 5000
MOST_NUMBERS = 12  # of the info that are tried as parts

EXACT = 1e-6  # how exactly sums must hold, as a share of their largest
AGREED = 2  # parts that enter both with one sign, a gain and a cost among them: then the other number is a net


class TurnedPart(NamedTuple):
    """A part of the reward whose sign is the other one in a net that the info tells."""

    part: str
    net: str
    weight: float


def find_turned_part(play: Play) -> TurnedPart | None:
    """The one part that the reward adds and a net of the same parts subtracts, or the other way round."""
    steps = min(len(play.rewards), MOST_STEPS)
    told = {**play.metrics, **play.components}
    numbers = {key: values[:steps] for key, values in told.items() if _is_number(values, len(play.rewards))}
    if steps < FEWEST_STEPS or not 4 <= len(numbers) <= MOST_NUMBERS:
        return None
    rewards = play.rewards[:steps]
    for net, values in numbers.items():
        parts = {key: part for key, part in numbers.items() if key != net}
        paid, booked = _fit_sum(parts, rewards), _fit_sum(parts, values)
        if paid is None or booked is None:
            continue
        scale = np.abs(paid).max()
        alike = np.isclose(paid, booked, atol=EXACT * scale) & (np.abs(paid) > EXACT * scale)
        turned = np.isclose(paid, -booked, atol=EXACT * scale) & (np.abs(paid) > EXACT * scale)
        mixed = bool(np.any(paid[alike] > 0) and np.any(paid[alike] < 0))
        rest = bool(np.all(alike | turned | ((np.abs(paid) <= EXACT * scale) & (np.abs(booked) <= EXACT * scale))))
        if int(turned.sum()) == 1 and int(alike.sum()) >= AGREED and mixed and rest:
            place = int(np.argmax(turned))
            return TurnedPart(list(parts)[place], net, float(paid[place]))
    return None


def _is_number(values: Array, steps: int) -> bool:
    return len(values) == steps and is_sound(values) and len(np.unique(values[:MOST_STEPS])) > 2


def _fit_sum(parts: dict[str, Array], total: Array) -> Array | None:
    """The weights with which the parts add up to the total exactly; None where they do not, or not in one way alone."""
    design = np.stack(list(parts.values()), axis=1)
    weights, _, rank, _ = np.linalg.lstsq(design, total, rcond=None)
    if int(rank) < design.shape[1] or float(np.abs(design @ weights - total).max()) > EXACT * float(
        np.abs(total).max()
    ):
        return None
    return np.asarray(weights)
