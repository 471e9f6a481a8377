from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.worlds import changed, world
from weaklink.base.evidence.acting import ActionLatency
from weaklink.base.finding import Finding
from weaklink.judge.rules.action.late_effect import late_effect
from weaklink.judge.rules.observation.lagging_view import lagging_view
from weaklink.judge.rules.observation.unfilled_column import unfilled_column


def latency(seen, paid=np.nan):
    return ActionLatency(seen=np.array(seen, dtype=float), paid=np.full(len(seen), paid), horizon=60)


def sick():
    return [
        changed(world(), latency=latency([5, 5, 7, 5, 5, 6])),
        # rewards know no sooner than observations
        changed(world(), latency=latency([4, 4, 4, 4, 4, np.nan], paid=5.0)),
    ]


def healthy():
    return [
        changed(world(), latency=latency([1, 1, np.nan, 1, 1, 1])),
        # a force that is seen in positions alone
        changed(world(), latency=latency([2, 2, 2, 2, 2, 2], paid=3.0)),
        # in one of the states it is seen at once
        changed(world(), latency=latency([9, 9, 9, 9, 9, 1])),
        # too few states in which anything was seen
        changed(world(), latency=latency([9, 9, np.nan, np.nan, np.nan, np.nan])),
        # the view is late, which is another rule's
        changed(world(), latency=latency([9, 9, 9, 9, 9, 9], paid=2.0)),
    ]


class Corridor(gymnasium.Env):
    """A walk along cells that look alike, to a junction where a turn is paid by a sign that only the start shows."""

    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def see(self, sign):
        return np.array([sign, self.cell == 5, 1.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sign, self.cell, self.walked = int(self.np_random.choice([-1, 1])), 0, 0
        return self.see(self.sign), {}

    def step(self, action):
        self.walked += 1
        turned = self.cell == 5 and action > 0
        self.cell = min(self.cell + (action == 0), 5)
        paid = float(np.sign(1.5 - action) == self.sign) if turned else -0.02
        return self.see(0), paid, turned, self.walked >= 40, {}


def test_a_walk_that_does_not_show_is_no_delay_and_what_the_start_shows_is_not_hidden():
    seen = survey_before("exchanged attributes", Corridor, steps=1500, episodes=60)
    assert late_effect.rule.ask(changed(seen, latency=latency([6, 6, 6, 6, 6, 6]))) is None
    assert unfilled_column.rule.ask(seen) is None


class LateActions(gymnasium.ActionWrapper):
    """Every action acts some steps after it was given."""

    def __init__(self, env, delay):
        super().__init__(env)
        self.delay, self.queue = delay, []

    def reset(self, **given):
        self.queue = [self.env.action_space.sample() * 0.0] * self.delay
        return super().reset(**given)

    def action(self, action):
        self.queue.append(action)
        return self.queue.pop(0)


class PositionOnly(gymnasium.ObservationWrapper):
    """Shows where the pendulum is and not how fast it goes."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def observation(self, observation):
        return observation[:2]


class LateView(gymnasium.Wrapper):
    """Every observation is some steps old; not an observation wrapper, so that it seems part of the environment."""

    def __init__(self, env, delay):
        super().__init__(env)
        self.delay, self.queue = delay, []

    def reset(self, **given):
        first, info = self.env.reset(**given)
        self.queue = [first] * self.delay
        return first, info

    def step(self, action):
        observation, *rest = self.env.step(action)
        self.queue.append(observation)
        return self.queue.pop(0), *rest


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("wrap", "code"),
    [
        (lambda env: env, None),
        (lambda env: LateActions(env, 1), None),
        (PositionOnly, None),
        (lambda env: LateActions(env, 6), "ACT107"),
        (lambda env: LateView(env, 15), "OBS111"),
    ],
    ids=["healthy", "a delay of one step", "a force seen in positions alone", "late actions", "late view"],
)
def test_real_delays_of_a_pendulum(wrap, code):
    survey = survey_before("short episodes", lambda: wrap(gymnasium.make("Pendulum-v1")), steps=800, episodes=3)
    asked = {one.rule.code: one.rule.ask(survey) for one in (late_effect, lagging_view)}
    assert [code for code, answer in asked.items() if isinstance(answer, Finding)] == ([code] if code else [])


class Steered(gymnasium.Env):
    """A point that goes where the action says."""

    observation_space = gymnasium.spaces.Box(-99.0, 99.0, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.left = self.np_random.uniform(-1, 1, 2), 50
        return self.place.copy(), {}

    def step(self, action):
        self.place, self.left = self.place + 0.1 * action, self.left - 1
        return self.place.copy(), -float(np.abs(self.place).sum()), False, self.left == 0, {}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("delay", "found"), [(0, False), (1, True)])
def test_commands_that_are_obeyed_one_step_late(delay, found):
    make = lambda: LateActions(Steered(), delay) if delay else Steered()  # noqa: E731
    answer = late_effect.rule.ask(survey_before("short episodes", make, steps=1500, episodes=20))
    assert isinstance(answer, Finding) is found
    assert not found or "one step late" in answer.message
