from __future__ import annotations

import json

import msgspec
import pytest

from tests.rules.probe.contests import compared, contest, failing, normal, side
from weaklink.base.evidence.comparison import RAISED, Comparison
from weaklink.judge.diagnosis.comparing import judge_comparison
from weaklink.show.rendering import render
from weaklink.verbs.against import Against

GOOD, POOR = normal(400.0, 30.0), normal(40.0, 8.0)
BELOW = contest(POOR, GOOD, seeds=5)
ALIKE = contest(GOOD, GOOD)
FEW = contest(POOR, GOOD, seeds=2)
FAILED = compared(failing("mine.py:train", RAISED, "ValueError: no"), side("sb3:PPO", GOOD, range(3)))
NOTHING = compared(failing("mine.py:train", RAISED, "E: e", ()), failing("sb3:PPO", RAISED, "E: e", ()))


def shown(comparison: Comparison, format: str, **how) -> str:
    return render(Against(comparison, judge_comparison(comparison)), format, **how)


def terminal(comparison: Comparison, width: int = 90, **how: bool) -> str:
    return shown(comparison, "terminal", width=width, **how)


def test_the_answer_comes_first():
    assert terminal(BELOW).startswith("BROKEN  policy  PRB130 below-reference\n")
    assert terminal(ALIKE).startswith("HEALTHY  it keeps up with sb3:PPO, with ")
    assert terminal(FEW).startswith("UNCLEAR  could not be told without 3 seeds of mine.py:train")
    assert terminal(FAILED).startswith("BROKEN  system  PRB130 below-reference\n")


def test_both_curves_stand_below_each_other_on_one_scale():
    lines = terminal(BELOW).splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("Returns in training"))
    trainer, reference = lines[at + 1], lines[at + 2]
    assert trainer.strip().startswith("mine.py:train")
    assert reference.strip().startswith("sb3:PPO")
    assert not set(trainer) & set("▅▆▇█"), "the trainer stays low"
    assert "█" in reference, "the reference climbs"


def test_a_narrow_page_without_unicode():
    drawn = terminal(BELOW, 40, unicode=False)
    assert drawn.isascii()
    assert "Returns in training" in drawn


def test_the_table_shows_both_and_what_lies_between():
    drawn = terminal(BELOW)
    for words in ("final return", "steps to half of the gain", "value over what follows", "actions alike in"):
        assert words in drawn
    assert "never" in drawn
    assert "chance that a seed of the reference does better 100%" in drawn


def test_markdown_has_a_table():
    written = shown(BELOW, "markdown")
    assert written.startswith("## BROKEN: policy, PRB130 below-reference\n")
    assert "|  | mine.py:train | sb3:PPO |" in written
    assert "**Between them**" in written


def test_json_holds_every_curve_and_training():
    body = json.loads(shown(BELOW, "json"))
    assert body["first_break"]["code"] == "PRB130"
    assert len(body["trainer"]["trainings"]) == 5
    assert len(body["reference"]["curve"]["levels"]) == len(body["reference"]["curve"]["steps"]) > 10
    assert body["comparison"]["worse"] == 1.0
    assert body["comparison"]["gain"] < 0.2


@pytest.mark.parametrize("comparison", [ALIKE, FEW, FAILED, NOTHING, msgspec.structs.replace(NOTHING, random=())])
def test_whatever_is_missing_can_be_shown(comparison):
    assert terminal(comparison).endswith("\n")
    assert shown(comparison, "markdown")
    assert json.loads(shown(comparison, "json"))["command"] == "probe"
