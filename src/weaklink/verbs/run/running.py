"""`run`: a training script, run unchanged under the monitor, and the diagnosis of what it trained."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import util
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.ranks import RankPlace
from weaklink.base.evidence.store import FILE
from weaklink.base.outside.injection import inject_calls
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.monitor.mailbox import print_on_stderr
from weaklink.collect.monitor.rank import find_place
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.diagnose import Diagnosed, DiagnoseOptions, Tell, Told, diagnose
from weaklink.verbs.fleet.crew import FleetCrew
from weaklink.verbs.monitor_options import BUDGET, CONTINUE, check_options
from weaklink.verbs.run.environment import keep_survey
from weaklink.verbs.run.launch import WAIT, find_mark, leave_mark, remove_mark, wait_for_ranks
from weaklink.verbs.run.loop import HEARD, OPTIMIZERS
from weaklink.verbs.run.process import run_to_end
from weaklink.verbs.run.request import REQUEST, ScriptRequest, write_request
from weaklink.verbs.run.script import list_calls
from weaklink.verbs.targets import JudgedRun

RECORDINGS = "weaklink-runs"
"""The folder below which recordings are kept where no other is named."""

MOST_NAMED = 4

Beside = Callable[[Path], AbstractContextManager[Callable[[], None]]]
"""Entered with the folder of the recordings while the script runs; gives what is called a few times a second."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`words` are the script, or the module where `module` is set, and its arguments.

    Recordings go below `folder`, or below a new one in `weaklink-runs`. `on_error` and `budget` are those of a monitor.
    `survey` has the environment looked at beside the training.
    """

    words: tuple[str, ...]
    module: bool = False
    folder: str = ""
    on_error: str = CONTINUE
    budget: float = BUDGET
    survey: bool = True
    settings: RuleSettings = RuleSettings()


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a script ended and what became of its trainings.

    `code` is its exit code, or minus the signal that it died of. `diagnosed` is None where nothing was recorded, and
    `notes` say why, or what could not be seen.
    """

    code: int
    folder: Path
    diagnosed: Diagnosed | None = None
    notes: tuple[str, ...] = ()

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """One for each training, in the order of their folders."""
        results = () if self.diagnosed is None else self.diagnosed.results
        return tuple(result for result in results if isinstance(result, Diagnosis))


def run(options: RunOptions, beside: Beside | None = None, tell: Tell | None = None) -> Ran:
    """Runs a script to its end and judges what it trained.

    Args:
        options: the script, and how it is watched.
        beside: what is done while it runs, such as serving a page.
        tell: told each diagnosis as soon as it is known.

    Raises:
        UsageError: there is no such script, or it cannot be started. Once it runs, nothing raises.
    """
    check_options(options.on_error, options.budget)
    words = _find_words(options)
    place = find_place()
    folder = _choose_folder(options, place)
    if folder is None:
        return _run_unwatched(words, place)
    request = ScriptRequest(
        folder=str(folder),
        on_error=options.on_error,
        budget=options.budget,
        select=tuple(sorted(options.settings.codes or ())),
        thresholds=options.settings.thresholds,
    )
    with ScratchFolder() as scratch, (beside if beside is not None and place.leads else _look_nowhere)(folder) as look:
        file, began = scratch.path / "survey", time.monotonic()
        if options.survey:
            request = msgspec.structs.replace(request, survey=str(file))
        code = _start(words, inject_calls({**os.environ, REQUEST: write_request(request)}, list_calls()), look)
        if place.leads:
            _keep_survey(file, folder, 0.0 if code else time.monotonic() - began)
    if not place.leads:
        return Ran(code=code, folder=folder)
    late = wait_for_ranks(folder, place.world) if place.shares else []
    remove_mark(folder)
    try:
        ran = _judge(options, code, folder, tell)
        return msgspec.structs.replace(ran, notes=(*ran.notes, *_explain_late(late, folder)))
    except Exception as error:  # the end of the script is known, and nothing of ours may take its place
        return Ran(code=code, folder=folder, notes=(f"The recording could not be judged: {error}",))


def _keep_survey(file: Path, folder: Path, seconds: float) -> None:
    """Takes what was found of the environment, for which a short script is waited for no longer than it ran."""
    try:
        keep_survey(file, folder, seconds)
    except Exception as error:  # the recordings are judged without it
        print_on_stderr(f"what was seen of the environment could not be judged: {error}")


def _run_unwatched(words: Sequence[str], place: RankPlace) -> Ran:
    note = f"Rank {place.rank} is not watched: rank 0 has not said within {WAIT:.0f} s where it records."
    return Ran(code=_start(words, os.environ, lambda: None), folder=Path(), notes=(note,))


def _start(words: Sequence[str], environment: Mapping[str, str], look: Callable[[], None]) -> int:
    try:
        return run_to_end(words, environment, look)
    except OSError as error:
        raise UsageError(f"Python cannot be started: {error.strerror or error}: {words[0]}.") from None


def _find_words(options: RunOptions) -> list[str]:
    """The command that runs the script as Python does."""
    if not options.words:
        raise UsageError("There is nothing to run: name a script, such as train.py, or -m and a module.")
    name, *rest = options.words
    if options.module:
        return [sys.executable, "-m", name, *rest]
    if not Path(name).exists():
        known = f" Did you mean `weaklink run -m {name}`?" if _is_module(name) else ""
        raise UsageError(f"There is no script {name}.{known} Options of weaklink come before the script.")
    return [sys.executable, name, *rest]


def _is_module(name: str) -> bool:
    with contextlib.suppress(Exception):
        return bool(re.fullmatch(r"\w+", name)) and util.find_spec(name) is not None
    return False


def _choose_folder(options: RunOptions, place: RankPlace) -> Path | None:
    """A folder that holds no recordings yet; where the one named does, the first free one of its name and a number.

    Of several ranks the first chooses; None for another one that has not heard of it.
    """
    stem = options.words[0].rpartition(".")[2] if options.module else Path(options.words[0]).stem
    wanted = Path(options.folder or Path(RECORDINGS, stem or "script")).absolute()
    if wanted.exists() and not wanted.is_dir():
        raise UsageError(f"Cannot record into {wanted}: it is a file. Name a folder with --out.")
    if not place.leads:
        return find_mark(wanted, place)
    folder, number = wanted, 1
    while _holds_recordings(folder) or (not options.folder and folder.exists()):
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
    if place.shares:
        leave_mark(folder, place)
    return folder


def _holds_recordings(folder: Path) -> bool:
    return next(folder.glob(f"*/{FILE}"), None) is not None


@contextlib.contextmanager
def _look_nowhere(_: Path) -> Iterator[Callable[[], None]]:
    yield lambda: None


def _judge(options: RunOptions, code: int, folder: Path, tell: Tell | None) -> Ran:
    if not _holds_recordings(folder):
        return Ran(code=code, folder=folder, notes=(_explain_nothing(code),))
    notes: list[str] = []

    def take(result: Told) -> None:
        if isinstance(result, JudgedRun):
            notes.extend(_explain_hearing(result.run.context))
            result = _name_script_of_run(result, options)
        if tell is not None:
            tell(result)

    diagnosed = diagnose(
        DiagnoseOptions(paths=(_shorten(folder),), settings=options.settings, crew=FleetCrew(workers=1)), take
    )
    results = (_name_script(one, options) if isinstance(one, Diagnosis) else one for one in diagnosed.results)
    alone = diagnosed.alone and _name_script_of_run(diagnosed.alone, options)
    named = msgspec.structs.replace(diagnosed, results=tuple(results), alone=alone)
    return Ran(code=code, folder=folder, diagnosed=named, notes=tuple(notes))


def _name_script_of_run(judged: JudgedRun, options: RunOptions) -> JudgedRun:
    return msgspec.structs.replace(judged, diagnosis=_name_script(judged.diagnosis, options))


def _name_script(diagnosis: Diagnosis, options: RunOptions) -> Diagnosis:
    """The diagnosis with the experiments spelled for this script, fit to be copied; a module is no file to probe."""
    if options.module:
        return diagnosis
    spelled = f"weaklink probe {shlex.quote(options.words[0])}"
    findings = (
        msgspec.structs.replace(one, verify=one.verify.replace("weaklink probe TRAINER", spelled))
        for one in diagnosis.findings
    )
    return msgspec.structs.replace(diagnosis, findings=tuple(findings))


def _shorten(folder: Path) -> str:
    """The folder as one would type it here."""
    with contextlib.suppress(ValueError):
        return str(folder.relative_to(Path.cwd()))
    return str(folder)


def _explain_nothing(code: int) -> str:
    if code:
        return "Nothing was recorded: the script ended before a training was seen."
    return (
        "Nothing was recorded. In the process of the script itself no training was seen: "
        "of a model of Stable-Baselines3, a Trainer of TorchRL, a GRPO or RLOO trainer of TRL, or in Gymnasium "
        "environments. Processes that the script starts are not watched."
    )


def _explain_late(late: Sequence[Path], folder: Path) -> Iterator[str]:
    if late:
        named = ", ".join(str(place.relative_to(folder)) for place in late[:MOST_NAMED])
        more = f" and {len(late) - MOST_NAMED} more" if len(late) > MOST_NAMED else ""
        yield (
            f"Not all ranks have ended their recordings: {named}{more}. Once they have, `weaklink diagnose "
            f"{_shorten(folder)}` compares them all; recordings of other machines belong into the same folders."
        )


def _explain_hearing(context: Mapping[str, object]) -> Iterator[str]:
    heard = context.get(HEARD)
    if isinstance(heard, list) and OPTIMIZERS not in heard:
        yield (
            f"No optimizer of torch made a step: {context.get('name', 'the training')} was judged by its episodes and "
            "its own log alone. Gradients, weights and updates could not be seen; weaklink.Monitor takes them by hand "
            "(docs/attach.md)."
        )
