"""Whether weaklink holds where the code that it runs misbehaves, and where it is ended itself, in every way there is.

    python bench/hold_hostile.py [--only WORD] [--side-by-side 2]

Each run is a real command in a folder of its own, with a temporary folder of its own, on an environment, a trainer, a
verifier or a project that misbehaves. Half of them end their process: that has to be a finding or an error in one line,
never "unclear". Some change the process around them and have to be judged all the same. The others are commands that
are ended from outside: by signals, a closed terminal, a time limit, a disk that is full, a folder that is read-only, a
clock that jumps. After each run no process that it started may be alive, and its temporary folder has to be empty.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARK = "WEAKLINK_HOSTILE_RUN"
LONGEST = 240.0
"""Seconds after which a run counts as hung; the longest takes half a minute on an idle machine."""
GONE_WITHIN = 15.0
"""Seconds in which the guard has to have ended what is left: it gives up after five."""

SUBJECT = """
import ctypes, json, os, signal, subprocess, sys, threading, time
import gymnasium as gym

def act():
{act}

class Hostile(gym.Wrapper):
    steps = 0
    def step(self, action):
        Hostile.steps += 1
        if Hostile.steps == 20:
            act()
        return self.env.step(action)

def make():
    return Hostile(gym.make("CartPole-v1"))

class Agent:
    def act(self, observation):
        return 0
    def value(self, observation):
        return 1.0

def train(make_env, steps, seed, gamma=0.9):
    act()
    environment = make_env()
    environment.reset(seed=seed)
    return Agent()

def verify(completions, **columns):
    act()
    return [float("4" in completion) for completion in completions]
"""

DEAF = "for name in ('TERM', 'INT', 'HUP', 'ALRM'):\n    signal.signal(getattr(signal, 'SIG' + name), signal.SIG_IGN)"
ENDS = {
    "exit-0": "os._exit(0)",
    "exit-7": "os._exit(7)",
    "segfault": "ctypes.string_at(0)",
    "kill-9": "os.kill(os.getpid(), signal.SIGKILL)",
    "abort": "os.abort()",
    "exec": "os.execv('/bin/true', ['true'])",
    "memory": "hoard = [bytearray(1 << 26) for _ in range(400)]",
    "hang": "time.sleep(3600)",
    "hang-deaf": f"{DEAF}\ntime.sleep(3600)",
    "close-all": "os.closerange(3, 200)",
}
"""Ends the process of the subject, or keeps it for ever."""

CHANGES = {
    "close-stdout": "os.closerange(0, 3); sys.stdout.close()",
    "signals": DEAF,
    "chdir": "os.chdir('/')",
    "recursion": "sys.setrecursionlimit(150)",
    "daemon": "subprocess.Popen(['sleep', '3600'], start_new_session=True)",
    "double-fork": "if os.fork() == 0:\n    os.setsid()\n    os.fork() or time.sleep(3600)\n    os._exit(0)",
    "patched": "time.time = time.monotonic = lambda: 0.0\njson.dumps = json.loads = os.getcwd = None",
    "gigabyte": "block = 'x' * (1 << 20)\nfor _ in range(1024):\n    os.write(1, block.encode())",
    "umask-env": "os.umask(0o777); os.environ.clear()",
    "threads": "[threading.Thread(target=time.sleep, args=(3600,)).start() for _ in range(20)]",
}
"""Changes the process around the subject, which is judged all the same."""

COMMANDS = {
    "preflight": ("preflight", "subject.py:make", "--seconds", "12", "--steps", "300", "--episodes", "3", "-f", "json"),
    "probe": ("probe", "subject.py:train", "--only", "ConstantReward", "--seeds", "1", "--steps", "200",
              "--timeout", "12", "--workers", "1", "-f", "json"),
    "verifier": ("audit", "--verifier", "subject.py:verify", "-f", "json"),
    "debug": ("debug", "subject.py:train", "--env", "subject.py:make", "--seconds", "30", "--only", "preflight",
              "-f", "json"),
}  # fmt: skip

WAIT = ENDS["hang-deaf"]


@dataclass
class HostileRun:
    """A command, what its subject does, how it is ended, and what has to come of it."""

    name: str
    command: tuple[str, ...]
    act: str
    end: Callable[[subprocess.Popen[bytes]], None] | None = None
    wanted: str = ""
    around: str = ""
    setting: str = ""


def send(number: int, after: float = 6.0) -> Callable[[subprocess.Popen[bytes]], None]:
    """Sends a signal once the subject is at work."""

    def end(process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(number)

    return end


def list_runs() -> Iterator[HostileRun]:
    for name, act in ENDS.items():
        yield HostileRun(f"preflight {name}", COMMANDS["preflight"], act, wanted="fault")
    for name in ("exit-0", "segfault", "kill-9", "hang"):
        yield HostileRun(f"probe {name}", COMMANDS["probe"], ENDS[name], wanted="fault")
    for name in ("exit-0", "kill-9"):
        yield HostileRun(f"verifier {name}", COMMANDS["verifier"], ENDS[name], wanted="fault")
    yield HostileRun("debug exit-0", COMMANDS["debug"], ENDS["exit-0"], wanted="fault")
    for name, act in CHANGES.items():
        yield HostileRun(f"preflight {name}", COMMANDS["preflight"], act, wanted="judged")
    for word, number in (
        ("TERM", signal.SIGTERM),
        ("HUP", signal.SIGHUP),
        ("KILL", signal.SIGKILL),
        ("INT", signal.SIGINT),
    ):
        yield HostileRun(f"preflight ended by {word}", COMMANDS["preflight"], WAIT, end=send(number))
        yield HostileRun(f"debug ended by {word}", COMMANDS["debug"], WAIT, end=send(number, 8.0))
    yield HostileRun("preflight, terminal closed", COMMANDS["preflight"], WAIT, setting="terminal")
    yield HostileRun("preflight, time limit", ("timeout", "6"), WAIT, setting="timeout")
    yield HostileRun("debug, disk full", COMMANDS["debug"], "pass", setting="full", wanted="line")
    if os.getuid():  # whoever may write everywhere cannot be kept out of a folder by its mode
        yield HostileRun("debug, folder read-only", COMMANDS["debug"], "pass", setting="read-only", wanted="line")
    else:
        yield HostileRun(
            "debug, folder in the way", (*COMMANDS["debug"], "--case", "subject.py"), "pass", wanted="line"
        )
    yield HostileRun("preflight, clock jumps", COMMANDS["preflight"], "pass", around=JUMPS, wanted="judged")


JUMPS = """
import itertools, sys, time
real, turns = time.time, itertools.count()
time.time = lambda: real() + (3600.0 if next(turns) % 2 else -3600.0)
sys.argv = ["weaklink", *sys.argv[1:]]
from weaklink.cli import main
main()
"""


def carry_out(run: HostileRun) -> str:
    """What went wrong with a run; nothing where it held."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        work, scratch = Path(place) / "work", Path(place) / "tmp"
        work.mkdir()
        scratch.mkdir()
        body = "\n".join(f"    {line}" for line in run.act.splitlines())
        (work / "subject.py").write_text(SUBJECT.format(act=body), encoding="utf-8")
        environment = {**os.environ, MARK: mark, "TMPDIR": str(scratch), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
        environment["PYTHONPATH"] = str(ROOT / "src")
        status, said = _run_command(run, work, environment)
        os.chmod(work, 0o755)
        return _find_wrong(run, status, said, mark, scratch)


def _run_command(run: HostileRun, work: Path, environment: dict[str, str]) -> tuple[int, str]:
    words = [sys.executable, *(("-c", run.around) if run.around else ("-m", "weaklink")), *run.command]
    if run.setting == "timeout":
        words = [*run.command, sys.executable, "-m", "weaklink", *COMMANDS["preflight"]]
    before = _limit_files if run.setting == "full" else None
    if run.setting == "read-only":
        os.chmod(work, 0o555)
    if run.setting == "terminal":
        return _run_in_terminal(words, work, environment)
    process = subprocess.Popen(
        words, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=before,
    )  # fmt: skip
    try:
        if run.end is not None:
            run.end(process)
        said, _ = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -999, "hung"
    return process.returncode, said.decode(errors="replace")


def _limit_files() -> None:
    """No file may grow beyond four kilobytes: to a program this looks like a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def _run_in_terminal(words: list[str], work: Path, environment: dict[str, str]) -> tuple[int, str]:
    """A command in a terminal of its own that is closed under it, as a lost connection does."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(work)
        os.execvpe(words[0], words, environment)
    time.sleep(6.0)
    os.close(terminal)
    ends = time.monotonic() + LONGEST
    while time.monotonic() < ends:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), ""
        time.sleep(0.1)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -999, "hung"


def _find_wrong(run: HostileRun, status: int, said: str, mark: str, scratch: Path) -> str:
    ends = time.monotonic() + GONE_WITHIN
    while (left := list_marked(mark)) and time.monotonic() < ends:
        time.sleep(0.1)
    for process in left:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)
    files = sorted(path.name for path in scratch.iterdir())
    wrong = [f"{len(left)} processes left"] if left else []
    wrong += [f"left in the temporary folder: {', '.join(files[:3])}"] if files else []
    wrong += [judged] if (judged := judge_outcome(run.wanted, status, said)) else []
    return "; ".join(wrong)


def judge_outcome(wanted: str, status: int, said: str) -> str:
    """What is wrong with the outcome: a fault has to be told, a changed process has to be judged all the same."""
    if status in (-999, 3) or "Traceback (most recent call last)" in said.replace("\\n", "\n").partition('{"')[0]:
        return f"status {status}: {said[-300:]!r}"
    lines = [line for line in said.splitlines() if line.startswith("{")]
    record = json.loads(lines[-1]) if lines else {}
    verdict = record.get("verdict", "")
    if wanted == "fault" and not (status == 1 and verdict != "unclear") and not (status == 2 and not lines):
        return f"status {status}, verdict {verdict!r}"
    if wanted == "judged" and (status not in (0, 1) or not record or "died" in said or "hung" in said):
        return f"status {status}, verdict {verdict!r}: {said[-300:]!r}"
    if wanted == "line" and status not in (0, 1, 2):
        return f"status {status}: {said[-300:]!r}"
    return ""


def list_marked(mark: str) -> list[int]:
    """The processes that carry the mark of a run."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="runs whose names hold this")
    parser.add_argument("--side-by-side", type=int, default=2)
    given = parser.parse_args()
    runs = [run for run in list_runs() if given.only in run.name]
    began, failed = time.monotonic(), 0
    with ThreadPoolExecutor(given.side_by_side) as pool:
        for run, wrong in zip(runs, pool.map(carry_out, runs), strict=True):
            failed += bool(wrong)
            print(f"{'WRONG' if wrong else 'held '}  {run.name}{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(runs) - failed} of {len(runs)} held, {time.monotonic() - began:.0f} s")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
