"""The one rule behind every exit status."""

from __future__ import annotations

import pytest

from weaklink.base.finding import Level
from weaklink.cli.exit_status import exit_status
from weaklink.cli.options import FailOn


@pytest.mark.parametrize(
    ("fail_on", "worst", "unreadable", "stopped", "status"),
    [
        (FailOn.WARN, None, False, False, 0),
        (FailOn.WARN, Level.INFO, False, False, 0),
        (FailOn.WARN, Level.WARN, False, False, 1),
        (FailOn.ERROR, Level.WARN, False, False, 0),
        (FailOn.INFO, Level.INFO, False, False, 1),
        (FailOn.NEVER, Level.ERROR, False, False, 0),
        (FailOn.WARN, None, True, False, 2),
        (FailOn.NEVER, Level.ERROR, True, False, 2),
        (FailOn.WARN, Level.ERROR, True, False, 1),
        (FailOn.WARN, Level.ERROR, True, True, 130),
    ],
)
def test_interrupts_then_findings_then_bad_input(fail_on, worst, unreadable, stopped, status):
    assert exit_status(fail_on, worst, unreadable=unreadable, stopped=stopped) == status
