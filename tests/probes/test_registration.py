from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from tests.probes.installed import environment_of
from weaklink.collect.probes import registration
from weaklink.collect.probes.catalogue import ALL_PROBES

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

IDS = [probe.id for probe in ALL_PROBES]


@pytest.fixture(scope="module", autouse=True)
def registered():
    registration.register()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Runs a script that does not import weaklink, in a Python that has it."""
    environment = environment_of(tmp_path_factory.mktemp("python"))

    def run(code, **more):
        command = [sys.executable, "-c", textwrap.dedent(code)]
        done = subprocess.run(command, capture_output=True, text=True, env={**environment, **more}, check=False)
        assert not done.stderr or done.returncode, done.stderr
        return done

    return run


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


MAKES = "import gymnasium; print(gymnasium.make('weaklink/ConstantReward-v0').reset(seed=0)[0].tolist())"


def test_a_script_needs_no_import(ran):
    assert ran(MAKES).stdout == "[0.0]\n"


def test_nor_does_what_a_script_starts(ran):
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {MAKES!r}], check=True)"
    assert ran(code).stdout == "[0.0]\n"


def test_looking_for_gymnasium_is_not_importing_it(ran):
    assert ran(f"import importlib.util; importlib.util.find_spec('gymnasium')\n{MAKES}").stdout == "[0.0]\n"


def test_it_can_be_switched_off(ran):
    done = ran(MAKES, WEAKLINK_NO_GYMNASIUM="1")
    assert done.returncode
    assert "NamespaceNotFound" in done.stderr


def test_nothing_is_left_behind_and_nothing_heavy_is_loaded(ran):
    done = ran("""
        import sys
        before = set(sys.modules)
        import gymnasium, json
        ours = sorted(name for name in sys.modules if name.startswith("weaklink"))
        print(json.dumps({
            "at start": [name for name in before if "weaklink" in name],
            "at import": ours,
            "heavy": sorted({"msgspec", "rich", "typer"} & set(sys.modules)),
            "loader": type(gymnasium.__spec__.loader).__name__,
            "kept": "exec_module" in vars(gymnasium.__spec__.loader),
            "finders": [type(finder).__name__ for finder in sys.meta_path],
            "reloaded": __import__("importlib").reload(gymnasium).__name__,
        }))
    """)
    told = json.loads(done.stdout)
    assert told["at start"] == ["_weaklink_gymnasium"]
    assert told["at import"] == [
        "weaklink",
        "weaklink._version",
        "weaklink.collect",
        "weaklink.collect.probes",
        "weaklink.collect.probes.registration",
    ]
    assert told["heavy"] == []
    assert told["loader"] == "SourceFileLoader"
    assert not told["kept"]
    assert "Waiting" not in told["finders"]


def test_a_broken_gymnasium_fails_as_it_would_without(ran, tmp_path):
    (tmp_path / "gymnasium.py").write_text("raise ImportError('broken in its own way')\n")
    done = ran(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gymnasium")
    assert done.stderr.strip().endswith("ImportError: broken in its own way")


def test_a_package_of_that_name_that_knows_no_registration_is_left_alone(ran, tmp_path):
    (tmp_path / "gymnasium.py").write_text("answer = 42\n")
    done = ran(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gymnasium; print(gymnasium.answer)")
    assert done.stdout == "42\n"


def test_a_missing_module_costs_no_word(ran, tmp_path):
    environment = environment_of(tmp_path)
    (tmp_path / "site" / "_weaklink_gymnasium.py").unlink()
    (tmp_path / "site" / "sources.pth").unlink()
    command = [sys.executable, "-I", "-c", f"import site; site.addsitedir({str(tmp_path / 'site')!r}); print('silent')"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("silent\n", "")
