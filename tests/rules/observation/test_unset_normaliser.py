from __future__ import annotations

from typing import Any

from tests.models import checked, normaliser
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

FRESH: dict[str, Any] = {
    "samples": 1e-4,
    "mean_largest": 0.0,
    "variance_smallest": 1.0,
    "variance_largest": 1.0,
    "centre": 40.0,
    "scale": 12.0,
}


def with_one(steps: int = 0, **given: Any) -> ModelCheck:
    return checked(steps=steps, normalisers=(normaliser(**given),))


def sick():
    return [
        with_one(**FRESH, training=False),
        with_one(steps=100_000, **FRESH),
        with_one(steps=100_000, clipped=0.4),
        with_one(steps=100_000, narrow=("observation[3]",)),
        checked(normalisers=(normaliser(), normaliser(clipped=0.3))),
        # TorchRL: a transform that nobody initialised
        with_one(kind="ObservationNorm", samples=0.0, training=False, mean_largest=None, centre=None, scale=None),
    ]


def healthy():
    return [
        checked(),
        with_one(),
        # before training a fresh normaliser of a fresh model is as it should be, however far the observations are
        with_one(**FRESH),
        with_one(**FRESH, clipped=0.9),
        # frozen and unset, but the observations are of unit size anyway
        with_one(**(FRESH | {"centre": 0.4, "scale": 1.1}), training=False),
        # random play and a trained policy see different places
        with_one(steps=1_000_000, clipped=0.08, centre=4.0, scale=6.0),
        # too few samples to believe that a column is constant
        with_one(samples=200.0, narrow=("observation[3]",)),
        checked(normalisers=None),
        ModelCheck(),
    ]


def test_cannot_judge_what_passes_through_unseen():
    hidden = with_one(**(FRESH | {"centre": None, "scale": None}), training=False)
    assert isinstance(find_rule("OBS121").ask(hidden), CannotTell)


def test_says_why_a_fresh_one_is_wrong_here():
    assert "the model has 100,000 steps" in find_rule("OBS121").ask(sick()[1]).message
    assert "switched off" in find_rule("OBS121").ask(sick()[0]).message
