"""The survey of an environment in a process of its own, watched from here."""

from __future__ import annotations

import re
import time
from importlib import util
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.packing import pack_part, unpack_survey
from weaklink.base.evidence.survey import Survey, SurveyFault
from weaklink.base.outside.child import Supervisor, make_module_command
from weaklink.collect.survey.exchanging import EXCHANGING
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import MEGABYTE, Report
from weaklink.collect.survey.worker import LOADING, THROUGH, SurveyMessage, SurveyRequest

MODULE = make_module_command("weaklink.collect.survey.worker")
START = 1.0
"""Seconds of the budget that starting a process takes; as many again are given to finish by itself."""

LOADING_SECONDS = 120.0
"""Seconds to import a module: a framework takes a minute where disks are slow or the machine is busy."""

LONGEST_CHECK = 10.0
"""Seconds that SB3's checker may take after the survey, at most."""

SHOWN_FRAMES = 3
SHOWN_CHARACTERS = 4000
_STOPPED = "Stopped at {}: later stages were not run."
_LATE = "Out of time at {}: the environment is slow. Later stages were not run; --seconds gives them more time."
_UNHEARD = "The last stage, {}, is missing: the process that played came to its end, and what it said last was lost."
_ALTERED = "The environment did not go on at {}, where weaklink had altered it: later stages were not run."
_HUNG = re.compile(r"Timeout \([\d:.]+\)!\s+Thread .*most recent call first")
_FRAME = re.compile(r'File "(.+?)", line (\d+) in (\S+)')
_OURS = str(Path(__file__).parents[2])


def survey_isolated(word: str, plan: SurveyPlan, report: Report | None = None) -> Survey:
    """Surveys a Gymnasium id or `module:factory`; a crash, a hang or a leak becomes a fault of the survey."""
    began = time.monotonic()
    shorter = msgspec.structs.replace(plan, seconds=max(plan.seconds - START, START))
    with Supervisor[SurveyMessage]() as supervisor, Supervisor[SurveyMessage]() as checker:
        child = SurveyProcess(supervisor, SurveyRequest(word, shorter, LOADING_SECONDS), plan)
        if util.find_spec("stable_baselines3") is not None:  # loading it takes as long as a small survey
            checker.start(
                MODULE, SurveyMessage, SurveyRequest(word, plan, LOADING_SECONDS, check_with_sb3=True), threads=1
            )
        fault = child.watch(report)
        parts = child.parts
        if fault is not None:
            parts.append(pack_part({"faults": (fault,), "seconds": plan.seconds}))
        elif child.early:
            note = child.early.format(child.stage)
            seconds = time.monotonic() - began
            parts.append(pack_part({"notes": (note,), "seconds": seconds, "stopped": child.stopped}))
        else:
            parts += _wait_for_checker(checker, plan.seconds - (time.monotonic() - began))
    return unpack_survey(parts, name=word, shaping=plan.shaping, goal_metric=plan.metric)


def examine_isolated(model: str, environment: str, plan: SurveyPlan) -> ModelCheck:
    """Examines the model that `module:factory` makes."""
    with Supervisor[SurveyMessage]() as supervisor:
        child = SurveyProcess(supervisor, SurveyRequest(environment, plan, LOADING_SECONDS, model=model), plan)
        fault = child.watch(None)
    if child.stopped:
        raise KeyboardInterrupt
    if fault is not None or not child.parts:
        return ModelCheck(faults=() if fault is None else (fault,))
    return msgspec.msgpack.decode(child.parts[0], type=ModelCheck)


def _wait_for_checker(checker: Supervisor[SurveyMessage], seconds: float) -> list[bytes]:
    """The complaints of SB3's checker, for which it may take a little longer; none where it fails or is not there."""
    for child in checker.children:
        child.allow(min(max(seconds, 0.0), LONGEST_CHECK))
    while checker.children and (event := checker.wait()) is not None:
        if event[1] is not None and event[1].part:
            return [event[1].part]
    return []


class SurveyProcess:
    """A worker process and what it has said."""

    def __init__(self, supervisor: Supervisor[SurveyMessage], request: SurveyRequest, plan: SurveyPlan) -> None:
        self._supervisor, self._plan = supervisor, plan
        self._child = supervisor.start(
            MODULE,
            SurveyMessage,
            request,
            seconds=LOADING_SECONDS + START,
            threads=1,
            memory=(plan.memory_megabytes * 3 // 2) * MEGABYTE,
        )
        self.parts: list[bytes] = []
        self.stage, self.steps = LOADING, 0
        self.early, self._done, self._own, self._heard = "", False, False, time.monotonic()

    def watch(self, report: Report | None) -> SurveyFault | None:
        """Waits for the end; the fault that ended it early, if one did. Ctrl-C ends it and keeps what was found."""
        try:
            while not self._done and (event := self._supervisor.wait()) is not None:
                if event[1] is None:
                    return self._find_fault()
                self._take(event[1], report)
        except KeyboardInterrupt:
            self.early = _STOPPED
        return None

    @property
    def stopped(self) -> bool:
        """Whether somebody stopped it."""
        return self.early is _STOPPED

    def _take(self, message: SurveyMessage, report: Report | None) -> None:
        self._heard, self._done = time.monotonic(), message.done
        self._own = message.own or (self._own and not message.stage)
        if message.unusable:
            raise UsageError(message.unusable)
        if message.part:
            self.parts.append(message.part)
        if message.stage:
            if self.stage == LOADING:  # its clock begins now, and so does ours
                self._child.allow((LOADING_SECONDS if message.stage == LOADING else self._plan.seconds) + START)
            self.stage, self.steps = message.stage, message.steps
            if report is not None:
                report(self.stage, self.steps)

    def _find_fault(self) -> SurveyFault | None:
        """What ended the process before it was through; None where it was merely slow, or where the end was our own."""
        child, plan, printed = self._child, self._plan, self._child.printed[-SHOWN_CHARACTERS:]
        if child.late and (self._own or time.monotonic() - self._heard < plan.patience):
            self.early = _LATE
        elif child.code == THROUGH:
            self.early = _UNHEARD
        elif self.stage == EXCHANGING:
            self.early = _ALTERED
        if self.early:
            return None
        if child.late:
            limit = LOADING_SECONDS if self.stage == LOADING else plan.seconds
            return self._fault("hung", f"no answer within {limit:g} seconds")
        if child.heavy:
            return self._fault("memory", f"more than {plan.memory_megabytes} MB were used")
        if _HUNG.search(child.printed):  # further up where threads went on printing
            return self._fault("hung", "the call did not return")
        if "MemoryError" in printed:
            return self._fault("memory", "no memory was left")
        return self._fault("died", child.last_words())

    def _fault(self, kind: str, message: str) -> SurveyFault:
        frames = _FRAME.findall(self._child.printed[-SHOWN_CHARACTERS:])
        own = [frame for frame in frames if not frame[0].startswith(_OURS)][:SHOWN_FRAMES]
        where = tuple(f"{file}:{line} in {function}" for file, line, function in own)
        call = "make" if self.stage.startswith(("making", LOADING)) else "step"
        return SurveyFault(kind=kind, stage=self.stage, call=call, step=self.steps, message=message, where=where[::-1])
