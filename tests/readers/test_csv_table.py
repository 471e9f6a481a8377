"""Tables: SB3's and RLlib's progress.csv, Spinning Up's progress.txt, whatever else has a header row."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import csv_table

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path):
    return csv_table.read([path])[0]


def series(log, key):
    return log.columns[key].build(key, Provenance(key))


def table(folder: Path, content: str, name: str = "progress.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_log_of_sb3():
    path = SAMPLES / "sb3" / "progress.csv"
    log = read(path)
    assert csv_table.handles(path)
    assert log.axis == "env_steps"
    returns = series(log, "rollout/ep_rew_mean")
    assert returns.steps.tolist() == [256, 512, 768, 1024, 1280, 1536, 1792, 2048]
    assert returns.values[0] == pytest.approx(24.666666666666668)
    assert series(log, "train/loss").first_step == 512
    assert returns.times is not None
    assert series(log, "eval/mean_reward").steps.tolist() == [600, 1200, 1800]
    assert not log.notes


def test_a_log_of_spinning_up():
    path = SAMPLES / "spinningup" / "ppo_s0" / "progress.txt"
    log = read(path)
    assert csv_table.handles(path)
    assert log.axis == "env_steps"
    assert series(log, "AverageEpRet").steps.tolist() == [4000.0 * epoch for epoch in range(1, 9)]
    assert "TotalEnvInteracts" in log.columns


@pytest.mark.parametrize(
    ("header", "axis", "steps"),
    [
        ("step,loss", "", [10, 20, 30]),
        ("loss,global_step", "", [1, 2, 3]),
        ("timesteps_total,loss", "env_steps", [10, 20, 30]),
        ("Epoch,loss", "epochs", [10, 20, 30]),
        ("training_iteration,loss", "iterations", [10, 20, 30]),
        ("Episode,loss", "episodes", [10, 20, 30]),
        ("loss,other", "rows", [0, 1, 2]),
    ],
)
def test_the_column_that_counts_steps(tmp_path, header, axis, steps):
    log = read(table(tmp_path, f"{header}\n10,1\n20,2\n30,3\n"))
    assert series(log, "loss").steps.tolist() == steps
    assert log.axis == axis


def test_a_column_of_episode_lengths_is_no_counter(tmp_path):
    rows = "".join(f"{index},{(index * 7) % 5 + 10},{index * 0.5}\n" for index in range(20))
    log = read(table(tmp_path, "episode,steps,reward\n" + rows))
    assert log.axis == "episodes"
    assert series(log, "reward").steps.tolist() == list(range(20))


def test_ragged_rows_empty_cells_and_text(tmp_path):
    content = 'step,loss,name,kl\n1,0.5,"a, b",\n2,,x\n3,0.25,y,0.01,99\n4,nan,"z ""q""",inf\n\n'
    log = read(table(tmp_path, content))
    assert series(log, "loss").steps.tolist() == [1, 3]
    assert series(log, "loss").nonfinite.nan == 1
    assert series(log, "kl").steps.tolist() == [3]
    assert "name" not in log.columns
    assert log.notes == ["progress.csv: 1 row longer than the header; the cells beyond it left out"]


def test_a_torn_last_row_is_a_remark(tmp_path):
    log = read(table(tmp_path, "step,loss,kl\n1,0.5,0.1\n2,0.4,0.1\n3,0."))
    assert series(log, "loss").steps.tolist() == [1, 2]
    assert log.notes == ["progress.csv: the last row was cut off and left out"]


def test_one_row_without_a_last_line_end(tmp_path):
    log = read(table(tmp_path, "step,loss\n1,0.5"))
    assert series(log, "loss").values.tolist() == [0.5]
    assert not log.notes


def test_a_header_met_again_after_a_resume(tmp_path):
    log = read(table(tmp_path, "step,loss,kl\n1,0.5,0.1\nstep,kl,loss\n2,0.2,0.4\n"))
    assert series(log, "loss").values.tolist() == [0.5, 0.4]
    assert series(log, "kl").values.tolist() == [0.1, 0.2]


def test_a_resumed_run_replaces_what_it_wrote_again(tmp_path):
    steps = [*range(0, 100, 2), *range(50, 200, 2)]
    log = read(table(tmp_path, "step,loss\n" + "".join(f"{step},{place}\n" for place, step in enumerate(steps))))
    loss = series(log, "loss")
    assert np.all(np.diff(loss.steps) > 0)
    assert loss.values[loss.steps == 60] == 55


def test_duplicate_steps_are_kept(tmp_path):
    log = read(table(tmp_path, "step,loss\n5,1\n5,2\n6,3\n"))
    assert series(log, "loss").values.tolist() == [1, 2, 3]


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
def test_delimiters(tmp_path, delimiter):
    path = table(tmp_path, "step,loss,kl\n1,0.5,0.1\n2,0.4,0.2\n".replace(",", delimiter), "table.csv")
    assert csv_table.handles(path)
    assert series(read(path), "kl").values.tolist() == [0.1, 0.2]


def test_decimal_commas(tmp_path):
    log = read(table(tmp_path, "step;loss\n1;0,5\n2;0,25\n", "table.csv"))
    assert series(log, "loss").values.tolist() == [0.5, 0.25]


def test_a_commented_header(tmp_path):
    path = table(tmp_path, "# step,loss\n1,0.5\n2,0.25\n", "saved.csv")
    assert csv_table.handles(path)
    assert series(read(path), "loss").values.tolist() == [0.5, 0.25]


def test_comments_before_the_header(tmp_path):
    path = table(tmp_path, "# made by me\nstep,loss\n1,0.5\n", "saved.csv")
    assert series(read(path), "loss").values.tolist() == [0.5]


def test_exports_of_web_pages(tmp_path):
    board = table(tmp_path, "Wall time,Step,Value\n1.5,10,0.5\n2.5,20,0.4\n", "run-PPO_1-tag-train_loss.csv")
    log = read(board)
    assert series(log, "train_loss").steps.tolist() == [10, 20]
    assert series(log, "train_loss").times.tolist() == [1.5, 2.5]
    wandb = table(tmp_path, '"Step","exp - loss","exp - loss__MIN","exp - loss__MAX"\n"1","0.5","0.5","0.5"\n', "w.csv")
    assert list(read(wandb).columns) == ["loss"]
    several = table(tmp_path, "Step,a - loss,a - loss__MIN,b - loss,b - loss__MIN\n1,0.5,0.5,0.7,0.7\n", "s.csv")
    assert list(read(several).columns) == ["a - loss", "b - loss"]


def test_evaluations_beside_training(tmp_path):
    train = table(tmp_path, "step,episode_reward\n1,5\n2,6\n", "train.csv")
    evaluation = table(tmp_path, "step,episode_reward\n2,9\n", "eval.csv")
    log = csv_table.read([evaluation, train])[0]
    assert set(log.columns) == {"episode_reward", "eval/episode_reward"}


def test_text_of_windows(tmp_path):
    path = tmp_path / "progress.csv"
    path.write_bytes("step,loss\r\n1,0.5\r\n2,0.4\r\n".encode("utf-16"))
    assert series(read(path), "loss").values.tolist() == [0.5, 0.4]


@pytest.mark.parametrize(
    "content",
    ["", "a,b\nx,y\nz,w\n", "1,2\n3,4\n", "prompt,reward\nhello,1\n", "{'a': 1}\n", "<html>,1\n1,2\n", "\0\0\0\0"],
)
def test_what_is_no_log(tmp_path, content):
    assert not csv_table.handles(table(tmp_path, content, "data.csv"))


def test_a_known_name_is_a_log_even_when_empty(tmp_path):
    path = table(tmp_path, "")
    assert csv_table.handles(path)
    assert not read(path).columns


def test_many_rows_in_bounded_memory(tmp_path):
    rows = "".join(f"{step},{math.sin(step / 1000)}\n" for step in range(40_000))
    loss = series(read(table(tmp_path, "step,loss\n" + rows)), "loss")
    assert loss.count == 40_000
    assert len(loss) <= 16_384
    assert loss.highs.max() == pytest.approx(1.0, abs=1e-3)


def test_too_many_keys_are_a_remark(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers._rows.MOST_KEYS", 3)
    log = read(table(tmp_path, "step,a,b,c,d\n1,1,1,1,1\n"))
    assert len(log.columns) == 2
    assert any("keys" in note for note in log.notes)
