"""Plays against a second, slow implementation of the same episodes."""

from __future__ import annotations

import random

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.survey.small import Scripted, later, prepared
from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.spaces import make_flattener
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED, Play
from weaklink.collect.survey import sampler
from weaklink.collect.survey import session as session_module
from weaklink.collect.survey.sampler import make_random_policy, pick_columns, play


def played(make, *, steps=1, episodes=1, keep=10_000, until=None, act=None, **plan):
    session, environment = prepared(make, **plan)
    act = act or make_random_policy(environment.action, np.random.default_rng(1))
    until = later() if until is None else until
    found = play(session, environment, act, policy="random", steps=steps, episodes=episodes, until=until, keep=keep)
    return session, found


def slowly(make, episodes: int, seed: int = 0) -> list[dict]:
    """Each step of so many episodes, as everybody would write it."""
    env = make()
    environment = adapt_environment(env)
    act, flat = (
        make_random_policy(environment.action, np.random.default_rng(1)),
        make_flattener(environment.observation),
    )
    rows = []
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed if episode == 0 else None)
        over = False
        while not over:
            before, action = np.array(flat(observation), dtype=float).reshape(-1), act(observation)
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            after = np.array(flat(observation), dtype=float).reshape(-1)
            rows.append({"episode": episode, "before": before, "after": after, "reward": float(reward), "info": info})
            rows[-1] |= {"action": np.asarray(action, dtype=float).reshape(-1), "ends": (terminated, truncated)}
    return rows


def of(rows: list[dict], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows])


def agrees(found: Play, rows: list[dict]) -> None:
    assert np.array_equal(found.observations, of(rows, "before"))
    assert np.array_equal(found.successors, of(rows, "after"))
    assert np.array_equal(found.actions, of(rows, "action"))
    assert np.array_equal(found.rewards, of(rows, "reward"))
    assert np.array_equal(found.episode_of, of(rows, "episode"))
    words = {(True, False): TERMINATED, (False, True): TRUNCATED, (True, True): BOTH}
    last = [rows[end]["ends"] for end in np.cumsum(found.lengths) - 1]
    assert found.ends.tolist() == [words[bool(one), bool(other)] for one, other in last]


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "Taxi-v4", "Blackjack-v1"])
def test_a_play_is_what_happened(name):
    _, found = played(lambda: gym.make(name), steps=300, episodes=3)
    agrees(found, slowly(lambda: gym.make(name), len(found.lengths)))
    assert found.episodes >= 3
    assert len(found.rewards) >= 300


def test_a_time_limit_is_told_from_an_end():
    make = lambda: gym.make("CartPole-v1", max_episode_steps=12)  # noqa: E731
    _, found = played(make, episodes=30)
    agrees(found, slowly(make, 30))
    assert {TERMINATED, TRUNCATED} <= set(found.ends.tolist())
    assert set(found.lengths[found.ends == TRUNCATED].tolist()) == {12}


def test_every_way_to_end():
    ends = ("terminated", "truncated", "both")
    _, found = played(lambda: Scripted((3, 1, 5), ends), episodes=6)
    agrees(found, slowly(lambda: Scripted((3, 1, 5), ends), 6))
    assert found.ends.tolist() == [TERMINATED, TRUNCATED, BOTH] * 2
    assert found.lengths.tolist() == [3, 1, 5] * 2


def test_it_goes_on_until_there_are_enough_steps_and_enough_episodes():
    assert played(lambda: Scripted((4,)), steps=10, episodes=2)[1].lengths.tolist() == [4, 4, 4]
    assert played(lambda: Scripted((4,)), steps=1, episodes=5)[1].episodes == 5


class Nested(gym.Env):
    """Dict, tuple, image and choice at once; the action is a pair."""

    observation_space = spaces.Dict(
        {
            "picture": spaces.Box(0, 255, (4, 4), np.uint8),
            "pair": spaces.Tuple((spaces.Discrete(5, start=1), spaces.MultiBinary(2))),
        }
    )
    action_space = spaces.Dict({"push": spaces.Box(-1, 1, (2,)), "gear": spaces.MultiDiscrete([2, 3])})

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.observation_space.seed(seed)
        self.left = 7
        return self.observation_space.sample(), {}

    def step(self, action):
        assert action in self.action_space
        self.left -= 1
        return self.observation_space.sample(), float(action["gear"].sum()), self.left == 0, False, {}


def test_nested_spaces_are_flattened_in_the_order_of_their_columns():
    _, found = played(Nested, episodes=3)
    rows = slowly_nested()
    assert np.array_equal(found.observations, rows)
    assert found.observations.shape == (21, adapt_environment(Nested()).observation.size)
    assert found.actions.shape == (21, 4)
    assert np.array_equal(found.rewards, found.actions[:, :2].sum(axis=1)), "gear comes before push, as keys are sorted"


def slowly_nested() -> np.ndarray:
    env, rows = Nested(), []
    env.observation_space.seed(0)
    for _ in range(3):
        for _ in range(7):
            seen = env.observation_space.sample()
            parts = seen["pair"][0], *seen["pair"][1], *seen["picture"].reshape(-1)
            rows.append(parts)
        env.observation_space.sample()
    return np.array(rows, dtype=float)


def told(step: int) -> dict:
    info: dict = {"reward_near": 0.5 * step, "height": step, "name": "cart", "reward_total": 99.0, "array": np.zeros(3)}
    if step % 2:
        info["reward_odd"] = np.array([float(step)])
    if step >= 3:
        info["late"] = np.float32(step)
    info["reward_parts"] = {"alive": 1.0, "cost": -0.1 * step} if step != 4 else {"alive": 2.0}
    info["other"] = {"x": 1.0}
    return {} if step == 6 else info


def test_parts_of_the_reward_and_metrics_are_taken_from_the_info():
    _, found = played(lambda: Scripted((9,), info=told), episodes=1)
    steps = np.arange(1, 10)
    assert set(found.components) == {"reward_near", "reward_odd", "reward_parts.alive", "reward_parts.cost"}
    assert set(found.metrics) == {"height", "late", "reward_total"}
    assert found.components["reward_near"] == pytest.approx(np.where(steps == 6, 0.0, 0.5 * steps))
    assert found.components["reward_odd"] == pytest.approx(np.where(steps % 2 == 1, steps, 0.0))
    assert found.components["reward_parts.alive"].tolist() == [1, 1, 1, 2, 1, 0, 1, 1, 1]
    assert found.components["reward_parts.cost"] == pytest.approx([-0.1, -0.2, -0.3, 0, -0.5, 0, -0.7, -0.8, -0.9])
    late = found.metrics["late"]
    assert np.isnan(late[[0, 1, 5]]).all()
    assert late[[2, 3, 4, 6, 7, 8]].tolist() == [3, 4, 5, 7, 8, 9]


def test_the_keys_that_were_named_are_the_parts_and_no_others():
    _, found = played(lambda: Scripted((9,), info=told), episodes=1, components=("height", "reward_parts.cost"))
    assert set(found.components) == {"height", "reward_parts.cost"}
    assert "reward_near" in found.metrics


def test_keys_with_dots_and_keys_of_one_name():
    info = {"reward.stage": {"one": 1.0, "two.b": 2.0}, "reward.flat": 3.0, 7: 1.0}
    _, found = played(lambda: Scripted((3,), info=lambda step: info), episodes=1)
    values = {key: column.tolist() for key, column in found.components.items()}
    assert values == {"reward.stage.one": [1.0] * 3, "reward.stage.two.b": [2.0] * 3, "reward.flat": [3.0] * 3}


def test_only_the_first_steps_keep_what_was_seen():
    _, found = played(lambda: Scripted((3, 1, 5)), episodes=6, keep=5)
    assert found.kept == len(found.successors) == len(found.actions) == 5
    assert len(found.rewards) == 18
    assert np.array_equal(found.observations, of(slowly(lambda: Scripted((3, 1, 5)), 6), "before")[:5])
    assert played(lambda: Scripted((3,)), keep=0)[1].observations is None


def test_of_a_very_wide_observation_some_columns_are_kept():
    class Wide(Scripted):
        observation_space = spaces.Box(-1000, 1000, (3, 1000), np.float64)

        def seen(self, action):
            return np.arange(3000.0).reshape(3, 1000) + self.clock

    _, found = played(lambda: Wide((3,)), episodes=1)
    columns = pick_columns(adapt_environment(Wide()).observation)
    assert len(columns) == found.observations.shape[1] == 2048
    assert found.observations[1].tolist() == [column + 1 for column in columns]
    assert (columns[0], columns[-1]) == (0, 2999)


def test_an_environment_that_never_ends_is_left_alone_after_a_while(monkeypatch):
    monkeypatch.setattr(sampler, "OWN_LIMIT", 40)
    monkeypatch.setattr(sampler, "_find_episode_limit", lambda environment: 100)
    _, found = played(lambda: Scripted((10**9,)), steps=150, episodes=3)
    assert found.lengths.tolist() == [100, 40, 40]
    assert found.ends.tolist() == [LIMITED] * 3
    assert found.episodes == 3


def test_how_long_an_episode_may_get():
    assert sampler._find_episode_limit(adapt_environment(Scripted())) == 10_000
    assert sampler._find_episode_limit(adapt_environment(gym.make("CartPole-v1", max_episode_steps=50_000))) == 100_000


def test_when_the_time_is_up_the_last_episode_is_cut(monkeypatch):
    class Clock:
        """It goes on by two thousandths of a second a step."""

        now = 0.0

        def perf_counter(self):
            return self.now

    clock = Clock()

    class Slow(Scripted):
        def step(self, action):
            clock.now += 0.002
            return super().step(action)

    for module in (sampler, session_module):
        monkeypatch.setattr(module, "time", clock)
    session, found = played(lambda: Slow((100, 10**9)), steps=10**9, episodes=10**9, until=1.0)
    assert 1.0 <= clock.now < 2.0
    assert found.ends.tolist() == [TERMINATED, CUT]
    assert found.lengths.sum() == len(found.rewards) == session.steps
    assert found.episodes == 1
    assert found.returns.shape == (1,)


def test_what_was_played_before_an_exception_is_kept():
    session, found = played(lambda: Scripted((3, 5), raises_at=6), episodes=5)
    whole = slowly(lambda: Scripted((3, 5)), 2)
    assert found.lengths.tolist() == [3, 3]
    assert found.ends.tolist() == [TERMINATED, CUT]
    assert np.array_equal(found.rewards, of(whole, "reward")[:6])
    assert np.array_equal(found.observations, of(whole, "before")[:6])
    assert np.array_equal(found.successors, of(whole, "after")[:6])
    assert np.array_equal(found.actions, of(whole, "action")[:6])
    (fault,) = session.faults
    assert (fault.kind, fault.call, fault.step) == ("raised", "step", 6)
    assert fault.message == "ZeroDivisionError: no such step"
    assert fault.where[-1].endswith("in step")


def test_an_exception_at_the_first_step_leaves_an_empty_play():
    session, found = played(lambda: Scripted((3,), raises_at=0))
    assert len(found.lengths) == len(found.rewards) == 0
    assert session.faults


@pytest.mark.parametrize("handed", [np.zeros(5), "nothing", {"x": 1}, [[1, 2], [3]], np.full(3, object())])
def test_an_observation_that_fits_no_row_is_the_fault_of_the_environment(handed):
    class Odd(Scripted):
        def step(self, action):
            seen, *rest = super().step(action)
            return (handed if self.total > 4 else seen), *rest

    session, found = played(lambda: Odd((100,)), steps=50)
    assert len(session.faults) == 1
    assert len(found.rewards) == len(found.observations) == 4


@pytest.mark.parametrize("handed", [{"picture": np.zeros((4, 4))}, {"picture": "no", "pair": (1, [0, 1])}, None])
def test_so_is_a_dict_without_its_keys(handed):
    class Odd(Nested):
        steps = 0

        def step(self, action):
            self.steps += 1
            seen, *rest = super().step(action)
            return (handed if self.steps > 4 else seen), *rest

    session, found = played(Odd, steps=50)
    assert len(session.faults) == 1
    assert len(found.rewards) == 4


def test_an_info_that_is_no_dict_is_the_fault_of_the_environment():
    class Odd(Scripted):
        def step(self, action):
            return *super().step(action)[:4], "info"

    session, found = played(lambda: Odd((5,)))
    assert [fault.message for fault in session.faults] == [
        "TypeError: the info of a step must be a dict; it is of type str"
    ]
    assert found.lengths.tolist() == [1]


@pytest.mark.parametrize("paid", [None, "much", 1 + 1j, [1, 2], np.zeros(2)])
def test_a_reward_that_is_no_number_is_none(paid):
    class Odd(Scripted):
        def step(self, action):
            seen, reward, *rest = super().step(action)
            return seen, paid if self.total == 2 else reward, *rest

    session, found = played(lambda: Odd((4,)))
    assert np.isnan(found.rewards).tolist() == [False, True, False, False]
    assert session.faults == []


def test_what_a_wrapper_makes_of_the_reward_and_what_was_paid():
    make = lambda: gym.wrappers.TransformReward(Scripted((4,)), lambda reward: max(min(reward, 1.0), -1.0))  # noqa: E731
    _, found = played(make, episodes=2)
    assert np.array_equal(found.raw_rewards, of(slowly(lambda: Scripted((4,)), 2), "reward"))
    assert found.rewards.max() == 1.0
    assert played(lambda: Scripted((4,)))[1].raw_rewards is None


def test_a_reward_in_an_array_is_a_number_all_the_same():
    class Wrapped(Scripted):
        def step(self, action):
            seen, reward, *rest = super().step(action)
            return seen, np.array([reward]), *rest

    session, found = played(lambda: gym.wrappers.TransformReward(Wrapped((4,)), lambda reward: 2 * reward), episodes=2)
    assert session.faults == []
    assert found.rewards == pytest.approx(2 * found.raw_rewards)
    assert np.array_equal(found.raw_rewards, of(slowly(lambda: Scripted((4,)), 2), "reward"))


def test_the_first_episode_has_the_seed_and_the_others_go_on():
    seeds = []

    class Asked(Scripted):
        def reset(self, *, seed=None, options=None):
            seeds.append(seed)
            return super().reset(seed=seed)

    played(lambda: Asked((2,)), episodes=3, seed=17)
    assert seeds == [17, None, None]


def test_playing_leaves_the_global_generators_alone():
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    played(lambda: gym.make("CartPole-v1"), episodes=5)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
