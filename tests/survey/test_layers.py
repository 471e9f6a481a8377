"""What a wrapper that makes two steps of one hands out, and whether it passes a time limit on."""

from __future__ import annotations

import gymnasium as gym
import pytest

from tests.surveying import survey_before
from weaklink.adapters.gymnasium.environment import environment
from weaklink.judge.rules._wrappers import find_end_changes, list_stale_layers


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


class Plays(gym.Wrapper):
    """Every action is given twice, as long as the pole stands; a time limit is handed on, or by mistake overlooked."""

    def __init__(self, env: gym.Env, looks: bool) -> None:
        super().__init__(env)
        self.looks = looks

    def step(self, action):
        paid, truncated = 0.0, False
        for _ in range(2):
            seen, reward, terminated, limit, info = self.env.step(action)
            paid, truncated = paid + float(reward), self.looks and limit
            if terminated or truncated:
                break
        return seen, paid, terminated, truncated, info


@pytest.mark.parametrize(("looks", "kept"), [(False, ["keeps `truncated` to itself"]), (True, [])])
def test_a_time_limit_that_random_play_never_lives_to_see_is_tried_all_the_same(looks, kept):
    made = []

    def make():
        made.append(Plays(gym.make("CartPole-v1"), looks))
        return made[-1]

    survey = survey_before("members", make, steps=1_500, episodes=12)
    assert [change.words for change in find_end_changes(survey)] == kept
    assert {each.env._max_episode_steps for each in made} == {500}  # as it was


class TimeLimit(gym.Wrapper):
    """A limit of the user's own, which keeps its number under another name."""

    most = 9


def test_a_limit_of_the_users_own_is_left_alone():
    env = environment(TimeLimit(gym.make("CartPole-v1", max_episode_steps=70)))
    with env.shortened(5):
        assert env.env.env._max_episode_steps == 5
    assert env.facts["max_episode_steps"] == env.env.env._max_episode_steps == 70
