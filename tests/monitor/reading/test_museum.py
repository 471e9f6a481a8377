"""Exhibits of bench/museum read from outside: the cause is named, and the healthy twin is left alone."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.monitor.reading.listening import judge_updates
from tests.sparing import spare
from weaklink.base.finding import Level

FOLDER = Path(__file__).parents[3] / "bench" / "museum"
EXHIBITS = runpy.run_path(str(FOLDER / "__main__.py"), run_name="museum")["EXHIBITS"]
SHOWN = ("lambda mask", "dones written twice", "ratio always 1", "last value", "entropy past the end")
CHOSEN = [each for each in EXHIBITS if each.name in SHOWN]
"""One of each kind: `make bench-museum` has them all."""

IN_SHORT = ("lambda mask", "last value", "entropy past the end")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def play(exhibit: Any, monkeypatch: pytest.MonkeyPatch, *options: str, most: int | None = None) -> list[str]:
    """What rules say of an exhibit, at warn and above."""
    script = str(FOLDER / f"{exhibit.script}.py")
    monkeypatch.setattr(sys, "argv", [script, *exhibit.options, *options])
    _, findings = judge_updates(lambda: runpy.run_path(script, run_name="__main__"), {}, most)
    return [found.message for found in findings if (found.level or Level.ERROR) >= Level.WARN]


@pytest.mark.parametrize("exhibit", spare(CHOSEN, lambda each: each.name in IN_SHORT), ids=lambda each: each.name)
def test_the_cause_is_named(exhibit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(re.search(exhibit.cause, message) for message in play(exhibit, monkeypatch, most=3))


@pytest.mark.parametrize("exhibit", spare(CHOSEN, lambda each: each.name == "lambda mask"), ids=lambda each: each.name)
def test_the_healthy_twin_is_left_alone(exhibit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert play(exhibit, monkeypatch, "--healthy", "--seed", "2") == []


@pytest.mark.whole
def test_a_broadcast_that_does_no_harm_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    (harmless,) = (each for each in EXHIBITS if not each.links)
    assert play(harmless, monkeypatch) == []
