from __future__ import annotations

import gymnasium as gym
import msgspec
import numpy as np
import pytest

from tests.sparing import spare
from tests.surveying import survey_before
from tests.worlds import changed, held, world
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.reward.owed_at_the_end import owed_at_the_end


def shift(*, late=True, last=-5.0, ended=True, episodes=30):
    """Parcels that are packed: what each earns is held, and paid with the next one or at once."""
    length = 15

    def due(rng, step, before):
        return 0.0 if before is None else last if step == length else float(rng.integers(0, 5))

    kept = held(
        {"due": due},
        lambda now, before, over: [1.0],
        pay=lambda before, after: (before if late else after)["due"][0],
        episodes=episodes,
        length=length,
        terminated=np.full(episodes, ended),
    )
    return changed(world(), held=kept)


def sick():
    return [shift(), shift(last=3.0)]


def healthy():
    return [
        world(),
        # paid at once, and nothing owed at the end
        shift(late=False),
        shift(last=0.0),
        # a time limit cuts it short: what is owed is the start of the next stretch
        changed(shift(ended=False), plays=world().plays),
    ]


def test_what_is_lost_is_told():
    assert "30 of 30 episodes terminate with -5 on average unpaid" in owed_at_the_end.rule.ask(shift()).message


class Line(gym.Env):
    """Parcels that are packed, each for what it earns; what one earns is held and paid with the next, or at once."""

    observation_space = gym.spaces.Box(0.0, 9.0, (1,), np.float64)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, late):
        self.late = late

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.packed, self.due = int(self.np_random.integers(3)), 0.0
        return np.array([float(self.packed)]), {}

    def step(self, action):
        before, self.due = self.due, float(action) + 0.5
        self.packed += 1
        return np.array([float(self.packed)]), before if self.late else self.due, self.packed == 9, False, {}


UNITS = [(factor, late) for factor in (1.0, 0.05, 7.0) for late in (True, False)]


@pytest.mark.parametrize(("factor", "late"), spare(UNITS, lambda case: case in ((0.05, True), (7.0, False))))
def test_another_unit_outside_changes_nothing(factor, late):
    make = lambda: gym.wrappers.TransformReward(Line(late), lambda paid: factor * paid)  # noqa: E731
    seen = survey_before("exchanged attributes", make, steps=1000, episodes=20)
    assert (owed_at_the_end.rule.ask(seen) is not None) == late


def test_few_ends_do_not_tell():
    assert isinstance(owed_at_the_end.rule.ask(shift(episodes=5)), CannotTell)


def kept_back(*, emptied=True, first=0.0):
    """Episodes that are left before any ends; what is held is no number after a reset, and what first steps pay."""
    survey = shift(ended=False)
    kept = survey.held
    before, paid = kept.before.copy(), kept.rewards.copy()
    before[kept.firsts] = np.nan if emptied else 0.0
    paid[kept.firsts] = first
    return changed(survey, held=msgspec.structs.replace(kept, before=before, rewards=paid))


def test_what_is_empty_after_each_reset_is_paid_late_wherever_the_episode_is_left():
    answer = owed_at_the_end.rule.ask(kept_back())
    assert "it is empty after each reset, and the first step of every episode pays nothing" in answer.message
    assert not isinstance(owed_at_the_end.rule.ask(kept_back(first=1.0)), Finding)
    assert not isinstance(owed_at_the_end.rule.ask(kept_back(emptied=False)), Finding)
