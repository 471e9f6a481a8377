from __future__ import annotations

import pytest

from tests.testing import tabular
from tests.testing.suites import TRAINERS, outcomes, run
from tests.unwrapping import unwrapped
from weaklink.base.errors import UsageError
from weaklink.base.loop import Link
from weaklink.collect.probes.plan import ProbePlan
from weaklink.testing import BrokenRung, checks_for, parametrize_with_probes

FIRST = ("constant-reward", "observed-reward", "delayed-reward", "two-actions")


def checks(trainer, *only: str, **options):
    return {check.title: check for check in checks_for(trainer, ProbePlan(seeds=2, only=only), **options)}


@parametrize_with_probes(tabular.train, only=FIRST)
def test_a_right_trainer_passes(check):
    check()


def test_there_is_a_check_for_each_rung_that_the_trainer_can_take():
    titles = list(checks(tabular.train))
    assert titles[:3] == ["ConstantReward", "ObservedReward", "DelayedReward"]
    assert not [title for title in titles if title.endswith(("Continuous", "Image", "Dict")) or "Memory" in title]


def test_a_name_with_several_forms_is_climbed_in_the_form_of_the_check():
    every = checks(tabular.train, "terminal")
    assert list(every) == ["Terminal"]
    every["Terminal"]()


def test_a_broken_trainer_fails_at_the_right_rung_with_what_to_do():
    every = checks(tabular.short_sighted, *FIRST)
    for title in ("ConstantReward", "ObservedReward"):
        every[title]()
    with pytest.raises(BrokenRung) as raised:
        every["DelayedReward"]()
    finding = raised.value.findings[0]
    assert finding.code == "PRB103"
    assert finding.link is Link.RETURNS
    for words in ("PRB103 delayed-reward: On ", "limit", "What to do:", "  1. ", "How to prove it: weaklink probe"):
        assert words in str(raised.value)
    assert "observed-reward hold" in str(raised.value), "the rungs that held narrow it down"


def test_the_policy_is_blamed_where_only_it_is_wrong():
    with pytest.raises(BrokenRung, match="PRB104"):
        checks(tabular.upside_down, "two-actions")["TwoActions"]()


def test_an_agent_that_shows_too_little_is_skipped_and_not_trained_again():
    every = checks(tabular.mute, "constant-reward", "observed-reward")
    for check in every.values():
        with pytest.raises(pytest.skip.Exception, match="expose `value` or `q`"):
            check()


def test_a_rung_that_the_trainer_refuses_is_skipped():
    def train(make_env, steps, seed, gamma=0.9):
        if make_env().observation_space.shape is None:
            raise TypeError("vectors only")
        return tabular.train(make_env, steps, seed, gamma)

    every = checks(train, "MatchingActionDict", "two-actions")
    every["TwoActions"]()
    with pytest.raises(pytest.skip.Exception, match=r"MatchingActionDict: the trainer does not take it .*vectors only"):
        every["MatchingActionDict"]()


@pytest.mark.whole
def test_images_that_nobody_said_it_learns_from_are_skipped_where_it_does_not():
    def train(make_env, steps, seed, gamma=0.9):
        vectors = len(make_env().observation_space.shape) == 1
        return (tabular.train if vectors else tabular.upside_down)(make_env, steps, seed, gamma)

    train.steps = 500
    with pytest.raises(pytest.skip.Exception, match=r"does not learn from image observations; .*train\.forms"):
        checks(train, "MatchingActionImage")["MatchingActionImage"]()
    train.forms = ("image",)
    with pytest.raises(BrokenRung, match="PRB119"):
        checks(train, "MatchingActionImage")["MatchingActionImage"]()


def test_rungs_of_language_models_are_checks_too():
    def train(model, tokenizer, reward, prompts, settings):
        raise ValueError("no such loss")

    every = checks(train)
    assert "TokenDrift" in every
    pytest.importorskip("torch")
    with pytest.raises(BrokenRung, match="no such loss"):
        every["TokenDrift"]()


def test_a_trainer_that_raises_fails_with_its_traceback():
    with pytest.raises(BrokenRung, match="a shape is wrong") as raised:
        checks(tabular.raises, "two-actions")["TwoActions"]()
    assert "tabular.py" in str(raised.value)


def test_words_can_be_trained_apart(tmp_path):
    (tmp_path / "test_mine.py").write_text(f"""
from weaklink.testing import parametrize_with_probes

@parametrize_with_probes({f"{TRAINERS}:train"!r}, only=["two-actions"], seeds=1, isolate=True)
def test_learns(check):
    check()
""")
    done = run(tmp_path, "-p", "no:weaklink")
    assert outcomes(done) == {"passed": 1}, done.stdout


def test_wrong_words_are_refused_when_tests_are_collected():
    with pytest.raises(UsageError, match="No rung is called"):
        parametrize_with_probes(tabular.train, only=["no-such-rung"])
    with pytest.raises(UsageError, match="cannot be called"):
        parametrize_with_probes(lambda environment: None)


def test_works_without_the_plugin(tmp_path):
    (tmp_path / "test_mine.py").write_text(f"""
import sys
sys.path.insert(0, {str(TRAINERS.parent)!r})
import tabular
from weaklink.testing import parametrize_with_probes

@parametrize_with_probes(tabular.upside_down, only=["constant-reward", "two-actions", "q-values"])
def test_learns(check):
    check()
""")
    done = run(tmp_path, "-p", "no:weaklink")
    assert outcomes(done) == {"passed": 1, "failed": 1, "skipped": 1}, done.stdout
    assert "test_learns[TwoActions]" in done.stdout
    assert "PRB104 two-actions" in unwrapped(done.stdout)
    assert "expose `q`" in unwrapped(done.stdout)
    assert "weaklink/testing/ladder.py" not in done.stdout.split("short test summary")[0], "our own frames are hidden"
