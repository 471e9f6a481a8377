"""The tool for runs that are being trained: how they stand, and what happened since the last call."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from weaklink.cli.mcp_server.parameters import Ignore, Select, Thresholds, Words
from weaklink.cli.mcp_server.results import WatchResult
from weaklink.cli.mcp_server.work import WorkProgress, carry_out

if TYPE_CHECKING:
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs.watch.events import Event
    from weaklink.verbs.watch.following import RunFollower

MOST_FOLLOWED = 8
"""Sets of paths that are kept in mind; the one that was asked for longest ago is forgotten first."""


class FollowedPaths:
    """The followers of the paths that were asked for, so that a later call can say what has happened since."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], RunFollower] = {}
        self._turn = threading.Lock()

    def look(
        self, paths: tuple[str, ...], settings: RuleSettings, seconds: float, progress: WorkProgress
    ) -> tuple[RunFollower, list[Event]]:
        """Looks at the runs of some paths, and on for some seconds, until there is a finding to tell."""
        from weaklink.verbs.watch.events import EventKind

        with self._turn:
            following = self._pick(paths, settings)
            events, until = list(following.once()), time.monotonic() + seconds
            while time.monotonic() < until and all(event.kind is not EventKind.FINDING for event in events):
                progress.tell(f"following {', '.join(paths)}")
                time.sleep(0.2)
                events += following.turn()
        return following, events

    def _pick(self, paths: tuple[str, ...], settings: RuleSettings) -> RunFollower:
        from weaklink.cli.settings import gather_names
        from weaklink.verbs.watch.following import RunFollower

        key = (paths, repr(settings))
        following = self._kept.pop(key, None) or RunFollower(paths, settings, names=gather_names(()))
        self._kept[key] = following
        while len(self._kept) > MOST_FOLLOWED:
            del self._kept[next(iter(self._kept))]
        return following


_FOLLOWED = FollowedPaths()


async def watch(
    context: Context,
    paths: Annotated[Words, Field(description="Run folders or trees of runs that grow.", min_length=1)],
    seconds: Annotated[float, Field(description="Wait so long for a new finding; 0: look once.", ge=0, le=600)] = 0.0,
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> WatchResult:
    """How do runs stand that are being trained? Their verdict so far, and what happened since the last call."""

    def look(progress: WorkProgress) -> WatchResult:
        from weaklink.cli.mcp_server.answers import MOST_RUNS, answer_event, answer_status
        from weaklink.cli.settings import gather_settings

        settings = gather_settings(select, ignore, thresholds, None)[0]
        following, events = _FOLLOWED.look(tuple(paths), settings, seconds, progress)
        return {
            "runs": [answer_status(status) for status in following.statuses[:MOST_RUNS]],
            "events": [answer_event(event) for event in events],
            "quiet": following.quiet,
        }

    return await carry_out(look, context, seconds=seconds or None, alone=False)
