"""Where processes of the user's code run: on this machine, or wherever a relay has them run for us."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

CARRIED = "WEAKLINK_CARRIED"
"""The environment variable with those that a relay sets for the process that it starts."""
ALWAYS = ("PYTHONPATH",)


class LentMachines(NamedTuple):
    """The command of a relay, which starts the command after it elsewhere and passes on what is said and printed.

    `room` is how many processes there can be side by side.
    """

    relay: tuple[str, ...]
    room: int


_lent: LentMachines | None = None


@contextlib.contextmanager
def lend_machines(machines: LentMachines | None) -> Iterator[None]:
    """Has every process that is started within run there; without machines, here."""
    global _lent
    before, _lent = _lent, machines
    try:
        yield
    finally:
        _lent = before


def count_room(wanted: int = 0, most: int = 8) -> int:
    """How many processes to run side by side: as many as are wanted, else one a core, here at most so many."""
    if _lent is not None:
        return min(wanted, _lent.room) if wanted else _lent.room
    return wanted or max(1, min(os.cpu_count() or 1, most))


def is_lent() -> bool:
    """Whether processes run elsewhere."""
    return _lent is not None


def relay_command(words: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The command and the environment by which a process is started: its own, or those of the relay."""
    told = dict(environment)
    if _lent is None:
        return list(words), told
    ours = {name: value for name, value in told.items() if os.environ.get(name) != value or name in ALWAYS}
    return [*_lent.relay, *words], {**told, CARRIED: json.dumps(ours)}
