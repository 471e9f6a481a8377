"""Environments that are made a second time, from what the first was given."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from weaklink.adapters.gymnasium.remaking import MakingMemory
from weaklink.base.errors import UsageError


class Drawer(gym.Env):
    """Draws from what it is given."""

    observation_space = gym.spaces.Box(-9.0, 9.0, (1,))
    action_space = gym.spaces.Discrete(2)

    def __init__(self, rng, *, level=1.0, render_mode=None):
        self.rng, self.level, self.render_mode = rng, level, render_mode

    def draw(self):
        return float(self.rng.normal())


class Writer(gym.Wrapper):
    """A wrapper that may not be made twice."""

    def __init__(self, env, file):
        super().__init__(env)
        if file.exists():
            raise PermissionError("only once")
        file.touch()


@pytest.fixture
def memory():
    kept = MakingMemory()
    yield kept
    kept.forget()


def test_arguments_are_copied_and_wrappers_put_around(memory):
    env = gym.wrappers.TimeLimit(Drawer(np.random.default_rng(3), level=2.5), max_episode_steps=7)
    make = memory.make_maker(env)
    others = [make([]) for _ in range(2)]
    drawn = [other.unwrapped.draw() for other in others]
    assert drawn[0] == drawn[1] == env.unwrapped.draw()  # each from the beginning of a generator of its own
    assert {type(other) for other in others} == {gym.wrappers.TimeLimit}
    assert [other.unwrapped.level for other in others] == [2.5, 2.5]
    assert len({id(other.unwrapped) for other in (env, *others)}) == 3


def test_one_of_gymnasiums_own_is_made_with_its_wrappers(memory):
    env = gym.make("CartPole-v1")
    other = memory.make_maker(env)([])
    assert str(other) == str(env)
    assert other.spec.id == "CartPole-v1"
    other.reset(seed=0)


def test_a_wrapper_that_writes_is_left_out_and_named(memory, tmp_path):
    env = gym.wrappers.TimeLimit(Writer(Drawer(np.random.default_rng(0)), tmp_path / "once"), max_episode_steps=7)
    left_out: list[str] = []
    other = memory.make_maker(env)(left_out)
    assert left_out == ["Writer"]
    assert isinstance(other, gym.wrappers.TimeLimit)
    assert other.env is other.unwrapped


@pytest.mark.parametrize("word", ["window", "generator", "unknown"])
def test_what_could_disturb_the_first_is_refused(memory, word):
    rng = (each for each in ()) if word == "generator" else np.random.default_rng(0)
    env = Drawer(rng, render_mode="human" if word == "window" else None)
    if word == "unknown":
        memory.forget()
    with pytest.raises((UsageError, TypeError)):
        memory.make_maker(env)([])


def test_a_member_stands_for_a_vector(memory):
    vector = gym.vector.SyncVectorEnv([lambda: Drawer(np.random.default_rng(0))] * 2)
    assert memory.find_single(vector) is vector.envs[0]
    assert memory.find_single(vector.envs[1]) is vector.envs[1]
    with pytest.raises(UsageError, match="cannot be made one by one"):
        memory.find_single(gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point"))


def test_classes_refuse_what_they_refused_before(memory):
    class Plain(gym.Env):
        pass

    with pytest.raises(TypeError, match="Plain"):
        Plain(3)
    assert Plain() is not Plain()


def test_nothing_is_kept_alive(memory):
    env = Drawer(np.random.default_rng(0))
    number = id(env)
    assert number in memory._makings
    del env
    assert number not in memory._makings
