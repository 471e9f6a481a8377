"""Targets of a rollout that no estimator gives, compared with what known mistakes give."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.advantages import GAE_VARIANTS, gae
from weaklink.base.reference.discounting import RETURN_VARIANTS
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, measure_spread

USUAL_GAMMAS = (0.99, 0.95, 0.97, 0.98, 0.9, 0.995, 0.999, 1.0)
USUAL_LAMBDAS = (0.95, 1.0, 0.9, 0.97, 0.98)
"""The rates of most on-policy trainers, the usual ones first, tried where none are known."""

FLIPPED, LOST, INVERTED = "sign of the reward flipped", "reward left out", "mask inverted"

NOT_OF_TARGETS = ("result shifted by one", "value not subtracted", "sign flipped", "normalised over the wrong axis")
"""Mistakes that are made of advantages after the targets."""

MOSTLY = 0.9
"""The share of terminal steps that must go on with a value."""

FEWEST_ENDS = 3
"""Terminal steps that must show that a reward is lost."""

MOST_STEPS, FEW_STEPS = 512, 32
"""Steps that are recomputed, the last ones because estimates run backwards; and how many tell at first sight."""


def name_mistake(
    taken: TapeSteps, settings: Mapping[str, float], asked: Array | None = None
) -> tuple[str, float] | None:
    """The known mistake that gives every target of a rollout, and how much of their spread it leaves; None for none.

    Args:
        taken: the rollout.
        settings: the rates as the trainer was set to them, as far as they are known.
        asked: (T, N) the gradient at the values, where targets are not known: then the weight of the loss is one more
            factor.
    """
    wanted = taken.targets if asked is None else asked
    known = np.isfinite(wanted) & np.isfinite(taken.values) & np.isfinite(taken.rewards)
    whole = np.asarray(known.all(axis=0))
    members = whole if whole.any() else np.ones(len(whole), bool)
    times = np.flatnonzero(known[:, members].all(axis=1))
    if len(times) * members.sum() < FEWEST or len(times) != times[-1] - times[0] + 1:
        return None
    few = taken.take(slice(int(times[-FEW_STEPS:][0]), int(times[-1]) + 1), members)
    gradients = None if asked is None else asked[times[-FEW_STEPS:]][:, members]
    if any(_measure_left(few, _estimate(few, rates), gradients) <= VISIBLE for rates in _list_rates(settings)):
        return None  # a square of one discount is nearly another one
    for name, rates in _list_suspects(taken, asked, members, times[-FEW_STEPS:], _list_rates(settings)):
        for found, left in _list_suspects_left(taken, asked, members, times[-MOST_STEPS:], rates, name):
            if found == name and left <= VISIBLE and _holds_elsewhere(taken, asked, known & ~members, name, rates):
                return name, left
    return None


def _holds_elsewhere(
    taken: TapeSteps, asked: Array | None, known: Array, name: str, rates: tuple[float, float]
) -> bool:
    """Whether a mistake gives the targets of rollouts that are shorter than the longest ones, too."""
    places = np.flatnonzero(known.sum(axis=0) >= FEWEST // 2)
    misses = 0
    for member in places:
        times, only = np.flatnonzero(known[:, member]), np.arange(known.shape[1]) == member
        if len(times) == times[-1] - times[0] + 1:
            left = _list_suspects_left(taken, asked, only, times, rates, name)
            misses += not any(found == name and each <= VISIBLE for found, each in left)
            if misses > (1.0 - MOSTLY) * len(places):
                return False
    return True


def name_scale(scale: float, part: float = 0.0) -> str:
    """What is wrong with rewards that targets are made of times this factor; empty where nothing is.

    Args:
        scale: the factor.
        part: the spread of what it makes of the rewards, as a share of that of the targets: a thousandth of rewards in
            the thousands is not lost.
    """
    if abs(scale) < VISIBLE and part < VISIBLE:
        return LOST
    return FLIPPED if scale < 0.0 else ""


def is_lost(taken: TapeSteps, scale: float) -> bool:
    """Whether one reward in all rows has no part in the targets: within episodes, and at their terminal steps."""
    last, reward = taken.targets[taken.terminated], float(np.nanmax(np.abs(taken.rewards)))
    last = last[np.isfinite(last)]
    return name_scale(scale) == LOST and len(last) >= FEWEST_ENDS and float(np.abs(last).max()) < VISIBLE * reward


def is_inverted(taken: TapeSteps, gamma: float) -> bool:
    """Whether targets go on with nothing within episodes, and with a discounted value at terminal steps."""
    following = np.where(np.isfinite(taken.next_values), taken.next_values, taken.shift(taken.values))
    there = taken.terminated & np.isfinite(taken.targets) & np.isfinite(following)
    if abs(gamma) > VISIBLE or there.sum() < FEWEST:
        return False
    later = np.nan_to_num(taken.shift(taken.targets - taken.values))
    table, beyond = np.stack([following[there], later[there]], axis=1), (taken.targets - taken.rewards)[there]
    factors, *_ = np.linalg.lstsq(table, beyond, rcond=1e-9)
    near = np.abs(beyond - table @ factors) <= VISIBLE * measure_spread(taken.targets)
    return bool(VISIBLE < factors[0] <= 1.0 + VISIBLE and near.mean() > MOSTLY)


def _list_suspects(
    taken: TapeSteps, asked: Array | None, members: Array, times: Array, rates: Iterable[tuple[float, float]]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The mistakes and rates that give the targets of a few steps."""
    for pair in rates:
        for name, left in _list_suspects_left(taken, asked, members, times, pair):
            if left <= VISIBLE:
                yield name, pair


def _list_suspects_left(
    taken: TapeSteps, asked: Array | None, members: Array, times: Array, rates: tuple[float, float], only: str = ""
) -> Iterator[tuple[str, float]]:
    """What each mistake leaves, or one; nothing where the right targets leave nothing, as in rollouts of one step."""
    cut = slice(int(times[0]), int(times[-1]) + 1)
    part, gradients = taken.take(cut, members), None if asked is None else asked[cut][:, members]
    if _measure_left(part, _estimate(part, rates), gradients) <= VISIBLE:
        return
    for name, made in _list_mistakes(part, rates, only):
        yield name, _measure_left(part, made, gradients)


def _list_rates(settings: Mapping[str, float]) -> Iterator[tuple[float, float]]:
    gammas = (settings["gamma"],) if "gamma" in settings else USUAL_GAMMAS
    lambdas = (settings["gae_lambda"],) if "gae_lambda" in settings else USUAL_LAMBDAS
    return itertools.product(gammas, lambdas)


def _measure_left(taken: TapeSteps, made: Array, asked: Array | None) -> float:
    """The most that a mistake leaves of any target, as a share of their spread; nothing fits what is not finite."""
    if not np.isfinite(made).all():
        return np.inf
    if asked is None:
        return float(np.abs(made - taken.targets).max()) / max(measure_spread(taken.targets), 1e-30)
    errors = taken.values - made
    size = float(np.sum(asked**2))
    inverse = float(np.sum(errors * asked)) / size if size > 0.0 else 0.0
    left = float(np.abs(errors - inverse * asked).max()) / max(measure_spread(errors), 1e-30)
    return left if inverse > 0.0 else np.inf


def _list_mistakes(taken: TapeSteps, rates: tuple[float, float], only: str = "") -> Iterator[tuple[str, Array]]:
    """What known mistakes give in the place of the targets, by name; of variants perhaps those of one name."""
    rewards, values, last = taken.rewards, taken.values, np.nan_to_num(taken.next_values[-1])
    flags, right = (taken.terminated, taken.truncated), _estimate(taken, rates)
    yield "value target = advantage", right - values
    yield "target is the old value", values
    yield FLIPPED, gae(-rewards, values, *flags, last, *rates) + values
    yield "time not reversed", right[::-1]
    with np.errstate(all="ignore"):
        for name, ways in GAE_VARIANTS.items():
            for way in ways if name not in NOT_OF_TARGETS and only in ("", name) else ():
                yield name, way(rewards, values, *flags, last, *rates) + values
        for name, ways in RETURN_VARIANTS.items():
            for way in ways if only in ("", name) else ():
                yield name, way(rewards, *flags, last, rates[0])


def _estimate(taken: TapeSteps, rates: tuple[float, float]) -> Array:
    """The right targets."""
    last = np.nan_to_num(taken.next_values[-1])
    made = gae(taken.rewards, taken.values, taken.terminated, taken.truncated, last, *rates)
    return np.asarray(made + taken.values)
