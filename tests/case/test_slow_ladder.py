"""Trainings of the ladder that take too long are no proof of a fault: the watched training tells slow from stuck."""

from __future__ import annotations

import pytest

from weaklink.base.evidence.outcome import OUT_OF_TIME, Measure, Outcome, Rung, RungTrial
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import PROBE, UNCLEAR
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.stages.probe import conclude_stage, load_probed, was_cut_short
from weaklink.verbs.debug.target import CaseTarget


@pytest.fixture
def folder(tmp_path):
    return CaseFolder.opened(tmp_path / "case", CaseTarget(word="slow.py", name="slow"), fresh=False)


def judged(folder, *kinds):
    trials = tuple(
        RungTrial(seed=seed, steps=3000, kind=kind, failure="ended" if kind else "") for seed, kind in enumerate(kinds)
    )
    rung = Rung(code="PRB101", name="constant-reward", problem="ConstantReward", environment="any", trials=trials)
    folder.keep_outcome(Outcome(trainer="slow.py:train", rungs=(rung,)))
    folder.finish(PROBE, "key", 1.0)
    return load_probed(folder, RuleSettings())


def test_trainings_that_took_too_long_are_set_aside_and_told(folder):
    seen = judged(folder, "hung", "hung")
    assert not seen.diagnosis.findings
    assert any("2 trainings" in note for note in seen.diagnosis.notes)
    assert conclude_stage(seen, 1.0).state == UNCLEAR


def test_a_training_that_dies_is_still_told(folder):
    seen = judged(folder, "hung", "died")
    assert [one.code for one in seen.diagnosis.findings] == ["PRB120"]


def cut(trainer, *, left=()):
    measure = Measure(what="value", where="anywhere", measured=1.0, right=1.0, low=0.9, high=1.1)
    trials = tuple(RungTrial(seed=seed, steps=3000, measures=(measure,)) for seed in range(2))
    rung = Rung(code="PRB101", name="constant-reward", problem="ConstantReward", environment="any", trials=trials)
    return Outcome(trainer=trainer, rungs=(rung,), left=dict.fromkeys(left, OUT_OF_TIME))


def test_a_ladder_that_time_cut_short_is_said_and_clears_no_trainer_of_the_users_own(folder):
    folder.keep_outcome(cut("mine.py:train", left=("TimeLimit", "Terminal")))
    folder.finish(PROBE, "key", 1.0)
    seen = load_probed(folder, RuleSettings())
    told = conclude_stage(seen, 1.0)
    assert told.state == UNCLEAR
    assert "before 2 more could be tried" in told.why


def test_a_library_trainer_or_a_whole_ladder_is_not_cut_short():
    assert was_cut_short(cut("mine.py:train", left=("TimeLimit",)))
    assert not was_cut_short(cut("sb3:PPO", left=("MatchingAction",)))
    assert not was_cut_short(cut("mine.py:train"))
