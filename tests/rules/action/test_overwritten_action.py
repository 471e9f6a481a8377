from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import changed, world
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.action.overwritten_action import overwritten_action
from weaklink.judge.rules.environment.nondeterministic import nondeterministic


def sick():
    return changed(world(), overwritten="action[0]")


def healthy():
    return changed(world(), overwritten="")


def test_not_looked_at_is_not_clean():
    assert isinstance(overwritten_action.rule.ask(world()), CannotTell)


class Scaled(gym.Wrapper):
    """A pendulum of half the torque."""

    def __init__(self, copied):
        super().__init__(gym.make("Pendulum-v1"))
        self.copied = copied

    def step(self, action):
        torque = np.array(action) if self.copied else action
        torque *= 0.5
        return super().step(torque)


@pytest.mark.parametrize("copied", [False, True])
def test_a_wrapper_that_scales_in_place_and_its_healthy_twin(copied):
    seen = survey_before("other actions", lambda: Scaled(copied), steps=400, episodes=2)
    assert isinstance(overwritten_action.rule.ask(seen), Finding) is not copied
    assert not isinstance(nondeterministic.rule.ask(seen), Finding), "the same actions are played, not what is left"
