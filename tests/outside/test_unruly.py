"""Code that turns the process around it upside down, or ends it: it is surveyed and probed, or its fault has a name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.sparing import spare
from weaklink.base.errors import UsageError
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.pool import ProbePool
from weaklink.collect.samples.verifier.examining import examine
from weaklink.collect.survey import isolated
from weaklink.collect.survey.isolated import survey_isolated
from weaklink.collect.survey.plan import SurveyPlan

ROOT = Path(__file__).parents[2]
SECONDS = PATIENCE

UNRULY = f"""
import builtins, gc, io, locale, os, signal, sys, threading, time, warnings
sys.path.insert(0, {str(ROOT)!r})
import gymnasium as gym
import numpy as np
from tests.trainers import right


def refuse(*arguments, **named):
    raise RuntimeError("not here")


def upset():
    os.chdir("/")
    for number in (0, 1, 2):
        os.close(number)
    sys.stdout, sys.stderr, sys.stdin = io.StringIO(), None, None
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGABRT):
        signal.signal(number, signal.SIG_IGN)
    os.environ.clear()
    locale.setlocale(locale.LC_ALL, "C")
    sys.setrecursionlimit(200)
    warnings.resetwarnings()
    warnings.simplefilter("error")
    np.seterr(all="raise")
    gc.disable()
    time.sleep = lambda seconds: None
    threading.Thread = refuse
    builtins.print = refuse
    sys.excepthook = lambda *error: os._exit(0)
    sys.path.clear()


class Unruly(gym.Wrapper):
    steps = 0

    def step(self, action):
        Unruly.steps += 1
        if Unruly.steps == 20 and "WEAKLINK_UPSET" not in sys.modules:
            sys.modules["WEAKLINK_UPSET"] = sys
            upset()
        return self.env.step(action)


def make():
    return Unruly(gym.make("CartPole-v1"))


def train(make_env, steps, seed, gamma=0.9):
    agent = right(make_env, steps, seed, gamma)
    upset()
    return agent


def verify(completions, **columns):
    upset()
    return [float("4" in completion) for completion in completions]
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes a module, to be named by a path from where we are."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would only take time

    def write(content: str) -> str:
        (tmp_path / "subject.py").write_text(content)
        return "subject.py"

    return write


def test_an_unruly_environment_is_surveyed_all_the_same(written):
    found = survey_isolated(f"{written(UNRULY)}:make", SurveyPlan(seconds=SECONDS, steps=300, episodes=3))
    assert found.faults == ()
    assert found.notes == ()
    assert {"random"} <= set(found.plays)


def test_an_unruly_trainer_is_probed_all_the_same(written):
    pool = ProbePool(f"{written(UNRULY)}:train", ProbePlan(workers=1, timeout=SECONDS))
    try:
        for seed in range(3):
            pool.begin(ProbeJob("ConstantReward", seed, 200))
        trials = [pool.finished()[1] for _ in range(3)]
    finally:
        pool.close()
    assert [(trial.kind, trial.failure, trial.holds) for trial in trials] == [("", "", True)] * 3


def test_an_unruly_verifier_is_asked_all_the_same(written):
    check = examine(f"{written(UNRULY)}:verify", seconds=SECONDS)
    assert check.calls > 3
    assert check.attempts
    assert not any(attempt.failed for attempt in check.attempts)


ENDS = """
import os, signal, sys, time
import gymnasium as gym

def end():
    {how}

class Ends(gym.Wrapper):
    steps = 0
    def step(self, action):
        self.steps += 1
        if self.steps == 20:
            end()
        return self.env.step(action)

def make():
    return Ends(gym.make("CartPole-v1"))

def train(make_env, steps, seed, gamma=0.9):
    end()
"""
WAYS = {
    "os._exit(0)": "code 0",
    "sys.exit(0)": "code 0",
    "os.kill(os.getpid(), signal.SIGKILL)": "SIGKILL",
    "os.closerange(3, 100)": "",
    "os.execv('/bin/true', ['true'])": "code 0",
    "os.abort()": "SIGABRT",
    "__import__('ctypes').string_at(0)": "SIGSEGV",
}


# each way is tried on one of the two; the other in `make test-whole`
@pytest.mark.parametrize(("how", "told"), spare(WAYS.items(), lambda way: way[0] in list(WAYS)[::2]))
def test_whatever_ends_the_process_of_an_environment_is_a_fault(written, how, told):
    (fault,) = survey_isolated(
        f"{written(ENDS.format(how=how))}:make", SurveyPlan(seconds=SECONDS, steps=300, episodes=3)
    ).faults
    assert (fault.kind, fault.call) == ("died", "step")
    assert told in fault.message


@pytest.mark.parametrize(("how", "told"), spare(WAYS.items(), lambda way: way[0] in list(WAYS)[1::2]))
def test_whatever_ends_the_process_of_a_trainer_is_its_trial(written, how, told):
    pool = ProbePool(f"{written(ENDS.format(how=how))}:train", ProbePlan(workers=1, timeout=SECONDS))
    try:
        pool.begin(ProbeJob("ConstantReward", 0, 200))
        trial = pool.finished()[1]
    finally:
        pool.close()
    assert trial.kind in ("died", "raised")
    assert told in trial.failure.replace("SystemExit: 0", "code 0")


def test_an_import_that_hangs_is_a_fault_that_says_where(written, monkeypatch):
    monkeypatch.setattr(isolated, "LOADING_SECONDS", 12.0)
    file = written("import time\ndef wait():\n    time.sleep(600)\nwait()")
    (fault,) = survey_isolated(f"{file}:make", SurveyPlan(seconds=12.0)).faults
    assert (fault.kind, fault.call) == ("hung", "make")
    assert any("subject.py:3 in wait" in where for where in fault.where)


def test_a_process_that_ends_while_it_is_imported_is_named(written):
    file = written("import os\nos._exit(0)")
    (fault,) = survey_isolated(f"{file}:make", SurveyPlan(seconds=SECONDS)).faults
    assert (fault.kind, fault.call) == ("died", "make")
    with pytest.raises(UsageError, match="ended the whole process: exit code 0"):
        ProbePool(f"{file}:train", ProbePlan(workers=1))
    with pytest.raises(UsageError, match=r"ended while it was loaded \(exit code 0\)"):
        examine(f"{file}:verify", seconds=SECONDS)


FLOOD = """
import os, subprocess, sys, time
import gymnasium as gym

def upset():
    {how}

class Upsets(gym.Wrapper):
    steps = 0
    def step(self, action):
        self.steps += 1
        if self.steps == 20:
            upset()
        return self.env.step(action)

def make():
    return Upsets(gym.make("CartPole-v1"))
"""
UPSETS = {
    "prints-a-lot": "[os.write(1, b'x' * (1 << 20)) for _ in range(64)]",
    "leaves-a-daemon": "subprocess.Popen(['sleep', '3600'], start_new_session=True)",
    "patches-the-clock": "time.time = time.monotonic = lambda: 0.0",
    "patches-json-and-os": "sys.modules['json'].dumps = os.getcwd = os.getpid = None",
}


@pytest.mark.parametrize("how", UPSETS.values(), ids=UPSETS)
def test_what_changes_the_process_around_it_is_surveyed_all_the_same(written, how):
    found = survey_isolated(
        f"{written(FLOOD.format(how=how))}:make", SurveyPlan(seconds=SECONDS, steps=300, episodes=3)
    )
    assert found.faults == ()
    assert {"random"} <= set(found.plays)
