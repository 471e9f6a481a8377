"""The exit status of every command: one rule, as docs/cli.md gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weaklink.cli.options import FailOn

if TYPE_CHECKING:
    from weaklink.base.finding import Level

FINDINGS, BAD_INPUT, OWN_FAULT, INTERRUPTED = 1, 2, 3, 130


def exit_status(
    fail_on: FailOn,
    worst: Level | None,
    *,
    unreadable: bool = False,
    own_fault: bool = False,
    stopped: bool = False,
) -> int:
    """130 after Ctrl-C, else 1 for findings of the level or above, 3 for our own fault, 2 for bad input, else 0."""
    from weaklink.base.finding import Level

    if stopped:
        return INTERRUPTED
    if fail_on is not FailOn.NEVER and worst is not None and worst >= Level[fail_on.name]:
        return FINDINGS
    if own_fault:
        return OWN_FAULT
    return BAD_INPUT if unreadable else 0
