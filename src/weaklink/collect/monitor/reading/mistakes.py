"""Targets of a rollout that no estimator gives, compared with what known mistakes give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.advantages import GAE_VARIANTS, gae
from weaklink.base.reference.discounting import RETURN_VARIANTS
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, measure_spread

USUAL_GAMMA, USUAL_LAMBDA = 0.99, 0.95
"""The rates of most on-policy trainers, tried where none are known."""

NOT_OF_TARGETS = ("result shifted by one", "value not subtracted", "sign flipped", "normalised over the wrong axis")
"""Mistakes that are made of advantages after the targets."""

MOST_STEPS = 512
"""Steps that are recomputed, the last ones: estimates run backwards."""


def name_mistake(taken: TapeSteps, settings: Mapping[str, float]) -> tuple[str, float] | None:
    """The known mistake that gives every target of a rollout, and how much of their spread it leaves; None for none."""
    known = np.isfinite(taken.targets) & np.isfinite(taken.values) & np.isfinite(taken.rewards)
    times = np.flatnonzero(known.all(axis=1))
    if known.sum() < FEWEST or not len(times) or len(times) != times[-1] - times[0] + 1:
        return None
    cut = slice(max(int(times[0]), int(times[-1]) + 1 - MOST_STEPS), int(times[-1]) + 1)
    rewards, values, targets = taken.rewards[cut], taken.values[cut], taken.targets[cut]
    last = np.nan_to_num(taken.next_values[cut][-1])
    rates = settings.get("gamma", USUAL_GAMMA), settings.get("gae_lambda", USUAL_LAMBDA)
    flags = taken.terminated[cut], taken.truncated[cut]
    spread = measure_spread(targets)
    for name, made in _list_mistakes(rewards, values, flags, last, rates):
        left = float(np.abs(made - targets).max()) if np.isfinite(made).all() else np.inf
        if left <= VISIBLE * spread:
            return name, left / max(spread, 1e-30)
    return None


def _list_mistakes(
    rewards: Array, values: Array, flags: tuple[Array, Array], last: Array, rates: tuple[float, float]
) -> Iterator[tuple[str, Array]]:
    """What known mistakes give in the place of the targets, by name."""
    yield "value target = advantage", gae(rewards, values, *flags, last, *rates)
    yield "target is the old value", values
    yield "sign of the reward flipped", gae(-rewards, values, *flags, last, *rates) + values
    with np.errstate(all="ignore"):
        for name, ways in GAE_VARIANTS.items():
            for way in ways if name not in NOT_OF_TARGETS else ():
                yield name, way(rewards, values, *flags, last, *rates) + values
        for name, ways in RETURN_VARIANTS.items():
            for way in ways:
                yield name, way(rewards, *flags, last, rates[0])
