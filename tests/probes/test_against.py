"""Real trainers against each other: as words in processes of their own, and as functions in this one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.probes.contenders import LENGTH, SIGNS, Signals, guesser, learner
from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import DIED, HUNG, RAISED
from weaklink.base.loop import Link
from weaklink.collect.probes.contestants import prepare_trainer
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.verbs.against import Against, AgainstOptions
from weaklink.verbs.against import compare_trainers as compare

FILE = Path(__file__).with_name("contenders.py")
ENVIRONMENT = f"{FILE}:Signals"
STEPS = 600


def against(trainer, reference, environment, steps, seeds, report=None, **options) -> Against:
    asked = AgainstOptions(
        trainer=trainer, reference=reference, environment=environment, steps=steps, seeds=seeds, **options
    )
    return compare(asked, report)


def word(name: str) -> str:
    return f"{FILE}:{name}"


def test_a_trainer_against_itself_is_healthy():
    told = []
    found = against(learner, learner, Signals, STEPS, 3, report=lambda *progress: told.append(progress))
    comparison = found.comparison
    assert found.diagnosis.verdict is Verdict.HEALTHY, found.diagnosis
    assert [len(side.whole) for side in (comparison.trainer, comparison.reference)] == [3, 3]
    pairs = zip(comparison.trainer.trainings, comparison.reference.trainings, strict=True)
    assert all((one.returns, one.answers.q) == (two.returns, two.answers.q) for one, two in pairs)
    assert told[0] == ("random play", 0, 6)
    assert told[-1] == ("training", 6, 6)


def test_what_is_recorded_of_a_training():
    training = against(learner, guesser, Signals, STEPS, 1).comparison.trainer.trainings[0]
    assert training.taken == STEPS
    assert training.ends == tuple(range(LENGTH, STEPS + 1, LENGTH))
    assert set(training.lengths) == {LENGTH}
    assert np.mean(training.returns[-10:]) > np.mean(training.returns[:10])
    assert training.evaluation.returns == (float(LENGTH),) * 10
    assert training.shows == ("q", "sample")
    assert all(len(each) == SIGNS for each in training.answers.q)
    assert len(training.answers.actions) == len(training.answers.values) == len(training.answers.entropies) == 64


def test_a_guesser_is_below_and_its_values_are_blamed_when_more_seeds_agree():
    found = against(guesser, learner, Signals, STEPS, 3, more_seeds=2)
    finding = found.diagnosis.findings[0]
    assert (finding.code, finding.link) == ("PRB130", Link.VALUE)
    assert "in 5 seeds each" in finding.message
    assert len(found.comparison.trainer.whole) == 5
    assert "the discounts differ" not in " ".join(found.comparison.notes)


def test_words_are_trained_in_processes_and_see_the_same():
    apart = against(word("learner"), word("guesser"), ENVIRONMENT, STEPS, 2, more_seeds=0, config={"rate": 0.1})
    here = against(learner, guesser, Signals, STEPS, 2, more_seeds=0, config={"rate": 0.1})
    assert apart.comparison.random == here.comparison.random
    for one, two in zip(apart.comparison.trainer.trainings, here.comparison.trainer.trainings, strict=True):
        assert one.answers.actions == two.answers.actions
        assert one.returns == two.returns
    assert apart.comparison.trainer.settings == {"rate": "0.1"}
    assert any("takes no rate" in note for note in apart.comparison.notes)


def test_failures_are_evidence():
    found = against(word("raises"), word("dies"), ENVIRONMENT, STEPS, 1)
    trainer, reference = found.comparison.trainer, found.comparison.reference
    assert {each.kind for each in trainer.trainings} == {RAISED}
    assert "a shape is wrong" in trainer.trainings[0].failure
    assert {each.kind for each in reference.trainings} == {DIED}
    assert "SIGSEGV" in reference.trainings[0].failure
    assert found.diagnosis.verdict is Verdict.UNCLEAR


@pytest.mark.parametrize("isolate", [True, False])
def test_a_trainer_that_exits_fails_and_ends_nothing_else(isolate):
    found = against(word("exits"), learner, ENVIRONMENT, STEPS, 1, isolate=isolate)
    assert "SystemExit: 3" in found.diagnosis.findings[0].message
    assert found.comparison.reference.whole


def test_a_trainer_that_fails_where_the_reference_trains_is_an_error():
    found = against(word("raises"), learner, ENVIRONMENT, STEPS, 2, more_seeds=0)
    finding = found.diagnosis.findings[0]
    assert finding.link is Link.SYSTEM
    assert "a shape is wrong" in finding.message


def test_a_hang_ends_and_is_an_error_where_the_reference_trains():
    found = against(word("hangs"), learner, ENVIRONMENT, STEPS, 1, timeout=3.0)
    assert found.comparison.trainer.trainings[0].kind == HUNG
    finding = found.diagnosis.findings[0]
    assert (finding.link, found.diagnosis.verdict) == (Link.SYSTEM, Verdict.BROKEN)
    assert "no end within 3 seconds" in finding.message


def test_one_seed_that_raises_is_an_error_where_the_reference_trains():
    found = against(word("raises"), learner, ENVIRONMENT, STEPS, 1)
    assert found.diagnosis.verdict is Verdict.BROKEN
    assert "fails in 1 of 1 seeds (ValueError: a shape is wrong)" in found.diagnosis.findings[0].message


def test_random_play_has_its_own_time():
    found = against(word("hangs"), learner, ENVIRONMENT, STEPS, 1, timeout=1.0)
    assert found.comparison.random


def test_an_agent_that_cannot_be_asked_is_evaluated_all_the_same():
    found = against(word("asks_too_much"), learner, ENVIRONMENT, STEPS, 1)
    assert found.comparison.trainer.whole
    assert any("asking the agent failed: KeyError" in note for note in found.comparison.notes)


def test_environments_in_other_processes_are_watched_too():
    found = against(word("in_processes"), learner, ENVIRONMENT, STEPS, 1).comparison.trainer.trainings[0]
    assert not found.failure, found.printed
    assert set(found.lengths) == {LENGTH}
    assert 0.8 * STEPS <= found.taken <= STEPS


@pytest.mark.parametrize(
    ("trainer", "environment", "told"),
    [
        (word("nobody"), ENVIRONMENT, "nobody"),
        (word("learner"), "NoSuchThing-v0", "NoSuchThing"),
        (word("learner"), f"{FILE}:nothing", "nothing"),
    ],
)
def test_wrong_words_are_refused(trainer, environment, told):
    with pytest.raises(UsageError, match=told):
        against(trainer, word("learner"), environment, STEPS, 1)


def test_wrong_numbers_are_refused():
    with pytest.raises(UsageError, match="--seeds"):
        against(learner, learner, Signals, STEPS, 0)


@pytest.mark.whole
def test_a_guesser_is_below_ppo():
    pytest.importorskip("stable_baselines3")
    settings = {"num_envs": 4, "n_steps": 32, "batch_size": 64, "lr": 5e-3, "n_epochs": 5, "num_minibatches": 4}
    found = against(word("guesser"), "sb3:PPO", ENVIRONMENT, 1200, 3, config=settings, more_seeds=0, isolate=False)
    assert found.diagnosis.findings[0].code == "PRB130", found.diagnosis
    reference = found.comparison.reference
    assert reference.settings["learning_rate"] == "0.005"
    assert reference.settings["n_envs"] == "4"
    assert any("takes no num_minibatches" in note for note in found.comparison.notes)
    assert len(reference.trainings[0].answers.log_probs) == 64


def test_the_reference_keeps_its_library_defaults():
    pytest.importorskip("stable_baselines3")
    made = prepare_trainer("sb3:PPO", {"discount": 0.95, "total_timesteps": 10})
    assert made.settings == {"gamma": "0.95"}
    assert made.told == {"gamma": 0.95}
    assert made.notes == ("everything else is the default of the library",)
