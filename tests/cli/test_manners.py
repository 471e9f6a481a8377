"""How the command line behaves where things get rough: pipes, terminals, odd encodings, interrupts."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.cli.logs import call, healthy_log, sick_log
from tests.patience import PATIENCE, wait_until
from tests.unwrapping import unwrapped

COMMAND = [sys.executable, "-m", "weaklink"]


def on_a_terminal(*arguments: str, **env: str) -> str:
    """What a person sees: the command runs on a terminal of its own, 80 columns wide."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **env},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait(timeout=PATIENCE)
    os.close(leader)
    return seen.decode("utf-8", "replace")


def test_colour_on_a_terminal_and_none_in_a_pipe(tmp_path):
    log = str(sick_log(tmp_path))
    seen = on_a_terminal("diagnose", log)
    assert "\x1b[" in seen
    assert "POL301 excessive-clipping" in seen
    assert "\x1b[" not in call("diagnose", log).stdout


def test_no_colour_is_respected(tmp_path):
    assert "\x1b[3" not in on_a_terminal("diagnose", str(sick_log(tmp_path)), NO_COLOR="1")


def test_progress_is_for_terminals(tmp_path):
    for number in range(3):
        sick_log(tmp_path / str(number))
    assert "reading" in on_a_terminal("diagnose", str(tmp_path))
    assert call("diagnose", tmp_path).stderr == ""


def test_ascii_where_nothing_else_can_be_shown(tmp_path):
    done = call("diagnose", sick_log(tmp_path), env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert done.stdout.startswith("BROKEN  ")
    assert " - policy - " in done.stdout


def test_json_is_utf8_whatever_the_terminal_speaks(tmp_path):
    log = sick_log(tmp_path / "größe")
    done = call("diagnose", log, "-f", "json", env={"PYTHONIOENCODING": "ascii"})
    assert "größe" in done.stdout


def test_a_name_that_is_no_text(tmp_path):
    folder = os.fsencode(tmp_path) + b"/odd\xff\x1b[31m"
    os.mkdir(folder)
    log = Path(os.fsdecode(folder))
    for format in ("terminal", "json", "markdown", "html"):
        done = call("diagnose", sick_log(log), log / "missing", "-f", format)
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    log = sick_log(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "diagnose", log, log], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 1


def test_an_interrupt_leaves_what_was_found(tmp_path):
    log = sick_log(tmp_path / "run")
    endless = tmp_path / "endless.csv"
    os.mkfifo(endless)
    script = (
        "import os, signal, sys, weaklink.verbs.targets as targets\n"
        "first = targets.judge_targets\n"
        "def judged(*args):\n"
        "    yield next(first(*args))\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "targets.judge_targets = judged\n"
        "from weaklink.cli import main\n"
        f"sys.argv = ['weaklink', 'diagnose', {str(log)!r}, {str(log)!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stdout.startswith("BROKEN  ")
    assert " · policy · " in done.stdout
    assert "stopped" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_while_waiting_for_input():
    process = subprocess.Popen(
        [*COMMAND, "diagnose", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"step")
    process.stdin.flush()
    wait_until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) == bytes(4))  # it has read that
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in complaint


def test_a_fault_of_weaklink_itself_is_told_as_one(tmp_path):
    good, bad = healthy_log(tmp_path / "good"), healthy_log(tmp_path / "bad")
    script = (
        "import sys, weaklink.verbs.targets as targets\n"
        "judge = targets.judge_run\n"
        "def diagnose(run, settings):\n"
        "    if 'bad' in run.source: raise ValueError('boom')\n"
        "    return judge(run, settings)\n"
        "targets.judge_run = diagnose\n"
        "from weaklink.cli import main\n"
        f"sys.argv = ['weaklink', 'diagnose', {str(bad)!r}, {str(good)!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "1 healthy, 1 unreadable" in unwrapped(done.stdout)
    assert "fault of weaklink itself (ValueError: boom)" in unwrapped(done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["diagnose", "rules", "explain"])
def test_every_command_has_help(command):
    done = call(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: weaklink")


def test_shell_completion_is_there():
    shown = call("--show-completion", env={"SHELL": "/bin/bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert "Traceback" not in shown.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["explain", "POL301"], ["diagnose", "."]])
def test_a_python_without_docstrings_is_refused_in_one_line(arguments):
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "weaklink", *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("weaklink: weaklink needs docstrings")
    assert done.stderr.endswith("Start it with python or python -O.\n")
    assert done.stderr.count("\n") == 1


def test_rules_are_not_asked_where_their_pages_are_gone():
    code = (
        "from weaklink.base.errors import UsageError\nfrom weaklink.judge.rules._registry import load_rules\n"
        "try:\n    load_rules()\nexcept UsageError as error:\n    print(error)"
    )
    with_assertions_off = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=True)
    without_docstrings = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert with_assertions_off.stdout == ""
    assert "python -OO" in unwrapped(without_docstrings.stdout)


def test_colour_and_width_are_those_that_are_asked_for(tmp_path):
    log = sick_log(tmp_path)
    assert "\x1b[" not in call("diagnose", log).stdout
    assert "\x1b[" in call("diagnose", log, env={"FORCE_COLOR": "1"}).stdout
    wide = call("diagnose", log, env={"COLUMNS": "120"}).stdout.splitlines()
    assert 80 < max(map(len, wide)) <= 120


def test_the_list_of_commands_cuts_nothing_short():
    assert "..." not in call("--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize(("columns", "widest"), [("90", 90), ("120", 120)])
def test_the_help_is_as_wide_as_the_terminal(columns, widest):
    lines = call("diagnose", "--help", env={"COLUMNS": columns}).stdout.splitlines()
    assert 0.8 * widest < max(map(len, lines)) <= widest
