"""What an environment holds is read without a call, and exchanged only in an instance that is thrown away."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from tests.survey.small import prepared
from weaklink.collect.survey.attributes import find_attributes, read_attributes
from weaklink.collect.survey.exchanging import exchange_attributes
from weaklink.collect.survey.holding import record_held_state
from weaklink.collect.survey.mapping import map_small_world


class Seeker(gym.Env):
    """Walks on a line to a goal that each reset draws; what is seen of it is told when it is made."""

    action_space = spaces.Discrete(2)

    def __init__(self, sees: str = "place") -> None:
        self.sees = sees
        self.observation_space = spaces.Box(-100.0, 100.0, (len(sees.split()),), np.float64)

    @property
    def harmful(self) -> float:
        raise AssertionError("a property must not be read")

    def look(self):
        return np.array([float(getattr(self, name)) for name in self.sees.split()])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.clock = 0, 0
        self.goal = int(self.np_random.integers(-5, 6))
        return self.look(), {}

    def step(self, action):
        self.place += 1 if action else -1
        self.clock += 1
        return self.look(), -abs(self.place - self.goal), False, self.clock >= 20, {}


def surveyed_seeker(**given):
    session, environment = prepared(lambda: Seeker(**given))
    session.deterministic = True
    found = record_held_state(session, environment)
    return found["held"], exchange_attributes(session)["exchanged"]


def test_attributes_are_recorded_beside_what_is_shown():
    held, _ = surveyed_seeker()
    assert dict.fromkeys(held.names).keys() == {"place", "clock", "goal"}
    place, goal = held.attributes["place"][0], held.attributes["goal"][0]
    assert held.successors[:, 0].tolist() == held.after[:, place].tolist()
    assert held.observations[:, 0].tolist() == held.before[:, place].tolist()
    assert held.drawn.tolist() == [name == "goal" for name in held.names]
    assert held.rewards.tolist() == (-np.abs(held.after[:, place] - held.after[:, goal])).tolist()


def test_a_goal_that_is_not_shown_changes_rewards_and_no_observation():
    _, (hidden,) = surveyed_seeker()
    assert (hidden.name, hidden.shown) == ("goal", 0)
    assert hidden.paid > hidden.tried // 2
    _, (shown,) = surveyed_seeker(sees="place goal")
    assert shown.shown == shown.tried > 0


class FarSeeker(Seeker):
    """The goal lies at one of two far ends, and is one only for who says so there."""

    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.goal = int(self.np_random.integers(-1, 2)), int(self.np_random.choice((-12, 12)))
        return self.look(), {}

    def step(self, action):
        self.place = min(max(self.place + (1, -1, 0)[action], -12), 12)
        self.clock += 1
        found = action == 2 and self.place == self.goal
        return self.look(), float(found), found, self.clock >= 30, {}


def exchange_far_goal(**given):
    session, environment = prepared(lambda: FarSeeker(**given))
    session.deterministic = True
    record_held_state(session, environment)
    (without,) = exchange_attributes(session)["exchanged"]
    map_small_world(session, environment)
    (known,) = exchange_attributes(session)["exchanged"]
    return without, known


def test_a_goal_that_random_play_never_meets_is_noticed_on_the_way_to_it():
    without, known = exchange_far_goal()
    assert (without.shown, without.paid, known.shown) == (0, 0, 0)
    assert known.tried > without.tried
    assert known.paid == known.tried - without.tried > 0
    assert exchange_far_goal(sees="place goal")[1].shown > 0


def test_settings_and_tables_are_not_recorded():
    class Set(Seeker):
        gains = 1.0

        def __init__(self):
            super().__init__()
            self.mass, self.table = 2.0, {row: [(row, 0.5)] for row in range(60)}

    session, environment = prepared(Set)
    assert set(record_held_state(session, environment)["held"].names) == {"place", "clock", "goal"}
    assert {one.name for one in find_attributes(environment.inner)} == {"mass", "place", "clock", "goal"}


def test_numbers_are_found_in_containers_and_plain_objects():
    thing = SimpleNamespace(
        speed=1.5,
        on=True,
        word="no",
        body=[(1, 2), (3, 4)],
        late=deque([1.0, 2.0]),
        wide=np.zeros(1000),
        inside=SimpleNamespace(angle=0.5, deeper=SimpleNamespace(mass=2.0, deepest=SimpleNamespace(lost=1))),
        parts={"left": np.arange(2), "right": None},
        draws=np.random.default_rng(),
        huge=10**400,
    )
    thing.itself = thing
    found = find_attributes(thing)
    assert [(one.name, one.size) for one in found] == [
        ("speed", 1),
        ("on", 1),
        ("body", 4),
        ("late", 2),
        ("inside.angle", 1),
        ("inside.deeper.mass", 1),
        ("parts['left']", 2),
        ("huge", 1),
    ]
    thing.body.append((5, 6))
    del thing.speed
    row = read_attributes(thing, found)
    assert np.isnan(row[[0, 2, 3, 4, 5, -1]]).all(), "what is gone, or has become longer, is no number"
    assert row[1] == 1.0


def test_what_is_put_into_an_attribute_is_there():
    thing = SimpleNamespace(goal=(1, 2), array=np.zeros(2), table={"a": 1.0})
    alias = thing.array
    for one, value in zip(find_attributes(thing), ((3, 4), np.ones(2), 5.0), strict=True):
        assert one.put(thing, value)
    assert thing.goal == (3, 4)
    assert alias.tolist() == [1.0, 1.0], "an array stays the same array"
    assert thing.table == {"a": 5.0}


def test_something_large_that_resets_draw_is_named():
    class Mapped(Seeker):
        def reset(self, *, seed=None, options=None):
            answer = super().reset(seed=seed)
            self.plan = np.arange(11) == self.goal + 5
            return answer

    _, (bare,) = surveyed_seeker()
    assert bare.beside == ""
    session, environment = prepared(Mapped)
    session.deterministic = True
    record_held_state(session, environment)
    assert {one.beside for one in exchange_attributes(session)["exchanged"]} == {"plan"}


def test_an_environment_that_raises_when_it_is_changed_is_not_blamed():
    class Fragile(Seeker):
        def reset(self, *, seed=None, options=None):
            answer = super().reset(seed=seed)
            self.drawn = self.goal
            return answer

        def step(self, action):
            if self.goal != self.drawn:
                raise ValueError("somebody has changed it")
            return super().step(action)

    session, environment = prepared(Fragile)
    session.deterministic = True
    record_held_state(session, environment)
    assert exchange_attributes(session) == {"exchanged": ()}
    assert session.faults == []


class Thermostat(Seeker):
    """Has a set point that nothing changes, and a mode that the third episode changes."""

    def __init__(self):
        super().__init__()
        self.setpoint, self.mode, self.resets = 21.0, 1, 0

    def reset(self, **given):
        self.resets += 1
        self.mode = 1 + (self.resets > 30)
        return super().reset(**given)


def test_settings_that_nothing_changes_are_told_by_name():
    session, environment = prepared(Thermostat)
    settings = record_held_state(session, environment)["held"].settings
    assert settings["setpoint"] == 21.0
    assert not {"mode", "goal", "place"} & set(settings)
