"""Experiments carried out for real: trainings, a rung of the ladder, a survey, a critic; and what can go wrong."""

from __future__ import annotations

import json

import pytest

from tests.cli.logs import call
from tests.experiments.projects import DEAF, PPO, TABLES, bandit, project
from weaklink.base.errors import UsageError
from weaklink.verbs.confirm.experiment import ExperimentVerdict
from weaklink.verbs.confirm.experimenting import ConfirmOptions
from weaklink.verbs.confirm.experimenting import confirm as prove
from weaklink.verbs.confirm.plan import ExperimentPlan, ExperimentSubject, parse_subject
from weaklink.verbs.debug.folder import CaseFolder, CaseIndex
from weaklink.verbs.debug.request import TrainingEnd
from weaklink.verbs.fit_critic import FitCriticOptions, fit_critic

pytest.importorskip("gymnasium")

DEFAULT = ExperimentPlan()


def target(folder, text):
    return parse_subject(project(folder, text))


def confirm(code, subject, plan=DEFAULT):
    return prove(ConfirmOptions(code=code, subject=subject, plan=plan))


@pytest.mark.whole
def test_a_learning_rate_of_a_tenth_is_confirmed_as_the_cause(tmp_path):
    pytest.importorskip("stable_baselines3")
    called = call("confirm", "POL303", project(tmp_path, PPO.format(rate=0.1)), "--seeds", "3", "--format", "json")
    assert called.returncode == 1, called.stderr
    told = json.loads(called.stdout)
    assert told["verdict"] == "confirmed"
    assert told["experiment"]["change"] == {"setting": "learning_rate", "times": 0.1, "to": None}
    configured, changed = told["arms"]
    assert [one["seed"] for one in configured["tried"]] == [1, 2, 3]
    assert all(one["fired"] for one in configured["tried"])
    assert all(one["values"]["policy.kl"] < 0.02 for one in changed["tried"])
    assert told["differences"][0]["metric"] == "policy.kl"
    assert told["differences"][0]["high"] < 0


def test_a_finding_that_does_not_come_back_is_refuted_and_nothing_more_is_trained(tmp_path):
    answer = confirm("POL303", target(tmp_path, bandit(0.01)), ExperimentPlan(seeds=5))
    assert answer.verdict is ExperimentVerdict.REFUTED, answer.says
    assert [arm.name for arm in answer.arms] == ["as configured"]
    assert answer.arms[0].fired == 0
    assert "accident" in answer.means


def test_few_seeds_leave_it_open_and_say_how_many_would_do(tmp_path):
    answer = confirm("POL303", target(tmp_path, bandit(0.01)), ExperimentPlan(seeds=2))
    assert answer.verdict is ExperimentVerdict.UNDECIDED
    assert "5 seeds" in answer.decides


def test_a_rung_is_climbed_alone(tmp_path):
    wrong = confirm("PRB104", target(tmp_path, TABLES.format(train="sign_flipped")), ExperimentPlan(seeds=3, steps=400))
    assert wrong.verdict is ExperimentVerdict.CONFIRMED, wrong.says
    assert "miss the known answer" in wrong.says
    right = confirm("PRB104", target(tmp_path, TABLES.format(train="right")), ExperimentPlan(seeds=3, steps=400))
    assert right.verdict is ExperimentVerdict.REFUTED, right.says


@pytest.mark.whole
def test_an_environment_is_surveyed_again(tmp_path):
    answer = confirm("OBS101", target(tmp_path, DEAF), ExperimentPlan(seeds=2, seconds=10.0, steps=200))
    assert answer.verdict is ExperimentVerdict.CONFIRMED, answer.says
    assert len(answer.arms[0].judged) == 2


@pytest.mark.parametrize(
    ("code", "plan", "why"),
    [
        ("LLM301", ExperimentPlan(), "No experiment is known"),
        ("NOPE1", ExperimentPlan(), "No rule is called"),
        ("POL303", ExperimentPlan(), "neither make_model nor train"),
        ("POL303", ExperimentPlan(seeds=1), "--seeds must be at least 2"),
        ("POL303", ExperimentPlan(seconds=1.0), "--seconds must be at least 10"),
        ("POL303", ExperimentPlan(first_seed=-1), "--seed must be at least 0"),
    ],
)
def test_wrong_use_is_refused_with_the_reason(tmp_path, code, plan, why):
    with pytest.raises(UsageError, match=why):
        confirm(code, target(tmp_path, DEAF), plan)


def test_wrong_use_is_one_line_and_exit_code_2():
    called = call("confirm", "POL303", "missing.py")
    assert called.returncode == 2
    assert called.stderr.startswith("weaklink: There is no file missing.py")
    assert len(called.stderr.strip().splitlines()) == 1


def test_a_target_that_fails_is_told_with_its_reason(tmp_path):
    with pytest.raises(UsageError, match="ZeroDivisionError"):
        confirm("REW301", target(tmp_path, "1 / 0\n"))


def test_a_case_folder_stands_for_its_target_and_its_length(tmp_path):
    word = project(tmp_path, DEAF)
    wanted = parse_subject(word).target
    folder = CaseFolder(tmp_path / "case", CaseIndex(target=wanted, ended=TrainingEnd(steps=777)))
    folder.path.mkdir()
    folder.save()
    assert parse_subject(str(folder.path)) == ExperimentSubject(wanted, 777)


def test_a_critic_that_is_shown_in_part_is_judged_in_part(tmp_path):
    called = call("fit-critic", project(tmp_path, bandit(0.1)), "--rows", "300", "--format", "json")
    assert called.returncode == 0, called.stderr
    told = json.loads(called.stdout)
    assert told["verdict"] == "cannot tell"
    assert "`critic`" in told["missing"]
    assert told["trained"] == 400
    with pytest.raises(UsageError, match="neither make_model nor train"):
        fit_critic(FitCriticOptions(subject=target(tmp_path, DEAF)))


def test_a_training_that_dies_takes_nothing_down_with_it(tmp_path):
    dies = bandit(0.1).replace("    env.reset(seed=seed)\n", "    import os\n    os.kill(os.getpid(), 9)\n")
    answer = confirm("REW301", target(tmp_path, dies), ExperimentPlan(seeds=2))
    assert answer.verdict is ExperimentVerdict.UNDECIDED
    assert "SIGKILL" in answer.says


def test_a_finding_that_is_not_there_when_the_time_is_up_is_not_refuted(tmp_path):
    slow = bandit(0.01).replace(
        "    def step(self, action):\n", "    def step(self, action):\n        time.sleep(0.05)\n"
    )
    subject = target(tmp_path, f"import time\n{slow}")
    answer = confirm("POL303", subject, ExperimentPlan(seeds=5, steps=100_000, seconds=10.0, workers=5))
    assert answer.verdict is ExperimentVerdict.UNDECIDED, answer.says
    assert "its time was up after" in answer.says
    assert "--seconds" in answer.decides
