from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from weaklink.collect.probes import registration
from weaklink.collect.probes.catalogue import ALL_PROBES

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

IDS = [probe.id for probe in ALL_PROBES]


@pytest.fixture(scope="module", autouse=True)
def registered():
    registration.register()


def test_the_titles_are_those_of_the_catalogue():
    assert list(registration.TITLES) == [probe.title for probe in ALL_PROBES]


def test_registering_again_changes_nothing():
    before = dict(gymnasium.registry)
    registration.register()
    assert gymnasium.registry == before


@pytest.mark.filterwarnings("ignore:.*symmetric and normalized")  # bounds of another size are what two of them are for
@pytest.mark.parametrize("id", IDS)
def test_gymnasium_finds_nothing_wrong(id):
    check_env(gymnasium.make(id).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("id", IDS)
def test_the_passive_checker_is_silent_in_play(id):
    env = gymnasium.make(id)
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(30):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    env.close()


def played(id):
    env = gymnasium.make(id)
    env.action_space.seed(3)
    seen = [env.reset(seed=3)[0]]
    rewards = []
    for _ in range(60):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append(env.reset()[0] if terminated or truncated else observation)
        rewards.append(reward)
    return seen, rewards


@pytest.mark.parametrize("id", ["weaklink/ShiftedPairing-v0", "weaklink/MemoryReset-v0", "weaklink/VectorPairing-v0"])
def test_the_same_seed_gives_the_same_play(id):
    (first, rewards), (second, again) = played(id), played(id)
    assert np.array_equal(first, second)
    assert rewards == again
    assert len(set(map(bytes, first))) > 1


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_vector_can_be_made(mode):
    vector = gymnasium.make_vec("weaklink/MatchingAction-v0", num_envs=3, vectorization_mode=mode)
    observations, _ = vector.reset(seed=0)
    assert observations.shape == (3, 1)
    assert vector.step(vector.action_space.sample())[1].shape == (3,)
    vector.close()


def test_gymnasium_imports_the_module_that_an_id_names():
    """Of a program that has not imported weaklink, and of one that imports it before Gymnasium."""
    names = "'weaklink.envs:weaklink/ConstantReward-v0'"
    for code in (f"import gymnasium; e = gymnasium.make({names})", "import weaklink.envs, gymnasium; e = MAKE"):
        code = code.replace("MAKE", "gymnasium.make('weaklink/ConstantReward-v0')")
        command = [sys.executable, "-c", f"{code}; print(e.spec.id, e.reset(seed=0)[0].tolist())"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "weaklink/ConstantReward-v0 [0.0]\n"


@pytest.mark.parametrize("id", ["weaklink/TimeLimit-v0", "weaklink.envs:weaklink/TimeLimit-v0"])
def test_a_survey_finds_them_by_either_name(id):
    code = (
        f"from weaklink.collect.survey.surveyed import make_environment; print(make_environment({id!r}, {{}}).spec.id)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "weaklink/TimeLimit-v0\n"
