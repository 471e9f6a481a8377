"""Pasted text of any kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weaklink.base.errors import EmptyLog, WeaklinkError
from weaklink.collect import readers

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    ("sample", "framework", "metric"),
    [
        ("console/sb3.txt", "sb3", "reward.episode_return"),
        ("console/hugging_face.log", "trl", "reward.mean"),
        ("console/rsl_rl.txt", "rsl_rl", "reward.episode_return"),
        ("console/verl.out", "verl", "exploration.entropy"),
        ("sb3/progress.csv", "sb3", "policy.kl"),
        ("sb3/progress.json", "sb3", "policy.kl"),
        ("spinningup/ppo_s0/progress.txt", "spinningup", "reward.episode_return"),
        ("trainer_state/grpo/checkpoint-20/trainer_state.json", "trl", "reward.mean"),
        ("verl/gsm8k.jsonl", "verl", "exploration.entropy"),
    ],
)
def test_what_files_hold(sample, framework, metric):
    run = readers.read_text((SAMPLES / sample).read_text(encoding="utf-8"))
    assert run.framework == framework
    assert metric in run
    assert run.name == run.source == "standard input"


def test_a_list_of_rows():
    run = readers.read_text(json.dumps([{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}], indent=1), "mine")
    assert run["optimizer.loss"].values.tolist() == [2, 1]
    assert run.name == "mine"


@pytest.mark.parametrize("text", ["", "hello", "{", "[", "[]", "{}", "a,b\n", "\0", "\ud800", "step,loss\nx,y\n"])
def test_text_without_metrics(text):
    with pytest.raises(EmptyLog, match="Paste lines"):
        readers.read_text(text)


def test_talk_with_commas_is_no_table():
    run = readers.read_text("Starting, with care\nstep: 1, loss: 0.5\nstep: 2, loss: 0.25\n")
    assert [series.values.tolist() for series in run.series.values()] == [[0.5, 0.25]]


def test_nothing_but_errors_of_weaklink():
    for text in ('{"log_history": [', "{'a': " * 3000, "[" * 100_000, "|" * 10_000, "a=" * 5_000):
        with pytest.raises(WeaklinkError):
            readers.read_text(text)
