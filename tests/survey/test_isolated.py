"""Surveys in a process of their own: whatever the environment does, the survey comes back and leaves nothing behind."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE, wait_until
from tests.quality.worlds.hostile import EXPECTED
from weaklink import preflight
from weaklink.base.errors import UsageError
from weaklink.base.finding import Level
from weaklink.base.outside.messages import unpack_line
from weaklink.collect.survey.isolated import survey_isolated
from weaklink.collect.survey.plan import SurveyPlan

ROOT = Path(__file__).parents[2]
HOSTILE = "tests.quality.worlds.hostile"
SECONDS = 10.0
"""For one that hangs: after a third of this it is said to."""
UNHURRIED = 60.0
"""For one that does not: a machine that stands still for seconds must not make it look so."""


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """In the root of the project, where the hostile ones can be imported, and with a folder for what is temporary."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def without_sb3(monkeypatch):
    """As where Stable-Baselines3 is not installed: its checker takes a process of its own that loads torch."""
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def workers() -> list[str]:
    """The processes that survey something for this one, and what they started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if b"weaklink.collect.survey.worker" in words and int(status[1]) == os.getpid() and status[0] != "Z":
            found.append(folder.name)
    return found


@pytest.mark.usefixtures("without_sb3")
@pytest.mark.parametrize(
    "name",
    [
        "raises",
        "raises_at_make",
        "raises_at_reset",
        "hangs",
        "segfaults",
        "exits",
        "leaks",
        "gives_other_types",
        "gives_nothing",
        "gives_nan",
    ],
)
def test_a_hostile_environment_ends_in_a_finding(name, temporary):
    began = time.monotonic()
    seconds = SECONDS if name == "hangs" else UNHURRIED
    result = preflight(f"{HOSTILE}:{name}", seconds=seconds, steps=500, episodes=10, memory_megabytes=150)
    assert time.monotonic() - began < PATIENCE
    found = {finding.code for finding in result.diagnosis.findings if finding.severity >= Level.WARN}
    assert found & set(EXPECTED[name].split())
    assert not [note for note in result.diagnosis.notes if "fault of weaklink" in note]
    assert workers() == []
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("without_sb3")
def test_where_it_hung_is_said():
    (fault,) = survey_isolated(f"{HOSTILE}:hangs_busy", SurveyPlan(seconds=SECONDS)).faults
    assert (fault.kind, fault.call) == ("hung", "step")
    assert fault.where[-1].endswith("in turned")
    assert "hostile.py" in fault.where[-1]


@pytest.mark.usefixtures("without_sb3")
def test_a_module_that_takes_longer_to_load_than_the_survey_may_is_not_hung(tmp_path):
    (tmp_path / "heavy_framework.py").write_text("import time\ntime.sleep(8)\n")
    file = tmp_path / "light.py"
    file.write_text("import heavy_framework, gymnasium\nmake = lambda: gymnasium.make('CartPole-v1')\n")
    found = survey_isolated(f"{file}:make", SurveyPlan(seconds=7, steps=500, episodes=5))
    assert found.faults == ()
    assert len(found.plays["random"].rewards) >= 100


@pytest.mark.usefixtures("without_sb3")
@pytest.mark.parametrize(
    ("name", "kind", "told"),
    [
        ("is_killed", "died", "SIGKILL"),
        ("exits_hard", "died", "code 7"),
        ("raises_base_exception", "died", "not even an Exception"),
        ("runs_out_of_memory", "memory", "MemoryError"),
    ],
)
def test_how_it_died_is_said(name, kind, told):
    fault = survey_isolated(f"{HOSTILE}:{name}", SurveyPlan(seconds=UNHURRIED, steps=500)).faults[0]
    assert fault.kind == kind
    assert told in fault.message


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("NoSuchThing-v0", "no environment NoSuchThing-v0"),
        pytest.param("no_such_module:make", "cannot import no_such_module", marks=pytest.mark.whole),
        pytest.param(f"{HOSTILE}:no_such_name", "no 'no_such_name'", marks=pytest.mark.whole),
        (f"{HOSTILE}:nothing_at_all", "NoneType is none"),
    ],
)
def test_wrong_use_is_told_and_leaves_nothing_behind(word, told, temporary):
    began = time.monotonic()
    with pytest.raises(UsageError, match=told):
        survey_isolated(word, SurveyPlan(seconds=30))
    assert time.monotonic() - began < PATIENCE
    assert workers() == []
    assert list(temporary.iterdir()) == []


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module that a survey can be asked for."""
    folder = tmp_path / "modules"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def written(name: str, body: str) -> str:
        (folder / f"{name}.py").write_text(f"import gymnasium as gym\n\n{body}\n")
        return f"{name}:make"

    return written


STARTS_ANOTHER = """
import os, subprocess, sys, pathlib

class Starts(gym.Wrapper):
    steps = 0
    def step(self, action):
        self.steps += 1
        if self.steps == 5:
            started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            pathlib.Path("started").write_text(str(started.pid))
        if self.steps == 20:
            os._exit(5)
        return self.env.step(action)

def make():
    return Starts(gym.make("CartPole-v1"))
"""


@pytest.mark.usefixtures("without_sb3")
def test_what_it_started_is_ended_with_it(module):
    found = survey_isolated(module("starts", STARTS_ANOTHER), SurveyPlan(seconds=UNHURRIED))
    assert found.faults[0].kind == "died"
    pid = int(Path("started").read_text())
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())


SLOW = """
import time

class Slow(gym.Wrapper):
    def __init__(self, env, step, reset):
        super().__init__(env)
        self.waits = {"step": step, "reset": reset}

    def step(self, action):
        time.sleep(self.waits["step"])
        return self.env.step(action)

    def reset(self, *, seed=None, options=None):
        time.sleep(self.waits["reset"])
        return self.env.reset(seed=seed, options=options)

def make(step, reset):
    return Slow(gym.make("CartPole-v1"), step, reset)
"""


@pytest.mark.usefixtures("without_sb3")
@pytest.mark.parametrize("waits", [{"step": 0.2, "reset": 0.0}, {"step": 0.0, "reset": 0.8}], ids=["step", "reset"])
def test_an_environment_that_is_slow_is_not_hung(module, waits):
    found = survey_isolated(module("slow", SLOW), SurveyPlan(seconds=9, steps=100, episodes=2, arguments=waits))
    assert found.faults == ()
    assert found.complaints is not None
    known = ("Out of time at ", "Gymnasium's checker was not run")
    assert [note for note in found.notes if not note.startswith(known)] == []
    assert "random" in found.plays or found.notes


CHATTERS = """
import os, sys

class Chatters(gym.Wrapper):
    def step(self, action):
        print('{"stage": "mine", "steps": 7}')
        print("x" * 5000, file=sys.stderr)
        os.write(1, b"raw\\n")
        return self.env.step(action)

def make(length=500):
    return Chatters(gym.make("CartPole-v1", max_episode_steps=length))
"""


@pytest.mark.usefixtures("without_sb3")
def test_what_goes_wrong_inside_is_seen_there_too(module):
    body = """
import time

class Catches(gym.Wrapper):
    def step(self, action):
        try:
            1 / 0
        except ZeroDivisionError:
            pass
        time.sleep(0.001)  # so that watching takes a while
        return self.env.step(action)

def make():
    return Catches(gym.make("CartPole-v1"))
"""
    found = survey_isolated(module("catches", body), SurveyPlan(seconds=UNHURRIED, steps=100, episodes=2))
    assert found.notes == ()
    assert [one.text for one in found.swallowed] == ["ZeroDivisionError: division by zero"]


@pytest.mark.usefixtures("without_sb3")
def test_what_it_prints_disturbs_nobody(module, capfd):
    told = []
    plan = SurveyPlan(seconds=UNHURRIED, steps=100, episodes=2, arguments={"length": 9})
    found = survey_isolated(module("chatters", CHATTERS), plan, lambda stage, steps: told.append(stage))
    assert found.faults == ()
    assert found.facts["max_episode_steps"] == 9
    assert "random play" in told
    assert "mine" not in told
    assert capfd.readouterr() == ("", "")


def test_a_survey_is_the_same_in_its_own_process_and_both_checkers_are_asked(module):
    body = """
import numpy as np

class Odd(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (3,), np.float32)
    action_space = gym.spaces.Box(0, 5, (1,), np.float32)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return self.np_random.uniform(-1, 1, 3).astype(np.float32), {}
    def step(self, action):
        self.left -= 1
        return self.np_random.uniform(-1, 1, 3).astype(np.float32), float(action[0]), self.left == 0, False, {}

make = Odd
"""
    plan = SurveyPlan(seconds=UNHURRIED, steps=200, episodes=3)
    found = survey_isolated(module("odd", body), plan)
    assert found.faults == ()
    assert {complaint.source for complaint in found.complaints} == {
        "Gymnasium's checker",
        "Stable-Baselines3's checker",
    }


def test_an_own_end_that_was_not_heard_is_no_crash_of_the_environment(without_sb3, monkeypatch):
    def unpack_but_the_end(line, kind):
        message = unpack_line(line, kind)
        if message.done:
            raise ValueError
        return message

    monkeypatch.setattr("weaklink.base.outside.child.unpack_line", unpack_but_the_end)
    survey = survey_isolated("CartPole-v1", SurveyPlan(seconds=UNHURRIED, steps=300, episodes=3))
    assert not survey.faults
    assert any("was lost" in note for note in survey.notes)


SLOW_PARTS = """
import sys, time, gymnasium

worker = sys.modules["__main__"]
pack = worker.pack_part

def pack_slowly(part):
    time.sleep(60.0 if "plays" in part else 0.0)
    return pack(part)

def make():
    worker.pack_part = pack_slowly
    return gymnasium.make("CartPole-v1")
"""


def test_a_part_that_takes_long_to_hand_over_is_no_hang_of_the_environment(without_sb3, tmp_path):
    file = tmp_path / "slow_parts.py"
    file.write_text(SLOW_PARTS)
    survey = survey_isolated(f"{file}:make", SurveyPlan(seconds=SECONDS, steps=300, episodes=3))
    assert not survey.faults
    assert any("Out of time" in note for note in survey.notes)
