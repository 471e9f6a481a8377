from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium as gym
import msgspec
import numpy as np
import pytest

from tests.sparing import spare
from tests.survey.small import Slider
from weaklink.base.evidence.survey import Survey
from weaklink.collect.survey import SurveyPlan, surveyed

OF_THE_CLOCK = ("seconds", "step_seconds", "timing", "memory")


def plain(value: Any) -> Any:
    """All that was seen, as something that can be compared; nothing that a clock or the machine decides."""
    if isinstance(value, msgspec.Struct):
        names = (name for name in value.__struct_fields__ if name not in OF_THE_CLOCK)
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def looked_at(make, seed: int) -> Survey:
    found = surveyed(make, SurveyPlan(seconds=600, steps=200, episodes=5, seed=seed), name="one")
    assert found.faults == ()
    return found


@cache
def seen_once(name: str) -> Survey:
    """The first of two surveys that are compared."""
    return looked_at(MAKES[name], 3)


def differing(one: Survey, other: Survey) -> list[str]:
    first, second = plain(one), plain(other)
    return [name for name in first if first[name] != second[name]]


MAKES = {
    "choices": lambda: gym.make("CartPole-v1"),
    "numbers": Slider,
    "table": lambda: gym.make("FrozenLake-v1"),
    "vector": lambda: gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 2),
}


@pytest.mark.parametrize("name", spare(MAKES, lambda name: name != "vector"))
def test_the_same_seed_gives_the_same_survey(name):
    first, again = seen_once(name), looked_at(MAKES[name], 3)
    assert differing(first, again) == []
    assert len(first.plays) >= 3


def test_another_seed_gives_another_one():
    assert "plays" in differing(seen_once("choices"), looked_at(MAKES["choices"], 4))


def test_what_was_drawn_before_makes_no_difference():
    first = seen_once("numbers")
    np.random.seed(99)  # noqa: NPY002
    np.random.normal(size=5)  # noqa: NPY002
    assert differing(first, looked_at(Slider, 3)) == []
