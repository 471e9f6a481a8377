"""However a script ends, its exit status and its recording are kept, and what it prints is its own."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

import weaklink
from tests.patience import PATIENCE, wait_for_turns, wait_until
from tests.run.running import SCRIPTS, drop_own_lines, list_recordings, run_alone, run_watched

pytest.importorskip("gymnasium")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks")


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("", 0),
        ("raise", 1),
        ("exit", 7),
        ("at once", 9),
        ("another program", 11),
        ("fork", 12),
        ("spawn", 19),
        ("kill", -signal.SIGKILL),
    ],
)
def test_status_output_and_recording_are_kept(how, code, tmp_path, capfd):
    ran, printed, complained = run_watched(capfd, tmp_path / "out", "tabular.py", how)
    assert ran.code == code
    if how in ("raise", "fork", "spawn"):
        alone = run_alone("tabular.py", how)
        assert (alone.returncode, alone.stdout, alone.stderr) == (code, printed, drop_own_lines(complained))
    assert list_recordings(tmp_path / "out") == ["loop"]
    run = weaklink.read(tmp_path / "out" / "loop")
    assert sum(run["task.episodes"].values) == 60
    assert len(ran.diagnoses) == 1
    assert "No optimizer" in ran.notes[0] if how in ("", "raise", "exit") else True


def test_a_script_that_becomes_itself_again_is_recorded_twice(tmp_path, capfd):
    ran, printed, _ = run_watched(capfd, tmp_path / "out", "tabular.py", "again")
    assert ran.code == 7
    assert printed.count("trained") == 2
    assert list_recordings(tmp_path / "out") == ["loop", "loop-2"]
    assert len(ran.diagnoses) == 2


def begin_waiting(tmp_path, *options):
    """`weaklink run` with a script that waits for a signal, in a session of its own."""
    command = [sys.executable, "-m", "weaklink", "run", "--out", str(tmp_path / "out"), *options]
    child = subprocess.Popen(
        [*command, str(SCRIPTS / "tabular.py"), "wait"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while child.stdout.readline() != "waiting\n":
        assert child.poll() is None
    return child


@pytest.mark.parametrize(
    ("sent", "code", "said"), [(signal.SIGTERM, -signal.SIGTERM, ""), (signal.SIGINT, 44, "saved\n")]
)
def test_a_signal_is_the_scripts(sent, code, said, tmp_path):
    child = begin_waiting(tmp_path)
    child.send_signal(sent)
    printed, complained = child.communicate(timeout=PATIENCE)
    assert (child.returncode, printed) == (code, said)
    assert "UNCLEAR" in complained or "HEALTHY" in complained
    assert sum(weaklink.read(tmp_path / "out" / "loop")["task.episodes"].values) == 60


def test_a_command_that_is_stopped_goes_on(tmp_path):
    """As by Ctrl-Z and fg."""
    child = begin_waiting(tmp_path)
    for _ in range(3):
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.6)  # longer than it waits for one signal
        child.send_signal(signal.SIGCONT)
        wait_for_turns(child.pid, 3)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=PATIENCE)
    assert child.returncode == -signal.SIGTERM


def test_ctrl_c_on_a_terminal_comes_once_and_the_script_has_the_terminal(tmp_path):
    process, terminal = pty.fork()
    if not process:
        script = [str(SCRIPTS / "tabular.py"), "wait"]
        os.execv(sys.executable, [sys.executable, "-m", "weaklink", "run", "--out", str(tmp_path / "out"), *script])
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        _read_until(screen, b"waiting")
        os.write(terminal, b"\x03")
        said = _read_until(screen, b"no such word")
    assert b"saved" in said
    assert b"Traceback" not in said
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 44


def _read_until(screen, word):
    """What a terminal shows until a word, or until nobody holds it any more, which is an error on Linux."""
    said = b""
    with contextlib.suppress(OSError):
        while word not in said:
            said += screen.read(1000)
    return said


def test_a_script_does_not_outlive_the_command(tmp_path):
    child = begin_waiting(tmp_path)
    child.kill()
    assert child.stdout.read() == ""  # its end is the end of all who hold it
    child.communicate(timeout=PATIENCE)
    lock = tmp_path / "out" / "loop" / "weaklink.lock"
    process = int(lock.read_text())
    wait_until(lambda: not os.path.exists(f"/proc/{process}"))
