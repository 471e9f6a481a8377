from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.survey.small import Slider, later, prepared
from weaklink.adapters.described import describe_space
from weaklink.base.evidence.acting import ActionSweep
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.sweeps import (
    FAR,
    NEAR,
    STATES,
    VALUES,
    find_reference_action,
    list_constant_actions,
    pick_values,
    sweep_actions,
)


def swept(make, **plan) -> tuple[ActionSweep, ...]:
    session, environment = prepared(make, **plan)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    played = play(session, environment, act, policy="random", steps=500, episodes=10, until=later(), keep=500)
    session.deterministic, session.random = True, played
    kinds = tuple(column.kind for column in environment.observation.columns)
    return sweep_actions(session, environment, played, kinds).get("sweeps", ()), played


def test_effects_are_those_of_a_slow_loop():
    """A cart that goes where it is pushed: the distance is the push times the steps, over the spread of random play."""
    found, played = swept(Slider)
    spread = played.observations.std(axis=0)
    assert [one.dimension for one in found] == [0, 1]
    for one in found:
        assert one.near.shape == one.far.shape == one.still.shape == (STATES, len(VALUES))
        assert one.values.tolist() == one.positions.tolist() == list(VALUES)
        push = np.abs(np.asarray(VALUES)) / spread[one.dimension]
        assert one.near == pytest.approx(np.tile(NEAR * push, (STATES, 1)))
        assert one.far == pytest.approx(np.tile(FAR * push, (STATES, 1)))
        assert one.horizon == FAR
        assert one.still.tolist() == [[value == 0.0 for value in VALUES]] * STATES
        assert one.motion == pytest.approx(np.zeros(STATES))
    assert found[1].far_reward.max() == 0.0, "only the first cart is paid"
    assert found[0].near_reward.max() > 0.0


def test_rewards_are_summed_up_to_the_horizon():
    (one, _), _ = swept(Slider)
    env = Slider()

    def paid(value: float, steps: int) -> float:
        env.reset(seed=1000)
        return sum(env.step(np.array([value, 0.0]))[1] for _ in range(steps))

    for steps, found in ((NEAR, one.near_reward[0]), (FAR, one.far_reward[0])):
        assert found == pytest.approx([abs(paid(value, steps) - paid(0.0, steps)) for value in VALUES])


def test_a_dimension_that_is_not_wired_does_nothing():
    (live, dead), _ = swept(lambda: Slider(gains=(1.0, 0.0)))
    assert dead.near.max() == dead.far.max() == dead.far_reward.max() == 0.0
    assert dead.still.all()
    assert live.near[:, 0].min() > 0.0


def test_a_tiny_scale_shows_against_the_motion_of_the_state():
    (one, _), _ = swept(lambda: Slider(gains=(1e-4, 1.0), drift=0.5))
    assert one.motion.min() > 0.0
    assert one.far.max() < 0.01 * one.motion.min()


def test_saturation_shows_as_small_values_that_do_as_much_as_large_ones():
    (one, _), _ = swept(lambda: Slider(limit=0.1))
    place = VALUES.index(0.1)
    assert one.far[:, place] == pytest.approx(one.far[:, -1])
    assert one.far[:, place].min() > 0.0
    (sound, _), _ = swept(Slider)
    assert sound.far[:, place] == pytest.approx(0.1 * sound.far[:, -1])


def test_choices_are_compared_with_the_first_of_them():
    (one,), _ = swept(lambda: gym.make("CartPole-v1"))
    assert one.values.tolist() == one.positions.tolist() == [0.0, 1.0]
    assert one.near[:, 0].tolist() == [0.0] * len(one.near)
    assert one.near[:, 1].min() > 0.1
    assert one.label == "action"


class Gears(Slider):
    """A dict of choices and numbers; the third choice does what the second does."""

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Dict({"gear": spaces.Discrete(3, start=1), "push": spaces.Box(-1, 1, (1,))})

    def step(self, action):
        return super().step(np.array([min(action["gear"], 2), action["push"][0]], dtype=float))


def test_dicts_are_swept_by_their_labels():
    (gear, push), _ = swept(Gears)
    assert (gear.label, push.label) == ("gear", "push[0]")
    assert gear.values.tolist() == [1.0, 2.0, 3.0]
    assert gear.far[:, 1] == pytest.approx(gear.far[:, 2])
    assert gear.far[:, 1].min() > 0.0
    assert push.far[:, -1].min() > 0.0


class Falls(Slider):
    """The episode is over at once when the first push is strong."""

    def step(self, action):
        *rest, _, truncated, info = super().step(action)
        return *rest, bool(action[0] > 0.9), truncated, info


def test_an_episode_that_ends_is_an_effect():
    (one, _), _ = swept(lambda: Falls(gains=(0.0, 1.0)))
    assert one.far[:, -1].min() >= 1.0
    assert one.far[:, 0].max() == 0.0


def test_nothing_is_swept_where_a_state_cannot_be_reached_twice():
    session, environment = prepared(Slider)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    played = play(session, environment, act, policy="random", steps=100, episodes=1, until=later(), keep=100)
    for known in (False, None):
        session.deterministic = known
        assert sweep_actions(session, environment, played, ("number", "number")) == {}


@pytest.mark.parametrize(
    ("space", "values"),
    [
        (spaces.Box(-1, 1, (1,)), list(VALUES)),
        (spaces.Box(0, 10, (1,)), [0, 2.5, 4.5, 5, 5.5, 7.5, 10]),
        (spaces.Box(-np.inf, np.inf, (1,)), list(VALUES)),
        (spaces.Discrete(3, start=-1), [-1, 0, 1]),
        (spaces.MultiBinary(1), [0, 1]),
    ],
)
def test_the_values_tried(space, values):
    ours = describe_space(space)
    assert pick_values(ours, 0, ours.columns[0]) == pytest.approx(values)


def test_of_many_choices_some_are_tried_from_first_to_last():
    ours = describe_space(spaces.Discrete(1000))
    values = pick_values(ours, 0, ours.columns[0])
    assert len(values) == 18
    assert (values[0], values[-1]) == (0, 999)


def test_the_other_dimensions_are_held_at_rest_or_in_the_middle():
    rng = np.random.default_rng(0)
    assert find_reference_action(describe_space(spaces.Box(-1, 1, (2,))), rng).tolist() == [0.0, 0.0]
    assert find_reference_action(describe_space(spaces.Box(2, 4, (2,))), rng).tolist() == [3.0, 3.0]
    mixed = find_reference_action(describe_space(spaces.Tuple((spaces.Discrete(5), spaces.Box(2, 4, (1,))))), rng)
    assert mixed[1] == 3.0
    assert mixed[0] in range(5)


def test_constant_actions_worth_a_try():
    assert [row.tolist() for row in list_constant_actions(describe_space(spaces.Discrete(2, start=3)))] == [
        [3.0],
        [4.0],
    ]
    box = describe_space(spaces.Box(np.array([-1.0, 0.0]), np.array([1.0, 2.0]), dtype=np.float64))
    assert [row.tolist() for row in list_constant_actions(box)] == [[-1.0, 0.0], [1.0, 2.0], [0.0, 1.0]]


class Lamps(gym.Env):
    """Five lamps: pressing one turns it on, or off again; all dark is the goal."""

    observation_space = spaces.MultiBinary(5)
    action_space = spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lit, self.time = self.np_random.integers(0, 2, 5).astype(np.int8), 0
        return self.lit.copy(), {}

    def step(self, action):
        self.lit[action] ^= 1
        self.time += 1
        dark = not self.lit.any()
        return self.lit.copy(), float(dark), dark, self.time >= 30, {}


def test_a_switch_that_is_pressed_twice_had_an_effect_on_the_way():
    (one,), _ = swept(Lamps)
    pressed = one.near[:, 1:]
    assert np.all(pressed[np.isfinite(pressed)] >= 1.0), "after two presses everything is as it was"
    assert np.all(one.near[:, 0] == 0.0)
    assert np.all(one.far[:, 0] == 0.0)
