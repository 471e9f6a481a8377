"""Which runs a path holds, what they are called, and what is said where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from weaklink.base.errors import CorruptLog, EmptyLog, NoReader, ReadError, UsageError
from weaklink.base.evidence.run import Run
from weaklink.collect import readers

SAMPLES = Path(__file__).parent / "samples"
ROWS = "step,loss\n1,0.5\n2,0.4\n"


def put(path: Path, content: str = ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def names(path: Path) -> list[str]:
    return [found.name for found in readers.discover(path)]


def test_one_run_of_many_files():
    run = readers.read(SAMPLES / "sb3")
    assert run.name == "sb3"
    assert run.framework == "sb3"
    assert run["reward.episode_return"].provenance.key == "monitor/return"  # three averages, and every episode
    assert run["evaluation.return"].steps.tolist() == [600, 1200, 1800]
    assert "rollout/ep_rew_mean" in run.unknown
    assert run.config.values["environment"] == "CartPole-v1"


def test_a_trial_of_rllib_is_read_once():
    (found,) = readers.discover(SAMPLES / "rllib")
    assert found.formats == ("rllib_result",)
    run = found.read()[0]
    assert run.name == "PPO_CartPole-v1_1a2b3_00000"
    assert (run.config.algorithm, run.config.number("entropy_coefficient")) == ("ppo", 0)


def test_a_run_of_the_rl_zoo():
    run = readers.read(SAMPLES / "rl_zoo")
    assert run.name == "ppo/CartPole-v1_1"
    assert run.config.number("environments") == 2
    assert "steps were multiplied by 2" in run.notes[0]
    assert run["reward.episode_return"].last_step == pytest.approx(1952)


def test_the_newest_checkpoint_of_a_trainer():
    run = readers.read(SAMPLES / "trainer_state")
    assert run.name == "grpo"
    assert run["reward.mean"].last_step == 20
    assert "temperature" not in run.config
    assert readers.read(SAMPLES / "trainer_state" / "grpo").name == "grpo"
    assert readers.read(SAMPLES / "trainer_state" / "grpo" / "checkpoint-10").last_step == 10


@pytest.mark.parametrize("sample", ["torchrl/exp", "spinningup/ppo_s0", "verl", "torchrl", "verl/gsm8k.jsonl"])
def test_every_sample_is_one_run(sample):
    assert readers.read(SAMPLES / sample).series


def test_an_experiment_of_sample_factory(tmp_path):
    """It logs each policy into a hidden folder below the one with its configuration."""
    put(tmp_path / "exp" / "config.json", '{"algo": "APPO", "gamma": 0.99, "num_epochs": 2}')
    for policy in ("0", "1"):
        put(tmp_path / "exp" / ".summary" / policy / "progress.csv", "step,reward/reward,len/len\n1,0.5,10\n2,0.6,11\n")
    assert names(tmp_path) == ["exp/.summary/0", "exp/.summary/1"]
    for run in readers.read_all(tmp_path / "exp"):
        assert isinstance(run, Run)
        assert (run.framework, run.config.algorithm, run.config.number("epochs")) == ("sample_factory", "appo", 2)


def test_names_and_natural_order(tmp_path):
    for name in ("run_10", "run_2", "deep/er/run_1"):
        put(tmp_path / name / "progress.csv")
    assert names(tmp_path) == ["deep/er/run_1", "run_2", "run_10"]
    assert [run.name for run in readers.read_all(tmp_path)] == names(tmp_path)


def test_a_name_for_the_folder_itself(tmp_path, monkeypatch):
    put(tmp_path / "mine" / "progress.csv")
    assert names(tmp_path / "mine") == ["mine"]
    monkeypatch.chdir(tmp_path / "mine")
    assert names(Path()) == ["mine"]
    assert names(Path("progress.csv")) == ["progress.csv"]


def test_several_runs_where_one_is_needed(tmp_path):
    for index in range(12):
        put(tmp_path / f"run_{index}" / "progress.csv")
    with pytest.raises(UsageError, match=r"holds 12 runs and one is needed: run_0, run_1, .*\.\.\."):
        readers.read(tmp_path)


def test_one_bad_run_does_not_hide_the_others(tmp_path):
    put(tmp_path / "a" / "progress.csv")
    put(tmp_path / "b" / "progress.csv", "step,loss\n")
    put(tmp_path / "c" / "trainer_state.json", "{")
    put(tmp_path / "d" / "progress.csv")
    results = list(readers.read_all(tmp_path))
    assert [type(result) for result in results[:2]] == [Run, EmptyLog]
    assert isinstance(results[2], ReadError)
    assert isinstance(results[3], Run)


def test_a_damaged_part_is_a_remark(tmp_path):
    shutil.copytree(SAMPLES / "sb3", tmp_path / "run")
    (tmp_path / "run" / "evaluations.npz").write_bytes(b"PK\x03\x04 damaged")
    run = readers.read(tmp_path / "run")
    assert any("left out" in note and "evaluations.npz" in note for note in run.notes)
    assert "policy.kl" in run


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir(), lambda path: put(path, "\0\1 nothing")])
def test_no_reader(tmp_path, make):
    make(tmp_path / "7")
    with pytest.raises(NoReader, match=r"No reader knows .*7"):
        readers.read(tmp_path / "7")


def test_the_message_names_what_was_looked_for(tmp_path):
    with pytest.raises(NoReader, match=r"/: looked for .*progress\.csv.*evaluations\.npz.*Give the file or folder"):
        readers.discover(tmp_path)


def test_tables_that_do_not_tell_of_training_are_read_where_there_is_nothing_else(tmp_path):
    fitness = "generation,mean_fitness\n1,0.5\n2,0.7\n3,0.8\n"
    put(tmp_path / "a" / "es.csv", fitness)
    assert readers.read(tmp_path / "a").name == "a"
    put(tmp_path / "b" / "progress.csv")
    put(tmp_path / "b" / "es.csv", "fruit,price\n1,0.5\n2,0.7\n")
    run = readers.read(tmp_path / "b")
    assert any(note.startswith("passed over: es.csv") for note in run.notes)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("mlflow.db", "MLflow or Trackio"), ("evaluations.npz", "SB3 evaluations"), ("x.csv", "CSV"), ("x.jsonl", "JSON")],
)
def test_a_file_that_is_not_what_its_name_says(tmp_path, name, kind):
    with pytest.raises(CorruptLog, match=rf"{name} is named like {kind}.* it is empty\. Copy it again"):
        readers.read(put(tmp_path / name, ""))


def test_a_loop_of_links(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(NoReader, match="a loop of links"):
        readers.read(tmp_path / "a")


def test_a_log_without_a_number(tmp_path):
    with pytest.raises(EmptyLog, match=r"progress\.csv holds no number.*Train until"):
        readers.read(put(tmp_path / "progress.csv", "step,loss\n"))


def test_a_configuration_alone(tmp_path):
    path = put(tmp_path / "only" / "config.yaml", "lr: 0.1\n")
    for place in (path, path.parent):
        run = readers.read(place)
        assert run.config.number("learning_rate") == 0.1
        assert not run.series


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "progress.csv")
    with pytest.raises(NoReader):
        readers.discover(tmp_path)
    with pytest.raises(NoReader, match="neither a file nor a folder"):
        readers.discover(tmp_path / "progress.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = put(tmp_path / "a" / "progress.csv")
    put(tmp_path / "b" / "progress.csv")
    path.chmod(0)
    results = list(readers.read_all(tmp_path))
    assert isinstance(results[0], ReadError)
    with pytest.raises(ReadError, match="chmod"):
        readers.read(path)
    path.parent.chmod(0)
    assert len(list(readers.read_all(tmp_path))) == 2
    path.parent.chmod(0o700)


def test_a_folder_that_cannot_be_opened_is_noted(tmp_path, monkeypatch):
    put(tmp_path / "a" / "progress.csv")
    (tmp_path / "secret").mkdir()
    scandir = os.scandir

    def guarded(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("weaklink.collect.readers._walk.os.scandir", guarded)
    run, error = readers.read_all(tmp_path)
    assert isinstance(run, Run)
    assert "chmod" in str(error)
    assert any("secret" in note for note in readers.read(tmp_path).notes)


def test_links(tmp_path):
    outside = put(tmp_path / "outside" / "progress.csv")
    root = tmp_path / "root"
    put(root / "a" / "progress.csv")
    (root / "loop").symlink_to(root)
    (root / "a" / "up").symlink_to(tmp_path)
    (root / "b").mkdir()
    (root / "b" / "progress.csv").symlink_to(outside)
    (root / "c").mkdir()
    (root / "c" / "progress.csv").symlink_to(root / "a" / "progress.csv")
    (root / "dangling").symlink_to(root / "nothing")
    put(root / ".store" / "x.csv")
    (root / "d").mkdir()
    (root / "d" / "progress.csv").symlink_to(root / ".store" / "x.csv")
    assert names(root) == ["a", "d"]
    (tmp_path / "linked").symlink_to(root)
    assert names(tmp_path / "linked") == ["a", "d"]


def test_names_that_are_no_text(tmp_path):
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9\xff")
    os.mkdir(folder)
    with open(os.path.join(folder, b"metr\xff.csv"), "wb") as file:
        file.write(b"step,loss\n1,2\n2,1,9\n")
    run = readers.read(tmp_path)
    "".join((run.name, run.source, *run.notes)).encode()
    assert run.notes
    assert names(tmp_path) == [run.name]


def test_what_is_passed_over(tmp_path):
    for name in (".git", "node_modules", "__pycache__", ".hidden", "venv/lib/x"):
        put(tmp_path / name / "progress.csv")
    put(tmp_path / "venv" / "pyvenv.cfg", "")
    put(tmp_path / "real" / "progress.csv")
    put(tmp_path / "real" / ".progress.csv")
    put(tmp_path / "real" / "README.md", "loss: 1\n")
    assert names(tmp_path) == ["real"]


def test_a_very_deep_tree(tmp_path):
    deep = tmp_path
    for _ in range(60):
        deep = deep / "d"
    put(deep / "progress.csv")
    put(tmp_path / "progress.csv")
    assert len(names(tmp_path)) == 1


def test_importing_the_room_imports_no_reader():
    code = (
        "import sys, weaklink.collect.readers as room\n"
        "print([m for m in sys.modules if m.startswith(room.__name__ + '.') and '._' not in m or m == 'numpy'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_samples_are_no_log_and_the_message_says_what_judges_them(tmp_path):
    rows = "\n".join('{"prompt": "1 + 1", "completion": "2", "reward": 1.0}' for _ in range(20))
    put(tmp_path / "samples" / "rollouts.jsonl", rows)
    for path in (tmp_path / "samples", tmp_path / "samples" / "rollouts.jsonl"):
        with pytest.raises(NoReader, match=r"weaklink audit .*samples"):
            readers.read(path)


def test_points_that_a_second_training_logged_again_are_counted_in_a_note(tmp_path):
    rows = [f"{step},{reward}" for reward in (1, 2) for step in range(1, 21)]
    put(tmp_path / "progress.csv", "\n".join(["step,reward", *rows]))
    run = readers.read(tmp_path)
    assert set(run["reward.mean"].values) == {2.0}
    assert any("20 points were left out" in note for note in run.notes)
