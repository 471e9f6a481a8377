"""The one rule behind every exit status."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.cli.logs import sick_log
from weaklink.base.finding import Level
from weaklink.cli import make_app
from weaklink.cli.exit_status import OWN_FAULT, exit_status
from weaklink.cli.faults import TRACEBACK
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


def test_a_fault_of_our_own_comes_after_findings_and_before_bad_input():
    assert exit_status(FailOn.WARN, None, unreadable=True, own_fault=True) == OWN_FAULT
    assert exit_status(FailOn.WARN, Level.ERROR, unreadable=True, own_fault=True) == 1


def test_a_fault_of_our_own_is_one_line_with_a_status_of_its_own(monkeypatch, tmp_path):
    def fail(*given: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("weaklink.verbs.diagnose.diagnose", fail)
    done = CliRunner().invoke(make_app(), ["diagnose", str(sick_log(tmp_path))])
    assert done.exit_code == OWN_FAULT
    assert "a fault of weaklink itself" in done.stderr
    assert "ZeroDivisionError: division by zero (in fail, test_exit_status.py:" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv(TRACEBACK, "1")
    assert "Traceback (most recent call last)" in CliRunner().invoke(make_app(), ["diagnose", "."]).stderr


def test_wrong_use_stays_what_it_was():
    assert CliRunner().invoke(make_app(), ["diagnose", "--no-such-option"]).exit_code == 2
