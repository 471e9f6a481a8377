"""Which files belong to one run: the layouts of trainers, and what only looks like one."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import pytest

from weaklink.collect import readers

SAMPLES = Path(__file__).parent / "samples"


def names(path: Path) -> list[str]:
    return [found.name for found in readers.discover(path)]


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number % 128 + 128])
        number //= 128
    return out + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def masked_crc(content: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def events(folder: Path, tag: str, values=(1.0, 2.0, 3.0), name: str = "events.out.tfevents.1700000000.vm.1.0") -> Path:
    """Writes a TensorBoard file by hand, one scalar an event."""
    folder.mkdir(parents=True, exist_ok=True)
    content = b""
    for step, value in enumerate(values):
        scalar = field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
        event = b"\x09" + struct.pack("<d", 1.7e9 + step) + b"\x10" + varint(step) + field(5, field(1, scalar))
        length = struct.pack("<Q", len(event))
        content += length + masked_crc(length) + event + masked_crc(event)
    (folder / name).write_bytes(content)
    return folder / name


def test_one_folder_of_events_below_the_rest_of_its_run(tmp_path):
    shutil.copy(SAMPLES / "sb3" / "0.monitor.csv", tmp_path)
    events(tmp_path / "tb" / "PPO_1", "train/approx_kl")
    run = readers.read(tmp_path)
    assert {"policy.kl", "reward.episode_return"} <= set(run.series)


def test_two_folders_of_events_are_two_runs(tmp_path):
    shutil.copy(SAMPLES / "sb3" / "0.monitor.csv", tmp_path)
    events(tmp_path / "PPO_1", "train/approx_kl")
    events(tmp_path / "PPO_2", "train/approx_kl")
    assert names(tmp_path)[1:] == ["PPO_1", "PPO_2"] or names(tmp_path)[:2] == ["PPO_1", "PPO_2"]
    assert len(names(tmp_path)) == 3


def test_folders_of_events_alone_are_runs(tmp_path):
    events(tmp_path / "PPO_1", "train/approx_kl")
    events(tmp_path / "PPO_2", "train/approx_kl")
    assert names(tmp_path) == ["PPO_1", "PPO_2"]
    assert readers.discover(tmp_path)[0].read()[0].config.algorithm == "ppo"


def test_parts_in_folders_of_their_own(tmp_path):
    for name, part in (("monitor", "0.monitor.csv"), ("eval", "evaluations.npz")):
        (tmp_path / name).mkdir()
        shutil.copy(SAMPLES / "sb3" / part, tmp_path / name)
    events(tmp_path / "tensorboard" / "PPO_1", "train/approx_kl")
    run = readers.read(tmp_path)
    assert {"policy.kl", "reward.episode_return", "evaluation.return"} <= set(run.series)


def test_unlike_runs_side_by_side_are_not_parts(tmp_path):
    (tmp_path / "mine").mkdir()
    shutil.copy(SAMPLES / "sb3" / "0.monitor.csv", tmp_path / "mine")
    events(tmp_path / "yours", "train/approx_kl")
    assert names(tmp_path) == ["mine", "yours"]


def test_folders_that_add_scalars_makes(tmp_path):
    events(tmp_path, "reward")
    events(tmp_path / "train_loss_actor", "train/loss")
    events(tmp_path / "train_loss_critic", "train/loss", (4.0, 5.0))
    events(tmp_path / "1700000000.123456", "hparam/return")
    events(tmp_path / "another_run", "reward")
    assert sorted(names(tmp_path)) == sorted([tmp_path.name, "another_run"])
    found = {one.name: one for one in readers.discover(tmp_path)}
    run = found[tmp_path.name].read()[0]
    keys = {series.provenance.key for series in (*run.series.values(), *run.unknown.values())}
    assert keys == {"reward", "train/loss/actor", "train/loss/critic", "hparam/return"}


def test_events_of_a_trainer_go_on_after_its_last_checkpoint(tmp_path):
    shutil.copytree(SAMPLES / "trainer_state" / "grpo", tmp_path / "out")
    events(tmp_path / "out" / "runs" / "Nov15_vm", "train/reward", [0.5] * 30)
    events(tmp_path / "out" / "runs" / "Nov14_vm", "train/other", [0.5] * 3)
    run = readers.read(tmp_path / "out")
    assert len(run["reward.mean"]) == 30
    assert run["reward.mean"].provenance.axis == "updates"
    assert len(run["optimizer.loss"]) == 4


def test_the_state_of_a_trainer_that_is_longer_than_its_events(tmp_path):
    shutil.copytree(SAMPLES / "trainer_state" / "grpo", tmp_path / "out")
    events(tmp_path / "out" / "runs" / "Nov15_vm", "train/reward", [0.5] * 2)
    run = readers.read(tmp_path / "out")
    assert len(run["reward.mean"]) == 4


def test_a_finished_trainer_keeps_its_state_at_the_top(tmp_path):
    shutil.copytree(SAMPLES / "trainer_state" / "grpo", tmp_path / "out")
    state = json.loads((tmp_path / "out" / "checkpoint-20" / "trainer_state.json").read_text())
    state["global_step"] = 25
    put(tmp_path / "out" / "trainer_state.json", json.dumps(state))
    (found,) = readers.discover(tmp_path / "out")
    assert found.paths == (tmp_path / "out" / "trainer_state.json",)


def test_files_that_are_runs(tmp_path):
    for seed in range(3):
        put(tmp_path / f"seed_{seed}.csv", "step,loss,kl\n1,2,3\n2,3,4\n")
    put(tmp_path / "config.json", '{"lr": 0.1}')
    assert names(tmp_path) == ["seed_0.csv", "seed_1.csv", "seed_2.csv"]
    assert all(run.config.number("learning_rate") == 0.1 for run in readers.read_all(tmp_path))


def test_files_that_are_parts(tmp_path):
    put(tmp_path / "losses.csv", "step,loss\n1,2\n2,3\n")
    put(tmp_path / "rewards.csv", "step,reward\n1,2\n2,3\n")
    put(tmp_path / "extra.jsonl", '{"step": 1, "entropy": 0.5}\n{"step": 2, "entropy": 0.4}\n')
    run = readers.read(tmp_path)
    assert {"optimizer.loss", "reward.mean", "exploration.entropy"} <= set(run.series)


def test_not_every_table_is_a_log(tmp_path):
    prices = put(tmp_path / "data" / "prices.csv", "date,open,high\n2020,1.5,2\n2021,1.5,2\n")
    put(tmp_path / "data" / "questions.json", '[{"id": 1, "question": "why"}, {"id": 2, "question": "how"}]')
    put(tmp_path / "run" / "metrics.csv", "update,value\n1,2\n2,3\n")
    assert names(tmp_path) == ["run"]
    assert readers.read(prices).unknown


def test_training_and_evaluation_are_one_run(tmp_path):
    put(tmp_path / "train.csv", "step,episode_reward\n1,2\n2,3\n")
    put(tmp_path / "eval.csv", "step,episode_reward\n2,9\n")
    run = readers.read(tmp_path)
    assert run["reward.episode_return"].values.tolist() == [2, 3]


def test_console_output_counts_where_nothing_better_is(tmp_path):
    shutil.copy(SAMPLES / "console" / "sb3.txt", tmp_path / "train.log")
    assert readers.read(tmp_path).framework == "sb3"
    put(tmp_path / "progress.csv", "step,loss\n1,2\n")
    (found,) = readers.discover(tmp_path)
    assert found.formats == ("csv_table",)
    put(tmp_path / "another.log", "step=1 loss=2\nstep=2 loss=1\n")
    assert len(readers.discover(tmp_path)) == 1


def test_console_output_says_more_than_episodes_alone(tmp_path):
    shutil.copy(SAMPLES / "console" / "sb3.txt", tmp_path / "train.log")
    put(tmp_path / "monitor.csv", '#{"t_start": 0.0, "env_id": "CartPole-v1"}\nr,l,t\n' + "9.0,9,0.1\n" * 9)
    run = readers.read(tmp_path)
    assert {"reward.episode_return", "policy.kl"} <= set(run.series)


def test_console_output_above_the_runs_that_it_is_of(tmp_path):
    put(tmp_path / "sweep.log", "step=1 loss=2\nstep=2 loss=1\n")
    put(tmp_path / "a" / "train.log", "step=1 loss=2\nstep=2 loss=1\n")
    assert len(names(tmp_path)) == 2
    put(tmp_path / "a" / "progress.csv", "step,loss\n1,2\n")
    assert names(tmp_path) == ["a"]


def test_a_whole_log_below_events_is_another_run(tmp_path):
    events(tmp_path, "reward")
    put(tmp_path / "other" / "progress.csv", "step,loss\n1,2\n")
    assert len(names(tmp_path)) == 2


def test_monitors_of_several_seeds(tmp_path):
    for seed in (0, 1):
        shutil.copy(SAMPLES / "sb3" / "0.monitor.csv", tmp_path / f"seed{seed}.monitor.csv")
    assert names(tmp_path) == ["seed0.monitor.csv", "seed1.monitor.csv"]


def test_a_run_of_ml_agents(tmp_path):
    put(tmp_path / "configuration.yaml", "behaviors:\n  Walker:\n    trainer_type: ppo\n")
    events(tmp_path / "Walker", "Environment/Cumulative Reward")
    run = readers.read(tmp_path)
    assert run.name == "Walker"
    assert run.config.algorithm == "ppo"


@pytest.mark.parametrize("tracker", ["mlflow", "trackio"])
def test_a_database_of_runs(tracker):
    (database, *_) = (found for found in readers.discover(SAMPLES / tracker) if found.name.endswith(".db"))
    runs = database.read()
    assert len(runs) > 1
    assert all(run.name.startswith(f"{database.name}/") for run in runs)


def test_a_run_of_wandb(tmp_path):
    run = tmp_path / "wandb" / "offline-run-20261115_023000-sample01"
    run.mkdir(parents=True)
    shutil.copy(next((SAMPLES / "wandb").rglob("*.wandb")), run)
    put(run / "files" / "wandb-summary.json", '{"_step": 7, "loss": 0.5}')
    put(run / "files" / "output.log", "step=1 loss=2\nstep=2 loss=1\n")
    assert names(tmp_path) == ["wandb/offline-run-20261115_023000-sample01"]
