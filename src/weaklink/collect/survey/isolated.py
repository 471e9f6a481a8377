"""The survey of an environment in a process of its own, watched from here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from importlib import util
from pathlib import Path
from typing import IO, Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.packing import packed, unpacked
from weaklink.base.evidence.survey import Fault, Survey
from weaklink.base.outside.processes import end
from weaklink.collect.survey.plan import Plan
from weaklink.collect.survey.session import MEGABYTE, Report, resident_of
from weaklink.collect.survey.worker import PART, REQUEST, UNUSABLE, Request

START = 1.0
"""Seconds of the budget that starting a process takes; as many again are given to finish by itself."""

POLL = 0.1
SHOWN_FRAMES = 3
SHOWN_CHARACTERS = 4000
_STOPPED = "Stopped at {}: later stages were not run."
_LATE = "Out of time at {}: the environment is slow. Later stages were not run; --seconds gives them more time."
_FRAME = re.compile(r'File "(.+?)", line (\d+) in (\S+)')
_OURS = str(Path(__file__).parents[2])


def isolated(word: str, plan: Plan, report: Report | None = None) -> Survey:
    """Surveys a Gymnasium id or `module:factory`; a crash, a hang or a leak becomes a fault of the survey."""
    with tempfile.TemporaryDirectory(prefix="weaklink-") as name:
        folder, began = Path(name), time.monotonic()
        shorter = msgspec.structs.replace(plan, seconds=max(plan.seconds - START, START))
        child = Child(folder / "survey", Request(word, shorter))
        checker = _sb3_checker(folder, word, plan)
        try:
            fault = child.watched(plan, report)
            parts = child.parts()
            if fault is not None:
                parts.append(packed({"faults": (fault,), "seconds": plan.seconds}))
            elif child.late or child.stopped:
                told = _STOPPED if child.stopped else _LATE
                seconds = time.monotonic() - began
                parts.append(
                    packed({"notes": (told.format(child.stage),), "seconds": seconds, "stopped": child.stopped})
                )
            survey = unpacked(parts, name=word, shaping=plan.shaping, goal_metric=plan.metric)
            if checker is None or survey.faults or child.stopped:
                return survey
            parts += checker.finished(plan.seconds - (time.monotonic() - began))
            return unpacked(parts, name=word, shaping=plan.shaping, goal_metric=plan.metric)
        finally:
            child.kill()
            if checker is not None:
                checker.kill()


def examined(model: str, environment: str, plan: Plan) -> ModelCheck:
    """Examines the model that `module:factory` makes."""
    with tempfile.TemporaryDirectory(prefix="weaklink-") as name:
        child = Child(Path(name) / "model", Request(environment, plan, model=model))
        try:
            fault = child.watched(plan, None)
            parts = child.parts()
        finally:
            child.kill()
    if child.stopped:
        raise KeyboardInterrupt
    if fault is not None or not parts:
        return ModelCheck(faults=() if fault is None else (fault,))
    return msgspec.msgpack.decode(parts[0], type=ModelCheck)


def _sb3_checker(folder: Path, word: str, plan: Plan) -> Child | None:
    """A second process for SB3's checker, where SB3 is installed: loading it takes as long as a small survey."""
    if util.find_spec("stable_baselines3") is None:
        return None
    return Child(folder / "sb3", Request(word, plan, check_with_sb3=True))


class Child:
    """A worker process and its folder."""

    def __init__(self, folder: Path, request: Request) -> None:
        folder.mkdir()
        (folder / REQUEST).write_bytes(msgspec.json.encode(request))
        self.folder = folder
        self.stage, self.steps, self.unusable = "starting", 0, ""
        self.late, self.stopped, self._heard = False, False, time.monotonic()
        self._errors = (folder / "errors").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "weaklink.collect.survey.worker", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=os.name == "posix",
        )
        self._messages: list[dict[str, Any]] = []
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()

    def _listen(self, output: IO[bytes]) -> None:
        with output:
            for line in output:
                self._messages.append(msgspec.json.decode(line))

    def watched(self, plan: Plan, report: Report | None) -> Fault | None:
        """Waits for the end; the fault that ended it early, if one did. Ctrl-C ends it and keeps what was found."""
        try:
            return self._watched(plan, report)
        except KeyboardInterrupt:
            self.kill()
            self.stopped = True
            return None

    def _watched(self, plan: Plan, report: Report | None) -> Fault | None:
        deadline = time.monotonic() + plan.seconds + START
        while self._process.poll() is None:
            self._take(report)
            if time.monotonic() > deadline:
                self.kill()
                self.late = time.monotonic() - self._heard < plan.patience
                return None if self.late else self._fault("hung", f"no answer within {plan.seconds:g} seconds")
            if resident_of(self._process.pid) > (plan.memory_megabytes * 3 // 2) * MEGABYTE:
                self.kill()
                return self._fault("memory", f"more than {plan.memory_megabytes} MB were used")
            time.sleep(POLL)
        self._listener.join(START)  # what it said last may not be here yet
        self._take(report)
        return self._verdict(self._process.returncode)

    def _take(self, report: Report | None) -> None:
        while self._messages:
            message = self._messages.pop(0)
            self._heard = time.monotonic()
            self.unusable = message.get("unusable", self.unusable)
            self.stage, self.steps = message.get("stage", self.stage), message.get("steps", self.steps)
            if report is not None:
                report(self.stage, self.steps)

    def _verdict(self, code: int) -> Fault | None:
        if code == 0:
            return None
        if code == UNUSABLE and self.unusable:
            raise UsageError(self.unusable)
        told = self._told()
        if "Timeout (" in told and "most recent call first" in told:
            return self._fault("hung", "the call did not return")
        if "MemoryError" in told:
            return self._fault("memory", "no memory was left")
        return self._fault("died", _cause_of_death(code, told))

    def _fault(self, kind: str, message: str) -> Fault:
        frames = [frame for frame in _FRAME.findall(self._told()) if not frame[0].startswith(_OURS)]
        where = tuple(f"{file}:{line} in {function}" for file, line, function in frames[:SHOWN_FRAMES])
        call = "make" if self.stage.startswith(("making", "starting")) else "step"
        return Fault(kind=kind, stage=self.stage, call=call, step=self.steps, message=message, where=where[::-1])

    def _told(self) -> str:
        """The end of what was printed."""
        try:
            return (self.folder / "errors").read_text(encoding="utf-8", errors="replace")[-SHOWN_CHARACTERS:]
        except OSError:
            return ""

    def parts(self) -> list[bytes]:
        """What was found, in its order."""
        return [file.read_bytes() for file in sorted(self.folder.glob(f"*.{PART}"))]

    def finished(self, seconds: float) -> list[bytes]:
        """The parts of a process that may take a little longer; none where it fails."""
        try:
            self._process.wait(min(max(seconds, 0.0), 10.0))
        except subprocess.TimeoutExpired:
            return []
        return self.parts()

    def kill(self) -> None:
        """Ends the process and whatever it started."""
        end(self._process)
        self._listener.join(START)
        self._errors.close()


def _cause_of_death(code: int, told: str) -> str:
    """In words: the signal, the fatal error, or the last line that was printed."""
    fatal = re.search(r"Fatal Python error: (.+)", told)
    if fatal:
        return f"the whole process died: {fatal.group(1)}"
    if code < 0:
        return f"the whole process died of {signal.Signals(-code).name}"
    last = [line for line in told.splitlines() if line.strip()]
    return f"the whole process ended with code {code}" + (f": {last[-1].strip()[:200]}" if last else "")
