"""The environment that a script trains in, surveyed beside its training.

The script's own process gives away a fork once, when an environment is first reset (`ScriptSurvey`). After the script's
end what that found is judged and written into the recordings (`keep_survey`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.packing import unpack_survey
from weaklink.base.evidence.store import FILE, Recording
from weaklink.base.evidence.surveyed import LINE, SurveyedEnvironment
from weaklink.base.finding import Level
from weaklink.collect.monitor.mailbox import print_on_stderr
from weaklink.collect.survey.beside import SECONDS, ForkedSurvey, fork_survey, read_survey, refuse_survey
from weaklink.collect.survey.surveyed import name_environment
from weaklink.judge.diagnosis.preflight import judge_survey

EVERY = 0.1
WORTH_SAYING = 1.0
"""Seconds of waiting from which on it is said what is waited for."""

_NOT_SURVEYED = (
    "The environment ({name}) was not surveyed beside the training: {why}. `weaklink preflight` looks at one by itself."
)
_OF_OLD_GYM = "only environments of Gymnasium can be made a second time, and this one is of the old gym"
_LEFT_OUT = "The environment was surveyed without {names}, which cannot be made a second time."


_IN_PART = "The environment ({name}) was surveyed in part only: its survey was not over when the time for it was."


class ScriptSurvey:
    """Inside of the script's process: remembers how environments are made, and has the first that is reset surveyed."""

    def __init__(self, file: str) -> None:
        self._file = Path(file)
        self._memory: Any = None

    def remember(self) -> None:
        """Remembers how environments of Gymnasium are made from now on, where it is loaded."""
        if self._memory is None and "gymnasium" in sys.modules:
            self._memory = import_module("weaklink.adapters.gymnasium.remaking").MakingMemory()

    def begin(self, env: Any) -> None:
        """Has a fork survey an environment; from then on nothing is remembered."""
        try:
            if self._memory is None:
                raise UsageError(_OF_OLD_GYM)
            single = self._memory.find_single(env)
            fork_survey(self._memory.make_maker(single), name_environment(single), self._file, os.getppid())
        except UsageError as error:
            refuse_survey(name_environment(env), self._file, str(error))
        if self._memory is not None:
            self._memory.forget()


def keep_survey(file: Path, folder: Path, seconds: float) -> None:
    """Waits for the survey of a script that has ended, and writes what it found into every recording.

    Args:
        file: where the fork writes.
        folder: of the recordings.
        seconds: how long to wait at most.
    """
    recordings = [found.parent for found in folder.glob(f"*/{FILE}")]
    surveyed = _conclude(_wait(file, seconds if recordings else 0.0))
    if surveyed is not None:
        _write(recordings, surveyed)


def _wait(file: Path, seconds: float) -> ForkedSurvey | None:
    """The survey when it is over, or as far as it is when the time is up; then its process is ended."""
    until, said = time.monotonic() + min(seconds, SECONDS), False
    with contextlib.suppress(KeyboardInterrupt):
        while (survey := read_survey(file)) is not None and survey.is_under_way and time.monotonic() < until:
            if not said and until - time.monotonic() > WORTH_SAYING:
                said = True
                print_on_stderr(
                    f"the script has ended; {survey.begin.name} is looked at for {until - time.monotonic():.0f} more "
                    "seconds at most. Ctrl-C skips that."
                )
            time.sleep(EVERY)
    survey = read_survey(file)
    if survey is not None and survey.is_under_way:
        with contextlib.suppress(OSError):
            os.kill(survey.begin.process, signal.SIGKILL)
    return survey


def _conclude(survey: ForkedSurvey | None) -> SurveyedEnvironment | None:
    """What a survey says: the alarms in it, or why there is none."""
    if survey is None:
        return None
    name = survey.begin.name
    if survey.end is not None and survey.end.refused:
        return SurveyedEnvironment(name, notes=(_NOT_SURVEYED.format(name=name, why=survey.end.refused),))
    judged = judge_survey(unpack_survey(list(survey.parts), name=name))
    alarms = tuple(finding for finding in judged.findings if finding.severity >= Level.WARN)
    return SurveyedEnvironment(
        name, tuple(msgspec.structs.replace(finding, consequence_of=None) for finding in alarms), _list_notes(survey)
    )


def _list_notes(survey: ForkedSurvey) -> tuple[str, ...]:
    """What was not looked at."""
    if survey.end is None:
        return (_IN_PART.format(name=survey.begin.name),)
    left_out = survey.end.left_out
    return (_LEFT_OUT.format(names=", ".join(left_out)),) if left_out else ()


def _write(recordings: Iterable[Path], surveyed: SurveyedEnvironment) -> None:
    for recording in recordings:
        with contextlib.suppress(OSError, UsageError), Recording(recording) as open_one:
            open_one.add(LINE, surveyed.as_data())
