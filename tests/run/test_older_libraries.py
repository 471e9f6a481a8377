"""Scripts over environments of Gymnasium 0.29 and of the old gym: the libraries are those that `make test` installs."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch

import weaklink
from tests.run.running import SCRIPTS, run_alone, run_watched
from weaklink.adapters.gymnasium.libraries import to_new_step
from weaklink.adapters.gymnasium.listening import listen
from weaklink.adapters.gymnasium.played import PlayedEnvironment
from weaklink.adapters.trackers.rows import read_scalar
from weaklink.base.outside.own_code import is_own
from weaklink.collect.probes.plan import ProbePlan
from weaklink.verbs.probe import ProbeOptions, probe

OLDER = Path(__file__).parents[2] / "build" / "older"
NEW, FIVE, FOUR = "gymnasium==0.29.1", "gym==0.26.2", "gym==0.25.2"
WHOLE = pytest.mark.whole


@pytest.mark.skipif(not (OLDER / ".ready").exists(), reason="make test installs the older libraries")
@pytest.mark.parametrize(
    ("library", "words", "code"),
    [
        (NEW, ("limit", "vector"), "RET203"),
        (FIVE, ("past",), "ENV201"),
        (FOUR, ("right",), None),
        pytest.param(FIVE, ("right", "vector"), None, marks=WHOLE),
        pytest.param(FOUR, ("limit",), "RET203", marks=WHOLE),
        pytest.param(NEW, ("right", "vector"), None, marks=WHOLE),
        pytest.param(NEW, ("past",), "ENV201", marks=WHOLE),
        pytest.param(FIVE, ("limit", "vector"), "RET203", marks=WHOLE),
        pytest.param(FOUR, ("past",), "ENV201", marks=WHOLE),
    ],
)
def test_environments_of_older_libraries_are_heard(tmp_path, capfd, monkeypatch, library, words, code):
    packages = OLDER / library / "site-packages"
    monkeypatch.setenv("PYTHONPATH", f"{packages}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    told = "own_gym.py", library.partition("==")[0], *words
    ran, printed, complained = run_watched(capfd, tmp_path / "out", *told, budget=0.5)
    assert printed == run_alone(*told).stdout
    assert "failed" not in complained
    alarms = [one.code for one in ran.diagnoses[0].findings if one.severity >= weaklink.Level.WARN]
    assert alarms[:1] == ([] if code is None else [code])
    run = weaklink.read(tmp_path / "out" / "loop")
    assert len(run["reward.episode_return"].values) >= 5
    assert not run.unread


@pytest.mark.skipif(not (OLDER / ".ready").exists(), reason="make test installs the older libraries")
@pytest.mark.parametrize(
    ("library", "mode", "code"),
    [
        (FIVE, "past", "ENV201"),
        pytest.param(FOUR, "right", None, marks=WHOLE),
        pytest.param(FIVE, "right", None, marks=WHOLE),
        pytest.param(FOUR, "limit", "RET203", marks=WHOLE),
    ],
)
def test_updates_on_the_older_gym_are_read_on_the_ladder(tmp_path, monkeypatch, library, mode, code):
    packages = OLDER / library / "site-packages"
    monkeypatch.setenv("PYTHONPATH", f"{packages}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.chdir(tmp_path)
    script, only = str(SCRIPTS / "own_gym.py"), ("read-update",)
    probed = probe(ProbeOptions(script=script, arguments=("gym", mode, "named"), plan=ProbePlan(only=only)))
    assert len(probed.outcome.read[0].trials[0].readings) >= 3
    assert [one.code for one in probed.diagnosis.findings][:1] == ([] if code is None else [code])
    assert "ENV201" in probed.diagnosis.clean or code == "ENV201"


def test_a_step_of_the_old_form_gets_both_flags():
    assert to_new_step((1, 2.0, True, {"TimeLimit.truncated": True})) == (
        1, 2.0, False, True, {"TimeLimit.truncated": True},
    )  # fmt: skip
    assert to_new_step((1, 2.0, True, {}))[2:4] == (True, False)
    infos = ({}, {"TimeLimit.truncated": True, "terminal_observation": 7}, {"terminal_observation": 8})
    _, _, over, cut, info = to_new_step((np.zeros(3), np.zeros(3), np.array([False, True, True]), infos))
    assert over.tolist() == [False, False, True]
    assert cut.tolist() == [False, True, False]
    assert info["final_observation"] == [None, 7, 8]
    assert to_new_step("no step") == "no step"


def test_a_step_of_no_known_form_reaches_the_training_as_it_is():
    class Odd(gymnasium.Env):
        def step(self, action):
            return 0, 1.0, True, ["no", "mappings"]

    told = []
    ear = SimpleNamespace(step=lambda *given, **named: told.append(given), on_step=lambda: None)
    stop = listen(ear)
    try:
        assert Odd().step(0) == (0, 1.0, True, ["no", "mappings"])
    finally:
        stop()
    assert told[0][2] == (0, 1.0, True, ["no", "mappings"])


def test_steps_past_a_time_limit_are_no_episodes():
    played = PlayedEnvironment(object, vector=False)
    limits = [(0, 1.0, False, step >= 3, {}) for step in range(1, 8)]
    episodes = [episode for each in limits for episode in played.add(each)]
    assert [(one.total, one.length) for one in episodes] == [(3.0, 3)]
    assert played.past_ends == 4
    played.begin()
    assert [one.length for each in limits[:3] for one in played.add(each)] == [3]


def test_episodes_of_one_step_that_reset_themselves_are_episodes():
    played = PlayedEnvironment(object, vector=False)
    assert [one.length for _ in range(4) for one in played.add((0, 1.0, True, False, {}))] == [1, 1, 1, 1]
    assert played.past_ends == 0


def test_a_number_in_an_array_is_logged():
    for value in (np.array([3.5]), np.float32(3.5), torch.tensor([[3.5]])):
        assert read_scalar(None, "charts/episodic_return", value, 7).numbers == {"charts/episodic_return": 3.5}
    assert read_scalar(None, "several", np.zeros(2), 7).numbers == {}


def test_what_was_installed_into_a_folder_is_not_the_users_own(tmp_path):
    for folder in ("target/library/inner", "target/library-1.0.dist-info", "project/package"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "target/library/__init__.py").touch()
    (tmp_path / "target/library/inner/__init__.py").touch()
    assert not is_own(str(tmp_path / "target/library/inner/wrapper.py"))
    assert is_own(str(tmp_path / "project/package/world.py"))
