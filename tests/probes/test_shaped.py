"""Probes in the shape of environments that people train on, and as environments of old gym."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weaklink.adapters.described import describe_space
from weaklink.adapters.old_gym_probe import make_old_environment
from weaklink.adapters.probe_play import ProbePlay
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.shaped import ShapedProbe, explain_misfit, find_kind, widen

gymnasium = pytest.importorskip("gymnasium")

spaces = gymnasium.spaces


def shaped(title, observation, action):
    return ShapedProbe(find_probe(title), describe_space(observation), describe_space(action))


@pytest.mark.parametrize("id", ["CartPole-v1", "Acrobot-v1", "MountainCar-v0", "FrozenLake-v1"])
def test_every_look_lies_in_the_space_and_looks_differ(id):
    env = gymnasium.make(id)
    probe = shaped("MatchingAction", env.observation_space, env.action_space)
    seen = [probe.shown(state) for state in range(probe.world.states)]
    assert all(env.observation_space.contains(each) for each in seen)
    assert not np.array_equal(seen[0], seen[1])


@pytest.mark.parametrize("space", [
    spaces.Box(0, 255, (84, 84, 4), np.uint8),
    spaces.Box(0.0, 1.0, (3, 64, 64), np.float32),
    spaces.Box(-np.inf, np.inf, (17,), np.float64),
    spaces.Box(0.0, 1.0, (2,), np.float32),
])  # fmt: skip
def test_pictures_and_vectors_show_what_is_to_be_seen(space):
    probe = shaped("Exploration", space, spaces.Discrete(5))
    seen = [probe.shown(state) for state in range(probe.world.states)]
    assert all(space.contains(each) for each in seen)
    assert len({each.tobytes() for each in seen}) == 3


def test_every_choice_belongs_to_actions_in_turn():
    probe = shaped("TwoActions", spaces.Box(-1, 1, (3,)), spaces.Discrete(5, start=-1))
    assert [probe.translate(action) for action in range(-1, 4)] == [0, 1, 0, 1, 0]


def test_a_box_of_actions_is_brought_to_the_bounds_of_the_problem():
    probe = shaped("ContinuousTarget", spaces.Box(-1, 1, (3,)), spaces.Box(0.0, 10.0, (2,)))
    assert probe.translate(np.array([5.0, 9.0])) == pytest.approx([0.0])
    assert probe.translate(np.array([10.0, 0.0])) == pytest.approx([1.0])
    unbounded = shaped("ContinuousTarget", spaces.Box(-1, 1, (3,)), spaces.Box(-np.inf, np.inf, (1,)))
    assert unbounded.translate(np.array([0.5])) == pytest.approx([0.5])


def test_what_has_no_shape_of_a_probe_is_told():
    several, vector = spaces.MultiDiscrete([2, 2]), spaces.Box(-1, 1, (3,))
    assert find_kind(describe_space(several)) == ""
    assert "multi_discrete" in explain_misfit(describe_space(vector), describe_space(several))
    assert "dict" in explain_misfit(describe_space(spaces.Dict({"a": vector})), describe_space(spaces.Discrete(2)))
    assert explain_misfit(describe_space(vector), describe_space(spaces.Discrete(2))) == ""


@pytest.mark.parametrize(("version", "results"), [("0.21.0", 4), ("0.25.2", 4), ("0.26.2", 5)])
def test_old_gym_gets_as_many_results_as_it_knows(version, results):
    gym = SimpleNamespace(Env=gymnasium.Env, spaces=spaces, __version__=version)
    env = make_old_environment(gym, ProbePlay(find_probe("TimeLimit")))
    env.seed(0)
    first = env.reset()
    assert isinstance(first, tuple) is (results == 5)
    for _ in range(100):
        step = env.step(0)
        assert len(step) == results
        if any(step[2:-1]):
            break
    else:
        pytest.fail("the problem has a time limit")
    assert step[2:-1] == ((True,) if results == 4 else (False, True))
    assert step[-1].get("TimeLimit.truncated", False) is (results == 4)


def test_a_probe_whose_place_is_not_known_is_as_wide_as_usual_and_otherwise_the_same():
    for title in ("ConstantReward", "MatchingAction", "TwoActionsContinuous", "LongCredit"):
        probe = find_probe(title)
        wide = widen(probe)
        assert wide.observation.shape == (max(4, probe.observation.shape[0]),)
        looks = {tuple(np.round(wide.shown(state), 6).tolist()) for state in range(probe.world.states)}
        assert len(looks) == len(set(probe.world.looks))
        low, high = (0, probe.world.choices - 1) if wide.acts == "discrete" else (np.array([-0.4]), np.array([0.7]))
        for action in (low, high):
            assert np.allclose(wide.translate(action), action)
