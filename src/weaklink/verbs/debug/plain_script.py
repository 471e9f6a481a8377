"""A target that is a plain training script: it is run as it is, and watched as `weaklink run` watches it."""

from __future__ import annotations

import ast
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weaklink.adapters.framework import list_frameworks
from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.store import FILE
from weaklink.base.outside.child import ChildProcess, Supervisor
from weaklink.base.outside.injection import inject_calls
from weaklink.collect.readers import read
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.request import TrainingEnd, format_progress
from weaklink.verbs.monitor_options import CONTINUE
from weaklink.verbs.run.environment import keep_survey
from weaklink.verbs.run.request import REQUEST, ScriptRequest, write_request
from weaklink.verbs.run.script import list_calls

SCRIPT = "script"
"""What a target of this kind has instead of parts."""

NO_PARTS = "a plain script has no make_env to be surveyed alone: it is probed and watched"

MAKERS = frozenset(("make_env", "make_model"))
"""One of these a target has, or it is none; scripts have functions and numbers called `train` and `steps` as well."""

LOADING = 120.0
"""Seconds that a script may take before it trains."""

LOOK_EVERY = 0.5
MOST_SHOWN = 4000
RECORDINGS = "recordings"


def is_plain_script(file: Path) -> bool:
    """Whether a file defines neither part that a target needs and imports something that trains. It is not run."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return False
    if MAKERS & set(_list_names(body)):
        return False
    packages = {"torch", *(package for framework in list_frameworks() for package in framework.packages)}
    return bool(packages & set(_list_imports(body)))


def _list_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _list_imports(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in (each for statement in body for each in ast.walk(statement)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


class WatchedScript:
    """One run of a script under the monitor, ended when its time is up.

    Args:
        words: the script and its arguments.
        folder: of the case; its recording is put in its place there.
        output: the file for what is printed.
    """

    def __init__(self, words: Sequence[str], folder: CaseFolder, output: Path) -> None:
        self._words, self._folder, self._output = words, folder, output
        self._place = (folder.path / RECORDINGS).absolute()
        self._survey = folder.path / "survey"
        self._began = time.monotonic()

    def train(
        self, seconds: float, budget: float, thresholds: dict[str, dict[str, object]], doing: Callable[[str], None]
    ) -> TrainingEnd:
        """Runs it for so many seconds from the beginning of its training on; Ctrl-C keeps what was recorded."""
        shutil.rmtree(self._place, ignore_errors=True)
        request = ScriptRequest(
            folder=str(self._place), on_error=CONTINUE, budget=budget, thresholds=thresholds, survey=str(self._survey)
        )
        environment = inject_calls({**os.environ, REQUEST: write_request(request)}, list_calls())
        self._output.parent.mkdir(parents=True, exist_ok=True)
        stopped = False
        with Supervisor[None]() as supervisor:
            child = supervisor.start(
                [sys.executable, "-u", *self._words],
                seconds=LOADING, environment=environment, interrupted=True, output=self._output,
            )  # fmt: skip
            try:
                self._wait(supervisor, child, seconds, doing)
            except KeyboardInterrupt:
                stopped = True
        return self._conclude(child, stopped=stopped)

    def _wait(
        self, supervisor: Supervisor[None], child: ChildProcess[None], seconds: float, doing: Callable[[str], None]
    ) -> None:
        began = False
        while supervisor.children:
            supervisor.wait(LOOK_EVERY)
            if not began and self._list_recordings():
                began = True
                child.allow(seconds)
                doing("training")

    def _list_recordings(self) -> list[Path]:
        """The recordings, the longest last."""
        return sorted(self._place.glob(f"*/{FILE}"), key=lambda file: file.stat().st_size)

    def _conclude(self, child: ChildProcess[None], *, stopped: bool) -> TrainingEnd:
        found = self._list_recordings()
        if not stopped:
            keep_survey(self._survey, self._place, time.monotonic() - self._began)
        self._survey.unlink(missing_ok=True)
        if found:
            shutil.move(found[-1].parent, self._folder.run)
        steps = self._count_steps()
        failed = not (stopped or child.late) and child.code != 0
        return TrainingEnd(
            kind=("exited" if child.code > 0 else "died") if failed else "",
            message=f"the script ended after {format_progress(steps, 0)}: {child.last_words()}" if failed else "",
            trace=child.printed[-MOST_SHOWN:] if failed else "",
            steps=steps,
            seconds=time.monotonic() - self._began,
            late=child.late,
            stopped=stopped,
        )

    def _count_steps(self) -> int:
        try:
            return int(read(self._folder.run).last_step)
        except WeaklinkError:
            return 0
