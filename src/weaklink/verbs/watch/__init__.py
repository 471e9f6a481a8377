"""`watch`: follows growing runs and tells what breaks as it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.targets import check_output
from weaklink.verbs.watch.events import Event, EventKind, RunStatus
from weaklink.verbs.watch.following import RunFollower


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The runs at or below `paths` are followed until no run has grown for `idle_exit` seconds, without end if None.

    `once` looks at everything one time; `wait` waits for a path that does not exist yet. `keep_runs` keeps each run
    that was read, for who draws it. `names` says which metrics some keys hold. `output` is a file that will be written,
    which must not lie in what is followed.
    """

    paths: tuple[str, ...]
    settings: RuleSettings = RuleSettings()
    names: dict[str, str] = {}
    once: bool = False
    wait: bool = False
    idle_exit: float | None = None
    keep_runs: bool = False
    output: str = ""


class WatchAudience(Protocol):
    """Who is told of the runs while they are followed."""

    def tell(self, events: Iterable[Event]) -> None:
        """Takes events as they come."""

    def stand(self, statuses: Sequence[RunStatus]) -> None:
        """Takes how the runs stand after each look."""

    @property
    def closed(self) -> bool:
        """Whether nobody listens any more."""


class Watched(msgspec.Struct):
    """What the last verdicts come to: the `worst` level of a finding, and whether a run was `unreadable`."""

    worst: Level | None = None
    unreadable: bool = False

    def note(self, events: Iterable[Event]) -> Iterator[Event]:
        """Passes events on and keeps in mind what the verdicts among them say."""
        for event in events:
            if event.kind is EventKind.VERDICT:
                self._judge(event)
            yield event

    def _judge(self, event: Event) -> None:
        if event.diagnosis is None:
            self.unreadable = True
        elif event.diagnosis.worst is not None:
            self.worst = max(self.worst or Level.INFO, event.diagnosis.worst)


def watch(
    options: WatchOptions, audience: WatchAudience, beside: Callable[[RunFollower], AbstractContextManager[object]]
) -> Watched:
    """Follows runs until nothing grows, nobody listens or Ctrl-C is pressed; then come the last verdicts.

    Args:
        options: what is followed, and until when.
        audience: told what happens.
        beside: entered with what is followed for as long as that lasts, such as a server of its pages.

    Raises:
        UsageError: a path does not exist, or the output lies in what is followed.
    """
    following = RunFollower(
        options.paths, options.settings, names=options.names, wait=options.wait, keep_runs=options.keep_runs
    )
    _check_output(options)
    watched = Watched()
    try:
        with beside(following):
            _follow(following, options, audience, watched)
    except KeyboardInterrupt:
        pass
    audience.tell(watched.note(following.verdicts()))
    return watched


def _follow(following: RunFollower, options: WatchOptions, audience: WatchAudience, watched: Watched) -> None:
    if options.once:
        audience.tell(watched.note(following.once()))
        return
    for events in following.follow(options.idle_exit):
        audience.tell(watched.note(events))
        audience.stand(following.statuses)
        if audience.closed:
            return


def _check_output(options: WatchOptions) -> None:
    """Refuses to write events into what is followed: they would be read as a log, or over one."""
    output, paths = options.output, options.paths
    check_output(output, paths)
    if output and any(Path(output).resolve().is_relative_to(Path(path).resolve()) for path in paths):
        raise UsageError(f"Cannot write {output}: it lies in what is followed. Name a file outside of it.")
