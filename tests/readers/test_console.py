"""Console output of trainers, as it was printed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import console
from weaklink.collect.readers._console_lines import clean, parse_dict_row, parse_named_numbers, parse_verl_row
from weaklink.collect.readers._files import TextSource
from weaklink.collect.readers.raw import RawLog

SAMPLES = Path(__file__).parent / "samples" / "console"


def parsed(text: str) -> RawLog:
    log = RawLog()
    console.parse(TextSource(content=text), log)
    return log


def sample(name: str) -> RawLog:
    assert console.handles(SAMPLES / name)
    return console.read([SAMPLES / name])[0]


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def test_boxes_of_sb3():
    log = sample("sb3.txt")
    assert series(log, "rollout/ep_rew_mean").steps.tolist() == [256, 512, 768, 1024, 1280, 1536, 1792, 2048]
    assert series(log, "train/approx_kl").values[0] == pytest.approx(6.506778e-05)
    assert series(log, "eval/mean_reward").steps.tolist() == [600, 1200, 1800]
    assert log.axis == "env_steps"


def test_boxes_without_sections():
    log = parsed("----------------\n|  AverageEpRet | 3.5 |\n|  TotalEnvInteracts | 4000 |\n----------------\n")
    assert series(log, "AverageEpRet").steps.tolist() == [4000]


def test_blocks_of_rsl_rl():
    log = sample("rsl_rl.txt")
    assert log.framework == "rsl_rl"
    assert series(log, "Train/mean_reward").steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert series(log, "Train/mean_reward").values[2] == 2.5
    assert series(log, "Episode/rew_tracking_lin_vel").values[1] == pytest.approx(0.01)
    assert series(log, "Perf/total_fps").values[0] == 98000
    assert "ETA" not in log.columns


def test_dictionaries_of_hugging_face():
    log = sample("hugging_face.log")
    assert (log.framework, log.axis) == ("trl", "updates")
    assert series(log, "reward").steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert series(log, "grad_norm").nonfinite.first_step == 3
    assert "train_loss" not in log.columns


def test_dictionaries_without_a_bar_are_counted_for_a_part_of_an_epoch_is_no_step():
    log = parsed("{'loss': 0.5, 'epoch': 0.1}\n{'loss': '0.4', 'epoch': '0.2'}\n")
    assert series(log, "loss").steps.tolist() == [0, 1]
    assert log.axis == "rows"


def test_lines_of_verl():
    log = sample("verl.out")
    assert series(log, "actor/entropy").values[0] == pytest.approx(0.38)
    assert series(log, "actor/ppo_kl").nonfinite.first_step == 2
    assert series(log, "val-core/gsm8k/acc").steps.tolist() == [1, 2, 3, 4, 5]


def test_lines_of_names_and_numbers():
    log = sample("lines.log")
    assert series(log, "mean reward").steps.tolist() == [100, 200, 300, 400, 500, 600]
    assert set(log.columns) == {"loss", "mean reward"}


def test_lines_of_cleanrl():
    log = sample("cleanrl.log")
    assert series(log, "episodic_return").values[0] == 21
    assert series(log, "SPS").steps.tolist() == [20, 40, 60, 80, 100, 120]


def test_json_among_other_lines():
    log = parsed('loading\n{"step": 1, "loss": 0.5}\nsaved to x\n{"step": 2, "loss": NaN}\n{"step": 3, "lo')
    assert series(log, "loss").steps.tolist() == [1]
    assert series(log, "loss").nonfinite.first_step == 2


def test_what_is_printed_once_is_no_metric():
    log = parsed("lr: 0.1, gamma: 0.9\nstep=1 loss=0.5\nstep=2 loss=0.4\n")
    assert set(log.columns) == {"loss"}


@pytest.mark.parametrize(
    "line",
    [
        "args: algo=q_learning alpha=0.2 gamma=0.97 epsilon=[1.0, 0.05, 0.6]",
        "2026-11-01 12:00:00 INFO Namespace(algo='q_learning', alpha=0.2, gamma=0.97)",
        "config: {'algo': 'q_learning', 'alpha': 0.2, 'gamma': 0.97}",
    ],
)
def test_settings_that_are_printed_first_are_settings(line):
    log = parsed(f"{line}\nstep=1 loss=0.5\nstep=2 loss=0.4\n")
    assert set(log.columns) == {"loss"}
    assert (log.config["algo"], float(log.config["gamma"])) == ("q_learning", 0.97)


@pytest.mark.parametrize("line", ["options: a=1", "step=1 lr=0.1 gamma=0.9 x=3", "params: 3 layers, 4 heads"])
def test_other_lines_hold_no_settings(line):
    assert not parsed(f"{line}\nstep=1 loss=0.5\nstep=2 loss=0.4\n").config


def test_one_line_alone():
    log = parsed("step: 10, reward: 3.2")
    assert series(log, "reward").steps.tolist() == [10]


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("global_step=26, episodic_return=[26.]", {"global_step": 26, "episodic_return": 26}),
        ("Episode 10 | Reward: -1.5e3 | Loss 0.1", {"Episode": 10, "Reward": -1500, "Loss": 0.1}),
        ("Episode 100\tAverage Score: 20.3", {"Episode": 100, "Average Score": 20.3}),
        ("iter 3/100 loss=nan kl=tensor(0.01, device='cuda:0')", {"iter": 3, "loss": math.nan, "kl": 0.01}),
        ("steps=1.2M fps: 3k", {"steps": 1.2e6, "fps": 3000}),
        ("step    1024 v_loss inf kl 0.002", {"step": 1024, "v_loss": math.inf, "kl": 0.002}),
        ("saved 3 of 10 files in 2 seconds", {}),
        ("time: 12:30:11", {}),
        ("listening on host:8080(main)", {}),
        ("hello world", {}),
    ],
)
def test_named_numbers(line, numbers):
    found = parse_named_numbers(line)
    assert set(found) == set(numbers)
    assert all(found[key] == pytest.approx(value, nan_ok=True) for key, value in numbers.items())


@pytest.mark.parametrize(
    "prefix",
    [
        "\x1b[36m(TaskRunner pid=12, ip=10.0.0.1)\x1b[0m ",
        "(main_task pid=1) ",
        "[rank0]: ",
        "2026-11-15 02:30:10,123 - INFO - ",
        "2026-11-15T02:30:10.123Z ",
        "[2026-11-15 02:30:10,123] ",
        "INFO:root:",
        "INFO 11-15 02:30:10 [train.py:12] ",
        "[INFO] ",
        "trainer_1  | ",
        "02:30:10 ",
    ],
)
def test_what_loggers_put_before_a_line(prefix):
    assert clean(prefix + "step:1 - loss:0.5") == "step:1 - loss:0.5"


def test_python_that_is_no_dictionary_is_never_run():
    assert parse_dict_row("{'a': __import__('os').getpid()}") is None
    assert parse_dict_row("{'a': 1, 'b'") is None
    assert parse_dict_row("{'\\d': 1}") is not None
    assert parse_verl_row("step:1 - nothing here") is None


def test_endless_lines_are_bounded():
    log = parsed("a" * 1_000_000 + "\nstep=1 loss=2\nstep=2 loss=1\n" + "{'a': " * 20_000 + "\n")
    assert series(log, "loss").steps.tolist() == [1, 2]


@pytest.mark.parametrize("content", ["", "numpy==1.26\ntorch>=2\n", "Hello there.\nNothing: to see\n", "\0\1\2" * 50])
def test_what_is_no_log(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content, encoding="utf-8")
    assert not console.handles(path)
