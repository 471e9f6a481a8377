"""Printed scores beside what was played: known mistakes are known by their numbers, and all else is left alone."""

from __future__ import annotations

import io
import sys

import pytest

from tests.monitor.scoring import tell
from weaklink.base.evidence.flaw_kinds import LAST_REWARDS, RUNNING_TOTALS
from weaklink.verbs.run.printed import PrintedLines


@pytest.mark.parametrize(("fault", "kind"), [("never set back", RUNNING_TOTALS), ("last reward", LAST_REWARDS)])
@pytest.mark.parametrize("line", ["eval return {mean:.2f} +- {std:.2f}", "[{step}] Test: mean reward={mean:.4f}"])
def test_a_known_mistake_is_known_by_its_numbers(fault: str, kind: str, line: str) -> None:
    (flaw,), _ = tell(fault, line).find_flaws()
    assert (flaw.kind, flaw.count) == (kind, 4)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("", "eval return {mean:.2f}"),
        ("", "eval return {own:.3f}"),  # a number of the author's own
        ("", "eval best {best:.2f} score {own:.3f}"),
        ("last reward", "eval final step {mean:.3f}"),  # it says what it is
        ("last reward", "iteration 3 loss {mean:.3f}"),
    ],
)
def test_right_scores_and_other_numbers_are_left_alone(fault: str, line: str) -> None:
    assert tell(fault, line).find_flaws()[0] == ()


def test_a_score_that_is_also_printed_rightly_is_left_alone() -> None:
    told = tell("never set back")
    told._places.update(tell("", "mean test return {mean:.2f}")._places)
    assert told.find_flaws()[0] == ()


def test_few_evaluations_tell_nothing() -> None:
    assert tell("never set back", evaluations=2).find_flaws() == ((), frozenset())


def test_every_line_is_told_once_and_written_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", held)
    heard: list[str] = []
    PrintedLines(heard.append).listen()
    print("return", 3.5, "and more")
    print("begun, ", end="")
    assert heard == ["return 3.5 and more"]
    sys.stdout.write("ended\nnext\n")
    assert heard[1:] == ["begun, ended", "next"]
    held.flush()
    assert held.buffer.getvalue().decode() == "return 3.5 and more\nbegun, ended\nnext\n"  # type: ignore[attr-defined]


def test_a_standard_output_that_lets_nobody_listen_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        __slots__ = ()

        def write(self, text: str) -> int:
            return len(text)

    monkeypatch.setattr(sys, "stdout", Closed())
    PrintedLines(pytest.fail).listen()
    print("nothing is heard of this")
