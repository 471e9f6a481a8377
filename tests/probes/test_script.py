from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import no_hang, wait_until
from tests.probes import scripts
from tests.sparing import spare
from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RIGHT, UNSEEN, WRONG
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.output import KeptOutput
from weaklink.collect.probes.ladder import LadderClimb, ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.script import PRINTED, ScriptRunner, assume_script_traits

pytest.importorskip("gymnasium")

SOURCES = Path(__file__).parents[2] / "src"
PYTHON = shlex.quote(sys.executable)
TRAINS = "--env-id {env} --total-timesteps {steps} --seed {seed}"


@pytest.fixture
def command(tmp_path, tmp_path_factory, monkeypatch):
    """Writes a script and gives the command that runs it, in a folder of its own and a Python that has weaklink."""
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("temporary")))

    def written(script, arguments="{env} {steps}"):
        (tmp_path / "train.py").write_text(script)
        return f"{PYTHON} train.py {arguments}"

    return written


def trained(template, title="TwoActions", steps=1000, **plan):
    """One trial of one rung."""
    runner = ScriptRunner(template, ProbePlan(workers=1, **plan))
    try:
        runner.begin(ProbeJob(title, 0, steps))
        return runner.finished()[1]
    finally:
        runner.close()


def climbed(template, *titles, **plan):
    wanted = ProbePlan(only=titles, seeds=1, more_seeds=0, steps=1500, levels=1, everything=True, workers=2, **plan)
    traits = assume_script_traits(wanted)
    return LadderClimb("script", traits, wanted, ScriptRunner(template, wanted, traits)).climbed()


def verdicts(outcome):
    return {rung.problem: rung.verdict for rung in outcome.rungs}


LADDER = ("ConstantReward", "ObservedReward", "DelayedReward", "TwoActions", "MatchingAction", "ShiftedPairing")


@pytest.mark.parametrize(("log", "rungs"), [("console", LADDER), ("csv", LADDER[:2])])
def test_a_right_script_passes(command, log, rungs):
    arguments = f"{TRAINS} --gamma {{gamma}} --log {log} --out {{out}}"
    outcome = climbed(command(scripts.ACTOR_CRITIC, arguments), *rungs)
    assert verdicts(outcome) == dict.fromkeys(rungs, RIGHT)
    assert outcome.shows == ("behaviour", "log")


def test_the_wrong_sign_fails_where_actions_matter(command):
    outcome = climbed(command(scripts.ACTOR_CRITIC, f"{TRAINS} --policy-sign -1"), *LADDER[2:5])
    assert verdicts(outcome) == {"DelayedReward": RIGHT, "TwoActions": WRONG, "MatchingAction": WRONG}


def test_a_value_that_never_learns_shows_in_the_log(command):
    trial = trained(command(scripts.ACTOR_CRITIC, f"{TRAINS} --value-rate 0"), "ConstantReward")
    [loss] = trial.missed
    assert loss.what == "value loss"
    assert loss.measured == pytest.approx(1.0)
    assert loss.mistakes["never learned"] == pytest.approx(1.0)


def test_one_value_for_everything_shows_in_the_log(command):
    trial = trained(command(scripts.ACTOR_CRITIC, f"{TRAINS} --one-value"), "ObservedReward", 3000)
    assert {measure.what for measure in trial.missed} == {"value loss", "explained variance"}


def test_logs_beside_the_script_are_found(command):
    trial = trained(command(scripts.ACTOR_CRITIC, f"{TRAINS} --log csv"), "ConstantReward")
    assert [measure.what for measure in trial.measures] == ["value loss"]
    assert trial.holds


def test_logs_beside_the_script_that_belong_to_nobody_are_not_used(command, tmp_path):
    (tmp_path / "old.csv").write_text("step,value_loss\n" + "".join(f"{step},9.0\n" for step in range(0, 900, 100)))
    os.utime(tmp_path / "old.csv", (time.time() - 60, time.time() - 60))
    trial = trained(command(scripts.SILENT), "ConstantReward")
    assert trial.measures == ()


@contextmanager
def another_training(folder, rows):
    """Goes on writing its own log below the same folder, begun before or meanwhile."""
    file = folder / "runs" / "other" / "progress.csv"
    file.parent.mkdir(parents=True)
    if rows:
        file.write_text("step,value_loss\n" + "".join(f"{step},5.0\n" for step in range(rows)))
    process = subprocess.Popen([sys.executable, "-c", scripts.GOES_ON_LOGGING, str(file)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("rows", [0, 50])
def test_the_log_of_another_training_is_not_taken_for_its_own(command, tmp_path, rows):
    with another_training(tmp_path, rows):
        trial = trained(command(scripts.SILENT), "ConstantReward")
    assert trial.measures == ()
    assert any("put {out} in the command" in note for note in trial.notes)


def test_its_own_log_is_found_beside_that_of_another_training(command, tmp_path):
    with another_training(tmp_path, 50):
        trial = trained(command(scripts.ACTOR_CRITIC, f"{TRAINS} --log csv"), "ConstantReward")
    assert trial.holds


@pytest.mark.parametrize(("title", "steps"), [
    ("ConstantReward", 1000),
    ("ConstantReward", 600),
    pytest.param("ConstantReward", 4000, marks=pytest.mark.whole),
    pytest.param("ObservedReward", 3000, marks=pytest.mark.whole),
])  # fmt: skip
def test_one_file_that_every_training_begins_anew_is_its_own(command, title, steps):
    template = command(scripts.ACTOR_CRITIC, f"{TRAINS} --log csv")
    trained(template, "ConstantReward", 1000)
    assert trained(template, title, steps).holds


def test_a_file_that_is_appended_to_is_its_own_where_its_path_names_the_environment(command, tmp_path):
    log = tmp_path / "runs" / "ConstantReward-v0.csv"
    log.parent.mkdir()
    log.write_text("step,value_loss\n" + "".join(f"{step},0.0\n" for step in range(50)))
    trial = trained(command(scripts.APPENDS, f"{{env}} {{steps}} {log}"), "ConstantReward")
    assert [measure.what for measure in trial.measures] == ["value loss"]
    other = log.rename(log.with_name("all.csv"))
    trial = trained(command(scripts.APPENDS, f"{{env}} {{steps}} {other}"), "ConstantReward")
    assert trial.measures == ()
    assert any("put {out} in the command" in note for note in trial.notes)


def test_trainings_at_once_that_share_a_log_are_told_to_part(command):
    plan = ProbePlan(workers=2)
    runner = ScriptRunner(command(scripts.ACTOR_CRITIC, f"{TRAINS} --log csv"), plan)
    for seed in (0, 1):
        runner.begin(ProbeJob("ConstantReward", seed, 1000))
    trials = [runner.finished()[1] for _ in range(2)]
    runner.close()
    assert all(trial.measures == () for trial in trials)
    assert any("{out}" in note for trial in trials for note in trial.notes)


def test_trainings_at_once_are_told_apart_by_names_with_environment_and_seed(command):
    outcome = climbed(command(scripts.ACTOR_CRITIC, f"{TRAINS} --log csv --out named"), *LADDER[:2])
    assert verdicts(outcome) == dict.fromkeys(LADDER[:2], RIGHT)


@pytest.mark.parametrize(("flag", "holds"), [("", True), ("--limits-are-ends", False)])
def test_a_time_limit_taken_for_an_end_leaves_a_loss(command, flag, holds):
    trial = trained(command(scripts.ACTOR_CRITIC, f"{TRAINS} --gamma {{gamma}} {flag}"), "TimeLimit", 3000)
    [loss] = trial.measures
    assert loss.holds is holds


def test_nothing_logged_is_nothing_seen(command):
    outcome = climbed(command(scripts.SILENT), "ConstantReward", "ObservedReward", "TwoActions")
    assert verdicts(outcome) == {"ConstantReward": UNSEEN, "TwoActions": RIGHT}
    assert outcome.left == {"ObservedReward": "log the value loss, or expose `value`"}
    assert any("log the value loss" in note for note in outcome.rungs[0].trials[0].notes)


def test_a_log_without_a_word_about_values_is_told_from_none(command):
    rewards = "import atexit\natexit.register(lambda: [print(f'step: {n} reward: {n}.5') for n in range(9)])\n"
    assert trained(command(scripts.SILENT), "TwoActions", steps=200).shows == ("behaviour",)
    assert trained(command(rewards + scripts.SILENT), "TwoActions", steps=200).shows == ("behaviour", "numbers")


def test_a_crash_says_where(command):
    trial = trained(command(scripts.CRASHES))
    assert trial.kind == "crashed"
    assert trial.failure == "ended with code 1: ValueError: shapes (64,) and (64, 1) do not fit"
    assert "in update" in trial.printed
    assert 180 <= trial.taken <= 201
    kept = trial.notes[-1].removeprefix("what it printed is kept in ")
    with open(kept) as file:
        assert "Traceback" in file.read()


def test_what_failing_trainings_printed_is_kept_where_it_is_told(command, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    runner = ScriptRunner(command(scripts.CRASHES), ProbePlan(workers=1), folder=kept)
    runner.begin(ProbeJob("TwoActions", 0, 1000))
    runner.finished()
    runner.close()
    assert [file.name for file in kept.rglob("*") if file.is_file()] == [PRINTED]


def is_running(process):
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat") as file:
            return file.read().split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_hang_is_ended_with_its_children(command, tmp_path):
    with no_hang():
        trial = trained(command(scripts.HANGS, "{env} {steps} child"), timeout=10.0)
    assert trial.kind == "hung"
    assert trial.failure == "no end within 10 seconds; 10 of 1,000 steps were made"
    assert "time.sleep" in trial.printed
    assert not is_running(int((tmp_path / "child").read_text()))


def test_closing_ends_what_is_running(command, tmp_path):
    runner = ScriptRunner(command(scripts.HANGS, "{env} {steps} child"), ProbePlan(workers=1))
    runner.begin(ProbeJob("TwoActions", 0, 1000))
    wait_until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text())
    runner.close()
    assert not is_running(int((tmp_path / "child").read_text()))


def test_a_script_may_ignore_the_environment(command):
    trial = trained(command(scripts.IGNORES))
    assert (trial.kind, trial.taken) == ("ignored", 0)
    assert "weaklink/TwoActions-v0" in trial.failure


@pytest.mark.parametrize(("script", "taken"), [(scripts.STOPS_EARLY, 200), (scripts.ROLLOUT_TOO_LONG, 0)])
def test_a_script_may_stop_early(command, script, taken):
    trial = trained(command(script))
    assert trial.kind == "short"
    assert trial.taken == pytest.approx(taken, abs=taken / 10)


def test_without_steps_the_budget_is_the_end(command):
    trial = trained(command(scripts.GOES_ON, "{env}"))
    assert trial.failure == ""
    assert trial.missed
    assert trial.taken >= 900


@pytest.mark.whole
def test_without_steps_the_time_is_the_end_where_the_budget_is_not_reached(command):
    trial = trained(command(scripts.GOES_ON_SLOWLY, "{env}"), steps=10**9, timeout=15.0)
    assert trial.failure == ""
    assert any("no {steps}" in note and "15 seconds" in note for note in trial.notes)


def test_a_slow_script_is_not_called_hung_and_not_judged(command):
    trial = trained(command(scripts.CRAWLS), timeout=10.0)
    assert (trial.failure, trial.measures) == ("", ())
    assert any("too slow to be judged, not hung" in note for note in trial.notes)
    assert not any("log the value loss" in note for note in trial.notes)


def test_a_script_that_has_made_its_steps_and_goes_on_is_ended_and_judged(command):
    trial = trained(command(scripts.GOES_ON))
    assert (trial.failure, trial.kind) == ("", "")
    assert trial.missed


def test_what_a_script_has_not_learned_at_its_own_early_end_is_no_fault(command):
    trial = trained(command(scripts.SILENT.replace("1 % env.action_space.n", "0"), "{env} 500"), steps=4000)
    assert (trial.failure, trial.measures) == ("", ())
    assert any("ends by itself after" in note for note in trial.notes)


def test_what_still_improves_at_the_largest_budget_is_not_called_broken(command):
    template = command(scripts.IMPROVES)
    assert trained(template, levels=1).measures == ()
    assert trained(template, levels=2).missed  # a larger budget is tried first


@pytest.mark.parametrize(("rate", "missed"), [(0.97, False), (1.0, True), (1.02, True)])
def test_a_value_loss_that_still_falls_at_the_largest_budget_is_not_called_broken(command, rate, missed):
    lines = f"[print(f'step: {{10 * n}} value_loss: {{40.0 * {rate} ** n}}') for n in range(40)]"
    template = command(f"import atexit\natexit.register(lambda: {lines})\n" + scripts.SILENT)
    trial = trained(template, "ConstantReward", steps=400, levels=1)
    assert bool(trial.missed) is missed
    assert any("value loss smaller" in note for note in trial.notes) is not missed
    assert trained(template, "ConstantReward", steps=400, levels=2).missed  # a larger budget is tried first


def test_resets_that_a_vector_counts_as_steps_are_told(command):
    trial = trained(command(scripts.NEXT_STEP_VECTOR), "TwoActions", steps=2000)
    assert trial.failure == ""
    assert trial.taken <= 1050
    assert any("next-step autoreset" in note and "stored as transitions" in note for note in trial.notes)


@pytest.mark.parametrize(("arguments", "told"), [("{env} {steps}", True), ("{env} {steps} {seed}", False)])
def test_without_a_seed_it_is_said_that_trainings_may_be_the_same(command, arguments, told):
    trial = trained(command(scripts.SILENT, arguments), steps=200)
    assert any("no {seed}" in note for note in trial.notes) is told


def test_a_training_longer_than_what_is_kept_of_it_is_a_whole_one(command):
    kept = "import weaklink.collect.probes.recording as recording; recording.PART = 100\n"
    trial = trained(command(kept + scripts.SILENT), steps=3000)
    assert (trial.failure, trial.behaviour.late) == ("", 1.0)
    assert trial.taken == pytest.approx(3000, rel=0.1)


def test_a_hundred_megabytes_cost_neither_memory_nor_words(command):
    trial = trained(command(scripts.TALKATIVE))
    assert trial.failure == "ended with code 3"
    assert trial.printed.endswith("the last word")
    kept = trial.notes[-1].removeprefix("what it printed is kept in ")
    assert os.path.getsize(kept) < 6_000_000


def test_the_beginning_and_the_end_are_kept():
    kept = KeptOutput(head=4, tail=4)
    for chunk in (b"ab", b"cdef", b"ghij", b"klmn"):
        kept.add(chunk)
    assert kept.text() == "abcd\n[... 6 bytes left out ...]\nklmn"
    short = KeptOutput()
    short.add(b"all of it")
    assert short.text() == "all of it"


@pytest.mark.parametrize(("title", "sign", "holds"), spare([
    ("ContinuousTarget", 1, True),
    ("ContinuousTarget", -1, False),
    ("WideAction", 1, True),
    ("WideAction", 0, False),
    ("MatchingActionContinuous", 1, True),
    ("MatchingActionContinuous", -1, False),
], lambda one: one[0] == "ContinuousTarget"))  # fmt: skip
def test_continuous_actions_are_judged_by_their_middle(command, title, sign, holds):
    trial = trained(command(scripts.CONTINUOUS, f"{{env}} {{steps}} {{seed}} {sign}"), title, 1500)
    assert trial.measures
    assert trial.holds is holds


def test_the_discount_is_told_asked_for_or_assumed(command):
    assert trained(command(scripts.SILENT)).gamma == 0.99
    assert trained(command(scripts.SILENT), gamma=0.5).gamma == 0.5
    assert trained(command(scripts.SILENT, "{env} {steps} {gamma}")).gamma == 0.9


@pytest.mark.parametrize(("template", "told"), [
    ("python train.py", "{env}"),
    ("", "empty"),
    ("python train.py {env} {timesteps}", "{timesteps}"),
    ("python 'train.py {env}", "quotes"),
    ("surely-no-such-program {env}", "surely-no-such-program"),
    ("python train.py {env} && true", "sh -c"),
])  # fmt: skip
def test_a_command_that_cannot_work_is_refused_at_once(template, told):
    with pytest.raises(UsageError, match=told):
        ScriptRunner(template, ProbePlan())


def test_arguments_that_a_script_does_not_know_are_no_fault_of_the_training(command):
    with pytest.raises(UsageError, match="unrecognized arguments: --sede 0"):
        trained(command(scripts.ACTOR_CRITIC, "--env-id {env} --total-timesteps {steps} --sede {seed}"))
    with pytest.raises(UsageError, match="can't open file"):
        trained(f"{PYTHON} no_such_file.py {{env}}")


def test_nothing_is_left_behind_where_nothing_failed(command):
    template = command(scripts.SILENT)
    trained(template)
    with pytest.raises(UsageError):
        trained(f"{PYTHON} no_such_file.py {{env}}")
    assert os.listdir(tempfile.gettempdir()) == []


def test_a_python_that_does_not_know_the_environments_is_said(command):
    template = command(scripts.SILENT).replace(PYTHON, f"{PYTHON} -E")
    with pytest.raises(UsageError, match=r"pip install weaklink.*weaklink\.envs:\{env\}"):
        trained(template)


def test_the_module_can_be_named_where_the_path_is_ignored(command):
    script = f"import sys\nsys.path.insert(0, {str(SOURCES)!r})\n{scripts.SILENT}"
    template = command(script, "weaklink.envs:{env} {steps}").replace(PYTHON, f"{PYTHON} -E")
    assert trained(template).failure == ""


def test_of_a_script_little_is_assumed():
    assert assume_script_traits(ProbePlan()).actions == ("discrete",)
    assert assume_script_traits(ProbePlan(actions="continuous")).actions == ("continuous",)
    assert assume_script_traits(ProbePlan(actions="both")).actions == Traits().actions
