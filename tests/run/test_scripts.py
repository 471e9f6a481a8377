"""Training scripts as people write them, run unchanged: the same weights and output, and a recording of each."""

from __future__ import annotations

import re
import shlex
import signal
from importlib import util

import pytest

import weaklink
from tests.run.running import SCRIPTS, drop_own_lines, list_recordings, run_alone, run_watched

NEEDED = ("gymnasium", "torch", "stable_baselines3")
pytestmark = pytest.mark.skipif(not all(map(util.find_spec, NEEDED)), reason=f"needs {', '.join(NEEDED)}")


@pytest.mark.whole
def test_three_models_of_stable_baselines_are_three_recordings(tmp_path, capfd):
    ran, printed, _ = run_watched(capfd, tmp_path / "out", "three_models.py", "--a", "b", budget=0.5)
    assert printed == run_alone("three_models.py", "--a", "b").stdout
    assert ran.code == 0
    assert list_recordings(tmp_path / "out") == ["dqn", "ppo", "sac"]
    runs = {name: weaklink.read(tmp_path / "out" / name) for name in ("ppo", "dqn", "sac")}
    assert {name: run.framework for name, run in runs.items()} == dict.fromkeys(runs, "sb3")
    assert [run.context["algorithm"].lower() for run in runs.values()] == ["ppo", "dqn", "sac"]
    assert runs["ppo"].last_step == 192  # the second training of the same model goes on in the same recording
    assert runs["dqn"].last_step == 200
    assert max(runs["ppo"]["optimizer.gradient_norm"].steps) <= 192
    assert {"RET201", "POL201"} <= set(runs["ppo"].checked)
    assert len(ran.diagnoses) == 3


def test_a_ppo_by_hand_ends_with_the_same_weights(tmp_path, capfd):
    words = "own_ppo.py", "--updates", "5", "--log", str(tmp_path / "log")
    ran, printed, complained = run_watched(capfd, tmp_path / "out", *words, budget=0.5, survey=True)
    alone = run_alone(*words)
    assert printed == alone.stdout
    assert drop_own_lines(complained) == alone.stderr
    run = weaklink.read(tmp_path / "out" / "loop")
    assert run.last_step == 5 * 64 * 2
    assert run.config.raw["env_id"] == "CartPole-v1"
    assert {"reward.episode_return", "optimizer.gradient_norm", "policy.loss", "value.loss"} <= set(run.series)
    assert list(run["policy.loss"].steps) == [128, 256, 384, 512, 640]  # steps of environments, not its own count
    assert run.context["heard"] == ["episodes", "log", "optimizers"]
    assert ran.notes == ()
    alarms = {one.code: one for one in ran.diagnoses[0].findings if one.severity >= weaklink.Level.WARN}
    assert set(alarms) <= {"DAT201", "REW301"}, "it stores the steps that only reset, and does no other harm"
    assert (
        alarms["DAT201"].verify == f"weaklink probe {shlex.quote(str(SCRIPTS / 'own_ppo.py'))} --only shifted-pairing"
    )


@pytest.mark.parametrize(
    ("word", "steps", "code"),
    [("never", 5500, "OPT306"), pytest.param("steps", 2000, "OPT307", marks=pytest.mark.whole)],
)
def test_steps_and_learning_rate_of_optimizers_are_recorded(tmp_path, capfd, word, steps, code):
    ran, *_ = run_watched(capfd, tmp_path / "out", "own_steps.py", word, str(steps))
    run = weaklink.read(tmp_path / "out" / "loop")
    assert run["optimizer.updates"].values[-1] == pytest.approx(0 if word == "never" else steps / 10, abs=10)
    assert code in {finding.code for finding in ran.diagnoses[0].findings}
    assert ("optimizer.learning_rate" in run) == (word == "steps")


def test_a_dqn_by_hand_is_told_from_its_evaluation_and_fails_as_alone(tmp_path, capfd):
    ran, _, complained = run_watched(capfd, tmp_path / "out", "own_dqn.py", "500", "450", "0.001", budget=0.5)
    assert ran.code == 1
    places = re.findall(r'File "(.*)", line \d+, in (.*)', drop_own_lines(complained))
    assert places == [(str(SCRIPTS / "own_dqn.py"), where) for where in ("<module>", "step")]
    assert complained.count("RuntimeError: the simulator broke") == 1
    run = weaklink.read(tmp_path / "out" / "loop")
    assert 430 <= run.last_step <= 449  # evaluation steps are not counted
    assert len(run["evaluation.return"].values) == 4
    assert "optimizer.gradient_norm" in run


@pytest.mark.whole  # the scores below come from an evaluation in between
@pytest.mark.parametrize(("when", "evaluations"), [("before", 1), ("between", 20)])
def test_a_loop_of_whole_episodes_is_told_from_its_evaluation(tmp_path, capfd, when, evaluations):
    _, printed, _ = run_watched(capfd, tmp_path / "out", "own_episodes.py", when, budget=0.5)
    run = weaklink.read(tmp_path / "out" / "loop")
    first = run["evaluation.return"]
    assert run["task.episodes"].values.sum() == pytest.approx(60, abs=6)
    assert run.last_step == pytest.approx(int(printed), rel=0.1)
    assert len(first.values) == pytest.approx(evaluations, abs=2)
    assert when == "between" or first.steps[0] == 0


@pytest.mark.parametrize(("when", "codes"), [("scored", ["EVA201"]), ("rightly scored", [])])
def test_a_printed_score_is_compared_with_what_was_played(tmp_path, capfd, when, codes):
    ran, printed, _ = run_watched(capfd, tmp_path / "out", "own_episodes.py", when, budget=0.5)
    assert printed.count("test return") == 4
    run = weaklink.read(tmp_path / "out" / "loop")
    assert run["task.episodes"].values.sum() == pytest.approx(60, abs=6)
    assert run.last_step == pytest.approx(int(printed.split()[-1]), rel=0.1)
    assert len(run["evaluation.return"].values) == 4
    found = [each for each in ran.diagnoses[0].findings if each.code == "EVA201"]
    assert [each.code for each in found] == codes
    assert all("the mean of running totals" in each.message for each in found)


def test_a_loop_by_hand_is_stopped_as_by_ctrl_c(tmp_path, capfd):
    words = "own_dqn.py", "1000000", "0", "1e20"
    ran, printed, complained = run_watched(capfd, tmp_path / "out", *words, budget=0.5, on_error="stop")
    assert (ran.code, printed) == (-signal.SIGINT, "")
    assert complained.count("stopped as by Ctrl-C") == 1
    assert "KeyboardInterrupt" in complained
    assert "RuntimeWarning" not in complained
    assert ran.diagnoses[0].worst == weaklink.Level.ERROR


@pytest.mark.slow
@pytest.mark.whole
def test_the_diagnosis_is_that_of_attach(tmp_path, capfd):
    from tests.run.scripts.planted import make_model

    ran, _, _ = run_watched(capfd, tmp_path / "out", "planted.py", budget=1.0)
    for kind, proven, watched in zip(("broken", "healthy"), (["RET201"], []), ran.diagnoses, strict=True):
        model, folder = make_model(kind), tmp_path / kind
        with weaklink.attach(model, folder, budget=1.0, sinks=()):
            model.learn(384)
        attached = weaklink.diagnose(folder)
        assert (watched.verdict, watched.first_break) == (attached.verdict, attached.first_break)
        place = tmp_path / "out" / ("ppo" if kind == "broken" else "ppo-2")
        runs = [weaklink.read(place), weaklink.read(folder)]
        assert [[one.code for one in run.proven] for run in runs] == [proven, proven]
        assert set(runs[0].checked) == set(runs[1].checked) != set()


@pytest.mark.whole
@pytest.mark.skipif(util.find_spec("torchrl") is None, reason="needs torchrl")
def test_a_trainer_of_torchrl_is_watched(tmp_path, capfd):
    ran, printed, _ = run_watched(capfd, tmp_path / "out", "torchrl_trainer.py", "256", budget=0.5)
    assert (ran.code, printed) == (0, run_alone("torchrl_trainer.py", "256").stdout)
    assert list_recordings(tmp_path / "out") == ["trainer"]
    run = weaklink.read(tmp_path / "out" / "trainer")
    assert run.context["framework"] == "torchrl"
    assert run.last_step == 256
    assert "RET201" in run.checked


@pytest.mark.whole
@pytest.mark.skipif(util.find_spec("trl") is None, reason="needs trl")
def test_a_trainer_of_trl_is_watched(tmp_path, capfd):
    ran, _, _ = run_watched(capfd, tmp_path / "out", "grpo.py", str(tmp_path), budget=0.5)
    assert ran.code == 0
    assert list_recordings(tmp_path / "out") == ["grpotrainer"]
    run = weaklink.read(tmp_path / "out" / "grpotrainer")
    assert run.context["framework"] == "trl"
    assert {"LLM203", "LLM204"} <= set(run.checked)


@pytest.mark.parametrize(("fault", "code"), [("away", "LLM206"), ("", None)])
def test_a_loop_over_tokens_is_watched_without_an_environment(tmp_path, capfd, fault, code):
    ran, out, told = run_watched(capfd, tmp_path / "run", "own_tokens.py", fault)
    assert (ran.code, out) == (0, "written\n")
    assert "A training loop of the script's own is watched" in told
    (diagnosis,) = ran.diagnoses
    assert (diagnosis.first_break.code if diagnosis.first_break else None) == code
