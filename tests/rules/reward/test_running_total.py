from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import changed, play, world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.reward.running_total import running_total


def paid(rewards, **given):
    return changed(world(), plays={"random": play("random", rewards=rewards, **given)})


def totals(drift=0.3, spread=0.4):
    steps = drift + np.random.default_rng(0).normal(0, spread, (100, 50))
    return np.cumsum(steps, axis=1).ravel()


def clicks():
    """What was clicked so far in short visits: no reward is ever less than the one before."""
    clicked = np.random.default_rng(0).random((400, 12)) < 0.4
    seen = np.column_stack([clicked.ravel(), np.zeros((4800, 2))]).astype(float)
    total = np.cumsum(clicked, axis=1).ravel().astype(float)
    return paid(total, lengths=[12] * 400, observations=np.zeros((4800, 3)), successors=seen)


def waiting(exact=True):
    """The sum of all waiting so far, where queues are seen and grow: the total is partly seen in them."""
    rng = np.random.default_rng(0)
    queue = 3.0 + 0.06 * np.arange(50) + rng.normal(0, 0.6, (100, 50))
    seen = np.repeat(queue.reshape(-1, 1), 3, axis=1) * [1.0, 0.5, 2.0]
    total = -np.cumsum(queue + (0.0 if exact else rng.normal(0, 0.5, queue.shape)), axis=1).ravel()
    return paid(total, observations=np.roll(seen, 1, axis=0), successors=seen)


def hits(falls=False):
    """A score of rare hits, which nothing that is seen foresees; or one that now and then is lost again."""
    rng = np.random.default_rng(0)
    hit = (rng.random((100, 100)) < 0.03).astype(float)
    hit -= (rng.random((100, 100)) < 0.01) * float(falls)
    return paid(np.cumsum(hit, axis=1).ravel(), lengths=[100] * 100)


def wide():
    """A score of what was caught and missed, beside a picture of seventy pixels that shows neither."""
    rng = np.random.default_rng(0)
    score = np.cumsum(np.where(rng.random((50, 200)) < 0.1, np.where(rng.random((50, 200)) < 0.2, 1.0, -1.0), 0.0), 1)
    picture = (rng.random((10_000, 70)) < 0.03).astype(float)
    return paid(score.ravel(), lengths=[200] * 50, observations=picture, successors=np.roll(picture, -1, axis=0))


def sick():
    counted = clicks()
    return [waiting(), paid(totals()), paid(totals(drift=-0.3)), paid(1e6 * totals()), counted, hits(), wide()]


def healthy():
    walk = play("random")
    clock = walk.observations.copy()
    clock[:, 0] = walk.time
    return [
        world(),
        # a quantity of the state that grows and is seen
        paid(walk.time * 0.1, observations=clock, successors=clock),
        paid(np.abs(walk.observations[:, 0])),
        # grows to a level and stays there
        paid(1.0 - np.exp(-walk.time / 5.0) + np.random.default_rng(1).normal(0, 0.01, len(walk.time))),
        paid(totals() + 50.0),
        # a stock that is seen in part, and changes by more than what is seen
        waiting(exact=False),
        paid(np.diff(totals(), prepend=0.0)),
        hits(falls=True),
        # short visits in which chance adds up to little
        paid(np.cumsum(np.random.default_rng(0).normal(0.1, 1.0, (400, 12)), axis=1).ravel(), lengths=[12] * 400),
    ]


class Total(gym.Wrapper):
    """Pays what was earned so far."""

    def reset(self, **given):
        self.total = 0.0
        return self.env.reset(**given)

    def step(self, action):
        observation, reward, *rest = self.env.step(action)
        self.total += float(reward)
        return observation, self.total, *rest


def ask(make):
    return running_total.rule.ask(survey_before("the same seed twice", make, steps=4000, episodes=20))


def test_the_total_of_a_pendulum_is_found():
    answer = ask(lambda: Total(gym.make("Pendulum-v1")))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.WARN
    assert "running total" in answer.message


@pytest.mark.parametrize("name", ["Pendulum-v1", "MountainCarContinuous-v0", "Acrobot-v1"])
def test_rewards_of_steps_are_right(name):
    assert ask(lambda: gym.make(name)) is None


def test_short_episodes_do_not_tell():
    assert isinstance(running_total.rule.ask(paid(totals(), lengths=[8] * 625)), CannotTell)
