"""The disguises of `bench/same_fault.py` keep the contract and change nothing about what an environment does."""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from disguises import DISGUISES, Inapplicable


class Walk(gym.Env):
    """A place on a line and how far the end is, with a mask of the steps that stay on it."""

    observation_space = spaces.Box(np.array([0.0, -5.0]), np.array([5.0, 0.0]), dtype=np.float64)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = int(self.np_random.integers(5))
        return self.look()

    def look(self):
        mask = np.array([self.at > 0, True, True], dtype=np.int8)
        return np.array([self.at, self.at - 5.0]), {"action_mask": mask}

    def step(self, action):
        self.at = max(self.at + int(action) - 1, 0)
        seen, info = self.look()
        return seen, 0.1 * self.at, self.at == 5, False, info


class Push(Walk):
    """The same line, pushed along it."""

    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def step(self, action):
        return super().step(1 + np.sign(float(action[0])))


def put_on(name, env):
    try:
        return DISGUISES[name].wrap(env)
    except Inapplicable:
        return None


def play(env):
    """The rewards, ends and masks of an episode by the seed alone, and whether all that was seen is in its space."""
    seen, info = env.reset(seed=3)
    rows, masks, inside = [], [info["action_mask"]], env.observation_space.contains(seen)
    env.action_space.seed(5)
    for _ in range(30):
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
        inside = inside and env.observation_space.contains(seen)
        rows.append((reward, terminated, truncated))
        masks.append(info["action_mask"])
        if terminated:
            break
    return rows, np.array(masks), inside


@pytest.mark.parametrize("name", DISGUISES)
@pytest.mark.parametrize("make", [Walk, Push])
def test_what_is_seen_is_in_its_space_and_a_seed_gives_the_same_again(name, make):
    env = put_on(name, make())
    if env is not None:
        rows, masks, inside = play(env)
        assert inside
        again = play(put_on(name, make()))
        assert rows == again[0]
        np.testing.assert_array_equal(masks, again[1])


def test_a_mask_follows_its_choices():
    env = put_on("choices relabelled", Walk())
    _, info = env.reset(seed=0)
    while env.unwrapped.at:  # the choice that leads back is the one that becomes invalid at the end
        back = next(choice for choice in range(3) if env.do(choice) == 0)
        _, _, _, _, info = env.step(back)
    assert info["action_mask"][back] == 0
    assert info["action_mask"].sum() == 2


def test_scales_and_ranges_are_others_and_the_courses_are_the_same():
    plain, wide = Push(), put_on("actions in another range", Push())
    scaled = put_on("columns rescaled", Push())
    for env in (plain, wide, scaled):
        env.reset(seed=4)
    assert wide.action_space.high[0] == 4.0
    one, same, other = (
        env.step(np.array([push], np.float32)) for env, push in ((plain, 1.0), (wide, 4.0), (scaled, 1.0))
    )
    np.testing.assert_array_equal(one[0], same[0])
    assert one[1] == same[1] == other[1]
    assert not np.allclose(one[0], other[0])
