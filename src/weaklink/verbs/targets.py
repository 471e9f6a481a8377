"""From paths to judged runs, one at a time; one that cannot be read never hides the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from weaklink.adapters.object_stores.copying import StoreCopy, is_address
from weaklink.base.errors import EmptyLog, UsageError, WeaklinkError
from weaklink.base.evidence.naming import name_series
from weaklink.base.evidence.run import Run
from weaklink.base.limits import MOST_PASTED, check_size
from weaklink.base.patterns import compile_late
from weaklink.collect.probes.registration import NAMESPACE, TITLES
from weaklink.collect.readers import FoundRun, discover, may_be_log, read_text
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import diagnose as judge_run
from weaklink.judge.diagnosis.settings import RuleSettings

Step = TypeVar("Step", covariant=True)


class Counted(Protocol[Step]):
    """Steps that are made one by one, and how many there are."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Step]: ...


STANDARD_INPUT = "-"
MOST_SHOWN = 300
"""Characters of a fault: an exception can quote a whole file."""

NEVER_A_REPORT = (".csv", ".tsv", ".npz", ".wandb", ".db")
"""Files that may be logs and that weaklink itself would not have written."""


PROBED = compile_late(rf"{NAMESPACE}[/\\_-]([A-Za-z0-9]+)-v0")
"""In the path of a log, with a title: a script logged there while `weaklink probe` trained it, no user's training."""


class Around(Protocol):
    """Passes steps on one by one, for whoever shows how many there are and how long they will take."""

    def __call__(self, steps: Counted[Step], /) -> Iterable[Step]:
        """The same steps."""


class JudgedRun(msgspec.Struct, frozen=True):
    """A run and what is wrong with it."""

    run: Run
    diagnosis: Diagnosis


class Failure(msgspec.Struct, frozen=True, tag="failure"):
    """A target that could not be read, and why; `own_fault` where weaklink itself failed on it."""

    target: str
    message: str
    own_fault: bool = False


class LogTarget(msgspec.Struct, frozen=True):
    """Something that holds runs, not read yet; `name` is its path or address, `found` what other processes need."""

    name: str
    read: Callable[[], list[Run]]
    paths: tuple[Path, ...] = ()
    found: FoundRun | None = None


def find_targets(paths: Iterable[str], around: Around) -> tuple[list[LogTarget], list[Failure]]:
    """What the paths and addresses hold, and those that hold nothing that could be read."""
    targets: list[LogTarget] = []
    failures: list[Failure] = []
    for path in paths:
        if not path:
            raise UsageError("A path is empty. Name a log or a folder of runs; `.` is the folder you are in.")
        if path == STANDARD_INPUT:
            targets.append(LogTarget("standard input", lambda: [read_text(_read_standard_input())]))
            continue
        try:
            targets.extend(_find_copied(path, around) if is_address(path) else _find_here(path))
        except Exception as error:
            failures.append(_explain(path, error))
    return targets, failures


def _find_here(path: str) -> list[LogTarget]:
    found = discover(path)
    trained = [each for each in found if not _is_probe(os.path.relpath(each.source, path))]
    # who names such a log asks for it
    return [LogTarget(str(each.source), each.read, each.paths, each) for each in trained or found]


def _is_probe(path: str) -> bool:
    return any(title in TITLES for title in PROBED.findall(path))


def _find_copied(address: str, around: Around) -> list[LogTarget]:
    """What an object store holds, once it is copied to this machine."""
    copy = StoreCopy(address, may_be_log)
    for _ in around(copy) if len(copy) else copy:
        pass
    return [msgspec.structs.replace(one, name=copy.find_address(one.name)) for one in _find_here(str(copy.path))]


def judge_targets(
    targets: Iterable[LogTarget], settings: RuleSettings, names: Mapping[str, str]
) -> Iterator[JudgedRun | Failure]:
    """Reads and judges each target in its turn; `names` says which metrics some keys hold."""
    for target in targets:
        try:
            runs = [name_series(_name_place(run, target.name), names) for run in target.read()]
        except Exception as error:
            yield _explain(target.name, error)
            continue
        for run in runs:
            try:
                yield JudgedRun(run, judge_run(run, settings))
            except Exception as error:
                yield _explain(run.source or target.name, error)


def _name_place(run: Run, place: str) -> Run:
    """The run with the place that its target is known by: of a copy, the address."""
    return replace(run, source=place) if run.source not in ("", place) else run


def check_output(output: str, paths: Iterable[str], targets: Iterable[LogTarget] = ()) -> None:
    """Refuses to write the result over something that is to be read."""
    if not output or not os.path.isfile(output):
        return
    named, read = list(paths), [path for target in targets for path in target.paths]
    lost = any(_is_read(Path(output), path) for path in read) or any(_is_log_of(Path(output), path) for path in named)
    if lost or (STANDARD_INPUT in named and _is_standard_input(output)):
        raise UsageError(
            f"Cannot write {output}: it is a part of what is to be read, and would be lost. Name another file."
        )


def _is_read(output: Path, path: Path) -> bool:
    """Whether a file is this path, or lies in one of the folders inside of this one, which is read as a whole."""
    try:
        return path.samefile(output) or path.resolve() in output.resolve().parent.parents
    except OSError:
        return False


def _is_log_of(output: Path, path: str) -> bool:
    """Whether a file is this path, or a log or a configuration below it."""
    from weaklink.collect.readers import hyperparameters

    try:
        if os.path.samefile(output, path):
            return True
        inside = output.resolve().is_relative_to(Path(path).resolve())
    except OSError:
        return False
    return inside and (output.suffix.lower() in NEVER_A_REPORT or hyperparameters.handles(output))


def _is_standard_input(output: str) -> bool:
    try:
        return os.path.samestat(os.stat(output), os.fstat(sys.stdin.fileno()))
    except (OSError, ValueError, AttributeError):
        return False


def _explain(target: str, error: Exception) -> Failure:
    """Why a target could not be judged; a fault of weaklink itself is called by its name."""
    if os.environ.get("WEAKLINK_TRACEBACK"):
        raise error
    if isinstance(error, WeaklinkError):
        return Failure(target, str(error))
    if isinstance(error, OSError):
        return Failure(target, f"Cannot read {target}: {error.strerror or error}.")
    fault = f"{type(error).__name__}: {error}"[:MOST_SHOWN]
    return Failure(
        target,
        f"Could not judge {target}, by a fault of weaklink itself ({fault}). Please report it with what "
        f"WEAKLINK_TRACEBACK=1 weaklink diagnose {target} prints.",
        own_fault=True,
    )


def _read_standard_input() -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        print("weaklink: paste a log, then end it with Ctrl-D", file=sys.stderr)
    content = sys.stdin.buffer.read(MOST_PASTED + 1) if sys.stdin is not None else b""
    check_size(
        "standard input", len(content), MOST_PASTED, "A log that is piped in", "Save it to a file and name that."
    )
    if not content.strip():
        raise EmptyLog("Nothing came on standard input. Pipe a log into it: `weaklink diagnose - < train.log`.")
    return content.decode("utf-8", "replace")
