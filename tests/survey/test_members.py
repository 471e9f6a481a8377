from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests.survey.small import Scripted, later, prepared
from weaklink.base.evidence.endings import VectorMembers
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.collect.survey.members import examine_members
from weaklink.collect.survey.sampler import make_random_policy, play

COUNT = 3
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED]


def watched(make) -> VectorMembers:
    session, environment = prepared(make)
    found = examine_members(session, environment)["members"]
    assert session.faults == []
    return found


def vector(mode=AutoresetMode.NEXT_STEP, make=lambda: gym.make("CartPole-v1")):
    return SyncVectorEnv([make] * COUNT, autoreset_mode=mode)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name.lower())
def test_a_sound_vector_in_every_mode(mode):
    found = watched(lambda: vector(mode))
    assert (found.count, found.framework, found.autoreset) == (COUNT, "gymnasium", mode.name.lower())
    assert found.twins == ()
    assert found.ends >= 40
    assert (found.finals_missing, found.finals_wrong) == (0, 0)
    seen = {"next_step": "next_step", "same_step": "same_step", "disabled": ""}
    assert found.autoreset_seen == seen[found.autoreset]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name.lower())
def test_the_first_member_is_played_as_if_it_were_alone(mode):
    """The last observation of an episode is its own, whatever the mode, and the other members do no harm."""
    session, environment = prepared(lambda: vector(mode, lambda: gym.make("CartPole-v1", max_episode_steps=25)))
    act = make_random_policy(environment.action, np.random.default_rng(0))
    found = play(session, environment, act, policy="random", steps=300, episodes=20, until=later(), keep=2000)
    assert session.faults == []
    assert found.episodes >= 20
    assert {TERMINATED, TRUNCATED} <= set(found.ends.tolist())
    lasts = found.successors[(found.starts + found.lengths - 1)[found.ends == TERMINATED]]
    over = (np.abs(lasts[:, 0]) > 2.4) | (np.abs(lasts[:, 2]) > 12 * np.pi / 180)
    assert over.all(), "a pole that has fallen is seen fallen"
    assert set(found.lengths[found.ends == TRUNCATED].tolist()) == {25}


class Seen(Scripted):
    """Observations that are a dict."""

    observation_space = spaces.Dict({"x": spaces.Box(-1000, 1000, (3,), np.float64), "n": spaces.Discrete(10)})

    def reset(self, *, seed=None, options=None):
        return self.told(super().reset(seed=seed)[0]), {}

    def step(self, action):
        seen, *rest = super().step(action)
        return self.told(seen), *rest

    def told(self, seen):
        return {"x": seen, "n": self.clock}


def test_the_last_observation_of_a_dict_is_its_own_too():
    make = lambda: vector(AutoresetMode.SAME_STEP, lambda: Seen((4,)))  # noqa: E731
    session, environment = prepared(make)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    found = play(session, environment, act, policy="random", steps=1, episodes=3, until=later(), keep=50)
    columns = [column.label for column in environment.observation.columns]
    assert found.successors[:, columns.index("n")].tolist() == [1, 2, 3, 4] * 3
    assert (watched(make).finals_missing, watched(make).finals_wrong) == (0, 0)


def test_members_of_one_seed_are_twins():
    class Alike(SyncVectorEnv):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=[seed] * self.num_envs if seed is not None else None, options=options)

    found = watched(lambda: Alike([lambda: gym.make("CartPole-v1")] * COUNT))
    assert found.twins == ((0, 1), (0, 2), (1, 2))


class SeedOfItsOwn(gym.Wrapper):
    """Takes a seed where it is given one, and always the same where it is not."""

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=42 if seed is None else seed, options=options)


def test_members_that_are_alike_only_without_a_seed():
    found = watched(lambda: vector(make=lambda: SeedOfItsOwn(gym.make("CartPole-v1"))))
    assert found.twins == ()
    assert found.unseeded_twins == ((0, 1), (0, 2), (1, 2))
    assert watched(vector).unseeded_twins == ()


@pytest.mark.filterwarnings("ignore:.*calling 'step\\(\\)' even though:UserWarning")
def test_one_object_in_several_places_is_a_twin_of_itself():
    def shared():
        one = gym.make("CartPole-v1")
        return SyncVectorEnv([lambda: one, lambda: gym.make("CartPole-v1"), lambda: one])

    assert watched(shared).twins == ((0, 2),)


def test_members_that_cannot_differ_are_no_twins():
    """No chance in it at all: each episode is like every other."""
    make = lambda: vector(make=lambda: gym.make("CliffWalking-v1", max_episode_steps=20))  # noqa: E731
    assert watched(make).twins == ()


class FinalsLost(SyncVectorEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, {key: value for key, value in infos.items() if "final" not in key}


class FinalsWrong(SyncVectorEnv):
    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        for member in np.flatnonzero(terminated | truncated):
            infos["final_obs"][member] = observations[member].copy()
        return observations, rewards, terminated, truncated, infos


class Mislabelled(SyncVectorEnv):
    def __init__(self, makers, **more):
        super().__init__(makers, **more)
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}


def same_step(kind):
    return lambda: kind([lambda: gym.make("CartPole-v1")] * COUNT, autoreset_mode=AutoresetMode.SAME_STEP)


def test_what_is_lost_at_the_end_is_counted():
    lost, wrong, other = (
        watched(same_step(FinalsLost)),
        watched(same_step(FinalsWrong)),
        watched(same_step(Mislabelled)),
    )
    assert (lost.finals_missing, lost.finals_wrong) == (lost.ends, 0)
    assert (wrong.finals_missing, wrong.finals_wrong) == (0, wrong.ends)
    assert (other.autoreset, other.autoreset_seen) == ("next_step", "same_step")


def test_an_environment_that_is_not_one_of_several_has_no_members():
    session, environment = prepared(lambda: gym.make("CartPole-v1"))
    assert examine_members(session, environment) == {}


class TestStableBaselines:
    def dummy(self, makers, **layers):
        from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

        env = DummyVecEnv(makers)
        return VecNormalize(env) if layers.get("normalised") else env

    @pytest.mark.parametrize("normalised", [False, True])
    def test_a_sound_stack(self, normalised):
        make = lambda: self.dummy([lambda: gym.make("CartPole-v1")] * COUNT, normalised=normalised)  # noqa: E731
        found = watched(make)
        assert (found.count, found.framework, found.autoreset) == (COUNT, "sb3", "same_step")
        assert found.autoreset_seen == "same_step"
        assert found.twins == ()
        assert found.ends >= 40
        assert (found.finals_missing, found.finals_wrong) == (0, 0)

    def test_one_object_in_several_places(self):
        def shared():
            one = gym.make("CartPole-v1")
            return self.dummy([lambda: gym.make("CartPole-v1"), lambda: one, lambda: one])

        # SB3 itself refuses a list with one object twice
        with pytest.raises(ValueError, match="multiple environments"):
            shared()

    def test_time_limits_are_told_from_ends(self):
        make = lambda: self.dummy([lambda: gym.make("CartPole-v1", max_episode_steps=12)] * 2)  # noqa: E731
        session, environment = prepared(make)
        act = make_random_policy(environment.action, np.random.default_rng(0))
        found = play(session, environment, act, policy="random", steps=1, episodes=40, until=later(), keep=2000)
        assert session.faults == []
        assert {TERMINATED, TRUNCATED} == set(found.ends.tolist())
        assert set(found.lengths[found.ends == TRUNCATED].tolist()) == {12}
        lasts = found.successors[(found.starts + found.lengths - 1)[found.ends == TERMINATED]]
        assert ((np.abs(lasts[:, 0]) > 2.4) | (np.abs(lasts[:, 2]) > 12 * np.pi / 180)).all()
