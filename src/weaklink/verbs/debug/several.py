"""Many projects debugged: one after the other here, side by side where a cluster lends its machines."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.finding import Level
from weaklink.base.outside.lending import count_room, is_lent
from weaklink.verbs.debug.case import Case
from weaklink.verbs.debug.debugging import debug
from weaklink.verbs.debug.options import HOME, DebugOptions, check_options
from weaklink.verbs.debug.target import CaseTarget
from weaklink.verbs.targets import Failure

CORES = 4
"""Cores of a cluster for each project: the ladder of one trains on several at a time."""

Told = Case | Failure


class DebuggedTargets(msgspec.Struct, frozen=True, kw_only=True):
    """What became of each project, in the order in which they were given; those that were not reached are missing."""

    results: tuple[Told, ...]
    stopped: bool = False

    @property
    def cases(self) -> tuple[Case, ...]:
        """The projects that could be debugged."""
        return tuple(one for one in self.results if isinstance(one, Case))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Those that could not be."""
        return tuple(one for one in self.results if isinstance(one, Failure))

    @property
    def worst(self) -> Level | None:
        """The highest level of all findings."""
        levels = [case.diagnosis.worst for case in self.cases]
        return max((level for level in levels if level is not None), default=None)


def place_targets(targets: Sequence[CaseTarget], folder: str = "") -> list[Path]:
    """A folder for the case of each target below the one that is given, also where several have the same name."""
    seen = Counter[str]()
    places = []
    for target in targets:
        seen[target.name] += 1
        name = target.name if seen[target.name] == 1 else f"{target.name}-{seen[target.name]}"
        places.append(Path(folder or HOME, name))
    return places


def debug_several(
    targets: Sequence[DebugOptions], tell: Callable[[Told], object] = lambda told: None
) -> DebuggedTargets:
    """Debugs every target; one that cannot be used is told, and does not keep the others from it.

    Args:
        targets: what is debugged, each with a folder of its own.
        tell: is told of each as it ends.

    Returns:
        What became of them. Ctrl-C ends it early with what is finished.

    Raises:
        UsageError: the options make no sense for any target.
    """
    for options in targets:
        check_options(options)
    found: dict[int, Told] = {}
    stopped = False
    try:
        for number, told in _debug_beside(targets) if is_lent() else _debug_in_turn(targets):
            found[number] = told
            tell(told)
            stopped = stopped or (isinstance(told, Case) and told.stopped)
            if stopped:
                break
    except KeyboardInterrupt:
        stopped = True
    return DebuggedTargets(results=tuple(found[number] for number in sorted(found)), stopped=stopped)


def _debug_in_turn(targets: Sequence[DebugOptions]) -> Iterator[tuple[int, Told]]:
    for number, options in enumerate(targets):
        yield number, _debug_one(options)


def _debug_beside(targets: Sequence[DebugOptions]) -> Iterator[tuple[int, Told]]:
    """Threads that wait for what the cluster does; they end with the program where it is interrupted."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    answers: queue.SimpleQueue[tuple[int, Told | BaseException]] = queue.SimpleQueue()
    for number in range(len(targets)):
        waiting.put(number)

    def work() -> None:
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                answers.put((number, _debug_one(targets[number])))
            except BaseException as error:  # it is raised where it is seen
                answers.put((number, error))

    for _ in range(min(max(count_room() // CORES, 1), len(targets))):
        threading.Thread(target=work, daemon=True).start()
    for _ in targets:
        number, told = answers.get()
        if isinstance(told, BaseException):
            raise told
        yield number, told


def _debug_one(options: DebugOptions) -> Told:
    try:
        return debug(options)
    except WeaklinkError as error:
        return Failure(options.target.word, str(error))
