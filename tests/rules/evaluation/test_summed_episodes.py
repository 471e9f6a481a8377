from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import changed, play, with_play, world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.evaluation.summed_episodes import summed_episodes


def told(returns=None, lengths=None):
    made = play("random", lengths=np.tile([40, 60], 20))
    return with_play(
        world(),
        random=changed(
            made,
            told_returns=None if returns is None else returns(made.returns),
            told_lengths=None if lengths is None else lengths(made.lengths.astype(float)),
        ),
    )


def same(values):
    return values


def sick():
    return [told(returns=np.cumsum), told(returns=same, lengths=np.cumsum)]


def healthy():
    gaps = np.where(np.arange(40) % 3 == 0, np.nan, 1.0)
    return [
        told(returns=same, lengths=same),
        # rewards in other units, as inside of a normaliser, and episodes of which nothing is told
        told(returns=lambda returns: 100.0 * returns, lengths=same),
        told(returns=lambda returns: returns * gaps),
        # a task that pays nothing yet
        told(returns=np.zeros_like),
    ]


class Season(gym.Wrapper):
    """A scoreboard that is never wiped."""

    total = 0.0

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += float(reward)
        if terminated or truncated:
            info = {**info, "episode": {"r": self.total, "l": 1}}
        return observation, reward, terminated, truncated, info


def ask(make):
    return summed_episodes.rule.ask(survey_before("the same seed twice", make, steps=600, episodes=20))


def test_a_scoreboard_that_is_never_wiped_and_that_of_gymnasium():
    answer = ask(lambda: Season(gym.make("CartPole-v1")))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.ERROR
    assert "info['episode']['r'] is not the return of the episode" in answer.message
    assert ask(lambda: gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1"))) is None
    assert isinstance(ask(lambda: gym.make("CartPole-v1")), CannotTell)
