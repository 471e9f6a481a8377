"""Trainings of the ladder that take too long are no proof of a fault: the watched training tells slow from stuck."""

from __future__ import annotations

import pytest

from weaklink.case.case import PROBE, UNCLEAR
from weaklink.case.folder import CaseFolder
from weaklink.case.stages.probe import probed, result
from weaklink.case.target import Target
from weaklink.diagnosis.settings import Settings
from weaklink.evidence.outcome import Outcome, Rung, Trial


@pytest.fixture
def folder(tmp_path):
    return CaseFolder.opened(tmp_path / "case", Target(word="slow.py", name="slow"), fresh=False)


def judged(folder, *kinds):
    trials = tuple(
        Trial(seed=seed, steps=3000, kind=kind, failure="ended" if kind else "") for seed, kind in enumerate(kinds)
    )
    rung = Rung(code="PRB101", name="constant-reward", problem="ConstantReward", environment="any", trials=trials)
    folder.keep_outcome(Outcome(trainer="slow.py:train", rungs=(rung,)))
    folder.finish(PROBE, "key", 1.0)
    return probed(folder, Settings())


def test_trainings_that_took_too_long_are_set_aside_and_told(folder):
    seen = judged(folder, "hung", "hung")
    assert not seen.diagnosis.findings
    assert any("2 trainings" in note for note in seen.diagnosis.notes)
    assert result(seen, 1.0).state == UNCLEAR


def test_a_training_that_dies_is_still_told(folder):
    seen = judged(folder, "hung", "died")
    assert [one.code for one in seen.diagnosis.findings] == ["PRB120"]
