"""What a wrapper that makes two steps of one hands out."""

from __future__ import annotations

import gymnasium as gym
import pytest

from tests.surveying import survey_before
from weaklink.judge.rules._wrappers import list_stale_layers


class Repeats(gym.Wrapper):
    """Every action is given twice; out comes what followed the last step, or by mistake the first."""

    def __init__(self, env: gym.Env, handed: int) -> None:
        super().__init__(env)
        self.handed = handed

    def step(self, action):
        both, paid = [], 0.0
        for _ in range(2):
            seen, reward, terminated, truncated, info = self.env.step(action)
            both.append(seen)
            paid += float(reward)
            if terminated or truncated:
                break
        return both[min(self.handed, len(both) - 1)], paid, terminated, truncated, info


@pytest.mark.parametrize(("handed", "stale"), [(0, ["Repeats"]), (1, [])])
def test_the_observation_after_the_first_of_two_steps_is_out_of_date(handed, stale):
    survey = survey_before("members", lambda: Repeats(gym.make("Pendulum-v1"), handed), steps=1_500, episodes=12)
    assert [layer.name for layer in list_stale_layers(survey)] == stale
