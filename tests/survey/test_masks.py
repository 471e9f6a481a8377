from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.survey.small import prepared
from weaklink.collect.survey.masks import STATES, examine_masks


def masked(make, **plan):
    session, environment = prepared(make, **plan)
    found = examine_masks(session, environment).get("masks")
    assert session.faults == []
    return found


def test_the_masks_of_taxi_are_those_of_a_slow_loop():
    found = masked(lambda: gym.make("Taxi-v4"))
    session, environment = prepared(lambda: gym.make("Taxi-v4"))
    env = gym.make("Taxi-v4")
    from weaklink.base.evidence.spaces import sample_space

    actions = sample_space(environment.action, STATES, session.rng)[:, 0].astype(int)
    _, info = env.reset(seed=0)
    invalid, taken = [], []
    for action in actions:
        invalid.append(np.mean(info["action_mask"] == 0))
        taken.append(info["action_mask"][action] == 0)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    assert found.source == "info['action_mask']"
    assert found.states == STATES
    assert found.invalid == pytest.approx(np.mean(invalid))
    assert found.invalid_taken == pytest.approx(np.mean(taken))
    assert 0.3 < found.invalid < 0.7


class Masked(gym.Env):
    """Actions 5 and 6 are valid in turns, 7 never."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(3, start=5)

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return 0, {}

    def step(self, action):
        self.place = 1 - self.place
        return self.place, 0.0, False, False, {}


class Tells(Masked):
    def action_masks(self):
        return [self.place == 0, self.place == 1, False]


class Shows(Masked):
    observation_space = spaces.Dict({"place": spaces.Discrete(2), "action_mask": spaces.MultiBinary(3)})

    def reset(self, *, seed=None, options=None):
        super().reset()
        return self.seen(), {}

    def step(self, action):
        _, *rest = super().step(action)
        return self.seen(), *rest

    def seen(self):
        return {"place": self.place, "action_mask": np.array([1, 0, 0], dtype=np.int8)}


class ShowsOtherwise(Shows):
    """The mask under a shorter name, beside numbers that are none."""

    observation_space = spaces.Dict(
        {"bitmask_of_places": spaces.Box(0, 9, (3,), int), "mask": spaces.MultiBinary(3), "place": spaces.Discrete(2)}
    )

    def seen(self):
        return {"bitmask_of_places": np.array([4, 0, 1]), "mask": np.array([1, 0, 0], np.int8), "place": self.place}


class ShowsNumbers(Masked):
    """A mask of another length is none."""

    def action_masks(self):
        return [True]


def test_masks_come_from_the_info_the_observation_or_a_method():
    told = masked(Tells)
    assert told.source == "action_masks()"
    assert told.invalid == pytest.approx(2 / 3)
    assert 0.55 < told.invalid_taken < 0.8
    shown = masked(Shows)
    assert shown.source == "observation['action_mask']"
    assert shown.invalid == pytest.approx(2 / 3)
    assert masked(ShowsOtherwise).source == "observation['mask']"


@pytest.mark.parametrize(
    "make", [Masked, ShowsNumbers, lambda: gym.make("CartPole-v1"), lambda: gym.make("Pendulum-v1")]
)
def test_most_environments_have_none(make):
    assert masked(make) is None
