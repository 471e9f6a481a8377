"""Nothing outlives weaklink: however it is ended, no process that it started and no folder that it made is left."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from weaklink.base.outside import guard
from weaklink.base.outside.ownership import OWNED, ScratchFolder, get_ownership

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes in /proc")


WORLD = """
import os, subprocess, sys, time
from pathlib import Path

import gymnasium as gym

HERE = Path(__file__).parent
SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def start_strays():
    if (HERE / "pids").exists():
        return
    strays = [
        subprocess.Popen(SLEEP),
        subprocess.Popen(SLEEP, start_new_session=True),
        subprocess.Popen(SLEEP, preexec_fn=os.setpgrp),
        subprocess.Popen(SLEEP, env={}, start_new_session=True),
    ]
    daemon = subprocess.run(["sh", "-c", "setsid sleep 600 > /dev/null & echo $!"], stdout=subprocess.PIPE, check=True)
    pids = [os.getpid(), *(stray.pid for stray in strays), int(daemon.stdout)]
    (HERE / "writing").write_text(" ".join(map(str, pids)))
    (HERE / "writing").rename(HERE / "pids")


class Slow(gym.Wrapper):
    steps = 0

    def step(self, action):
        self.steps += 1
        if self.steps > 50:
            start_strays()
            time.sleep(0.05)
        return self.env.step(action)


def make():
    return Slow(gym.make("CartPole-v1"))


def train(make_env, steps, seed):
    start_strays()
    time.sleep(600)


make_env = make
"""

COMMANDS = {
    "preflight": ["preflight", "world.py:make", "--seconds", "120", "-f", "json"],
    "probe": ["probe", "world.py:train", "--workers", "1", "-f", "json"],
    "script": [
        "probe",
        "--cmd",
        f"{shlex.quote(sys.executable)} script.py {{env}} {{steps}} {{out}}",
        "--workers",
        "1",
        "-f",
        "json",
    ],
    "debug": ["debug", "world.py", "--only", "watch", "-f", "json"],
    "against": ["probe", "world.py:train", "--against", "world.py:train", "--env", "CartPole-v1", "-f", "json"],
}
SCRIPT = "import world, weaklink\nworld.train(None, 1, 1)\n"


def is_running(pid: int) -> bool:
    state = guard._read(pid, "stat").rpartition(b")")[2].split()
    return bool(state) and state[0] not in (b"Z", b"X")


def wait_until(what) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not what() and time.monotonic() < deadline:
        time.sleep(0.05)
    return what()


@pytest.fixture
def started(tmp_path):
    """Starts a command of weaklink and waits until it has strays; what is left of it afterwards is ended here."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (tmp_path / "world.py").write_text(WORLD)
    (tmp_path / "script.py").write_text(SCRIPT)
    pids: list[int] = []

    def start(name: str, on_hanging_up=signal.SIG_DFL):
        environment = {**os.environ, "TMPDIR": str(temporary)}
        words = [sys.executable, "-m", "weaklink", *COMMANDS[name]]
        process = subprocess.Popen(
            words,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, on_hanging_up),  # the tests may run under nohup
        )
        assert wait_until((tmp_path / "pids").exists), process.communicate(timeout=PATIENCE)
        pids.extend(map(int, (tmp_path / "pids").read_text().split()))
        assert len(pids) == 6
        assert all(map(is_running, pids))
        return process, pids, temporary

    yield start
    for pid in filter(is_running, pids):
        os.kill(pid, signal.SIGKILL)


def is_clean(pids: list[int], temporary: Path) -> bool:
    return not any(map(is_running, pids)) and not list(temporary.glob("weaklink*"))


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_left_of_a_command_that_is_killed(name, started):
    process, pids, temporary = started(name)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert wait_until(lambda: is_clean(pids, temporary)), [is_running(pid) for pid in pids]


SIGNALS = ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130))


@pytest.mark.parametrize(
    ("name", "number", "status"),
    [  # every command and every signal once; the other pairs in `make test-whole`
        pytest.param(name, *sent, marks=() if place == which else pytest.mark.whole)
        for which, name in enumerate(("preflight", "probe", "debug"))
        for place, sent in enumerate(SIGNALS)
    ],
)
def test_what_was_found_is_told_and_nothing_is_left(name, number, status, started):
    process, pids, temporary = started(name)
    process.send_signal(number)
    told, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert b"Traceback" not in complaint
    assert json.loads(told)["command"] == name
    assert wait_until(lambda: is_clean(pids, temporary)), [is_running(pid) for pid in pids]


def test_a_command_that_ignores_hanging_up_goes_on(started):
    """As under nohup."""
    process, _, _ = started("preflight", signal.SIG_IGN)
    process.send_signal(signal.SIGHUP)
    time.sleep(1.0)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


MAKES_A_FOLDER = """
import os, signal, sys, time
from weaklink.base.outside.ownership import ScratchFolder, get_ownership
folder = ScratchFolder()
print(folder.path, get_ownership()._guard.pid, flush=True)
time.sleep(600)
"""


def folder_of_another(temporary: Path, code: str = MAKES_A_FOLDER):
    words = [sys.executable, "-c", code]
    process = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.PIPE, text=True)
    folder, its_guard = process.stdout.readline().split()
    return process, Path(folder), int(its_guard)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(get_ownership(), "_swept", set())
    return tmp_path


def test_a_folder_whose_guard_was_ended_too_is_removed_at_the_next_start(temporary):
    process, folder, its_guard = folder_of_another(temporary)
    os.kill(its_guard, signal.SIGKILL)
    process.kill()
    process.communicate()
    assert folder.exists()
    with ScratchFolder() as ours:
        assert not folder.exists()
        assert ours.path.exists()
    assert list(temporary.iterdir()) == []


def test_folders_of_others_stay(temporary):
    process, living, _ = folder_of_another(temporary)
    unknown, elsewhere = temporary / "weaklink-case", temporary / "weaklink-elsewhere"
    unknown.mkdir()
    elsewhere.mkdir()
    (elsewhere / OWNED).write_text("another machine\n1\n2")
    ScratchFolder().close()
    assert sorted(temporary.iterdir()) == sorted([living, unknown, elsewhere])
    process.kill()
    process.communicate()
    assert wait_until(lambda: not living.exists())


def test_the_guard_goes_with_its_owner(temporary):
    process, _, its_guard = folder_of_another(temporary)
    assert is_running(its_guard)
    process.kill()
    process.communicate()
    assert wait_until(lambda: not is_running(its_guard))


def test_a_fork_that_holds_the_lifeline_does_not_hide_the_end_of_the_owner(temporary):
    forks = MAKES_A_FOLDER.replace("time.sleep", "pid = os.fork()\nprint(pid, flush=True) if pid else None\ntime.sleep")
    process, folder, _ = folder_of_another(temporary, forks)
    fork = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    assert wait_until(lambda: not folder.exists())
    assert is_running(fork), "it was not started by us"
    os.kill(fork, signal.SIGKILL)
