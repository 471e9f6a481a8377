"""The reward functions that a trainer of language models holds are attacked in the last stage, once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from weaklink.adapters.trl.rewards import find_word, list_reward_functions
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import QUESTION
from weaklink.verbs.debug.combining import StageEvidence, combine_evidence
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.request import ModelLook
from weaklink.verbs.debug.stages import question, rewards
from weaklink.verbs.debug.target import parse_target

REWARDS = """
import re

def contains(completions, answer, **columns):
    return [1.0 if str(right) in text else 0.0 for text, right in zip(completions, answer)]

def exact(completions, answer, **columns):
    return [1.0 if text.strip() == str(right) else 0.0 for text, right in zip(completions, answer)]

def form(completions, **columns):
    return [1.0 if re.fullmatch(r"(?s)<think>.*</think>.*", text) else 0.0 for text in completions]

def raises(completions, answer, **columns):
    raise ValueError("no grader here")
"""

TARGET = parse_target(algorithm="sb3:PPO", environment="CartPole-v1")


class Listener:
    def doing(self, what):
        self.last = what


@pytest.fixture
def attacked(tmp_path):
    """What is made of the reward functions with these names, attacked as in a case."""
    file = tmp_path / "rewards_of_a_user.py"
    file.write_text(REWARDS, encoding="utf-8")

    def attack(*names: str) -> tuple[CaseFolder, tuple[Diagnosis, ...]]:
        folder = CaseFolder.opened(tmp_path / "-".join(names), TARGET, fresh=True)
        work = SimpleNamespace(
            model=ModelLook(framework="trl", rewards=tuple(f"{file}:{name}" for name in names)),
            folder=folder,
            listener=Listener(),
            options=SimpleNamespace(seed=0),
            key=lambda stage, *parts: repr((stage, *parts)),
        )
        rewards.gather_evidence(work)
        return folder, rewards.judge_rewards(rewards.load_rewards(folder), RuleSettings())

    return attack


def test_a_hole_is_proof_and_stands_before_what_the_curves_blame(attacked):
    folder, judged = attacked("contains")
    assert [one.first_break.code for one in judged] == ["LLM314"]
    assert "every option listed" in judged[0].findings[0].message
    assert judged[0].findings[0].verify.startswith("weaklink audit --verifier ")
    whole = combine_evidence("project.py", StageEvidence(rewards=judged), RuleSettings())
    assert whole.diagnosis.first_break.code == "LLM314"
    assert whole.origins["LLM314"] == QUESTION
    stage = question.conclude_stage(whole, None, None, "ENV", 1.0)
    assert (stage.state, stage.why) == ("broken", "reward, LLM314 exploitable-verifier")
    (told,) = rewards.list_facts(folder.rewards())
    assert told[0] == "reward functions attacked"
    assert told[1].startswith("contains (asked ")


def test_sound_functions_one_for_a_form_and_one_that_cannot_be_asked_are_left_alone(attacked):
    _, judged = attacked("exact", "form", "raises")
    assert [finding.code for one in judged for finding in one.findings if finding.severity >= Level.WARN] == []


def test_what_was_asked_is_kept_and_not_asked_again(attacked, monkeypatch):
    folder, judged = attacked("contains")
    monkeypatch.setattr(rewards, "examine", lambda *args, **options: pytest.fail("asked again"))
    work = SimpleNamespace(
        model=ModelLook(framework="trl", rewards=(folder.rewards()[0].name,)),
        folder=CaseFolder.read(folder.path),
        listener=Listener(),
        options=SimpleNamespace(seed=0),
        key=lambda stage, *parts: repr((stage, *parts)),
    )
    rewards.gather_evidence(work)
    assert rewards.judge_rewards(rewards.load_rewards(work.folder), RuleSettings()) == judged


def test_a_failed_problem_of_the_ladder_outranks_what_a_function_pays_for(attacked):
    _, judged = attacked("contains")
    failed = Finding(
        code="PRB206", name="group-advantage", link=Link.RETURNS, level=Level.ERROR, message="groups are formed wrongly"
    )
    probe = Diagnosis(target="trl:GRPO", verdict=Verdict.BROKEN, findings=(failed,))
    whole = combine_evidence("project.py", StageEvidence(rewards=judged, probe=probe), RuleSettings())
    assert whole.diagnosis.first_break.code == "PRB206"


def module_level(completions, **columns):
    return [0.0 for _ in completions]


async def awaited(completions, **columns):
    return [0.0 for _ in completions]


class Model:
    def parameters(self):
        return ()

    def __call__(self, completions):
        return completions


class Scorer:
    def __call__(self, completions, **columns):
        return [0.0 for _ in completions]


def test_functions_are_told_from_models_and_found_again_by_a_word(monkeypatch, tmp_path):
    scorer = Scorer()
    trainer = SimpleNamespace(reward_funcs=[module_level, Model(), awaited, scorer, lambda completions: completions])
    found = list_reward_functions(trainer)
    assert found[:2] == [module_level, scorer]
    assert len(found) == 3
    monkeypatch.chdir(tmp_path)
    assert find_word(module_level) == f"{__file__}:module_level"
    assert [find_word(each) for each in found[1:]] == ["", ""]


def test_a_trainer_without_any_has_none():
    for trainer in (SimpleNamespace(), SimpleNamespace(reward_funcs=None), SimpleNamespace(reward_funcs=[])):
        assert list_reward_functions(trainer) == []


def test_a_case_without_them_is_as_before():
    assert rewards.judge_rewards((VerifierCheck(name="a:b"),), RuleSettings()) == ()
    assert rewards.list_facts(()) == ()
