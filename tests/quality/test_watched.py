"""Planted faults are found by watching and whole trainers are not accused: a part of bench/watch_faults.py."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from tests.sparing import spare

pytest.importorskip("torch")
pytest.importorskip("gymnasium")

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]

PLANTED = {
    "sb3": [
        "E02/DQN", "E04/PPO", "R03/SAC", "O01/A2C", "A03/PPO-Box", "A04/SAC", "B05/PPO", "G04/A2C", "V09/TD3",
        "L02/PPO", "L04/SAC", "L07:target/SAC", "T02/A2C", "T08/TD3", "K02/DQN", "H01/RecurrentPPO",
        "Z01/PPO-evaluated", "Q01/PPO-evaluated", "Q05/PPO-evaluated",
    ],
    "loop": ["E02/ppo", "E04/ppo", "A03/ppo-box", "B06/ppo", "V10/dqn", "L07/sac", "N03/sac", "K02/dqn", "N03/dqn"],
    "torchrl": ["G01/PPO", "K03/SAC"],
}  # fmt: skip
WHOLE = {
    "sb3": ["PPO-Box", "A2C", "PPO-evaluated", "DoubleDQN", "TD3-each", "SAC"],
    "loop": ["ppo", "sac"],
    "torchrl": ["SAC-hard"],
}
AGAIN = {
    "sb3/E04/PPO", "sb3/R03/SAC", "sb3/L04/SAC", "sb3/L07:target/SAC", "sb3/T08/TD3",
    "loop/E02/ppo", "loop/A03/ppo-box", "loop/B06/ppo", "loop/N03/sac", "torchrl/K03/SAC",
}  # fmt: skip
"""Faults whose code, and trainers of a kind that a quicker case has too."""


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    import torch

    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    yield
    torch.set_num_threads(before[0])
    torch.backends.mkldnn.enabled = before[1]


@pytest.fixture
def bench(monkeypatch):
    """The bench, which lies beside the package."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    return import_module("bench.watch_faults")


def trainers_of(framework, bench):
    needed = bench.FRAMEWORKS[framework]
    pytest.importorskip(needed)
    return import_module(f"bench.watched.{framework}")


@pytest.mark.parametrize(
    "case",
    spare([f"{name}/{case}" for name, cases in PLANTED.items() for case in cases], lambda case: case not in AGAIN),
)
def test_a_planted_fault_is_named_within_three_updates(bench, case):
    framework, fault, trainer = case.split("/")
    module = trainers_of(framework, bench)
    fault = fault.replace(":", "/")
    wanted = next(each for each in module.FAULTS if each.name == fault and trainer in each.trainers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alerts = bench.watched(module, trainer, fault, 0)
    assert bench.outcome(wanted, alerts) == bench.NAMED, alerts


@pytest.mark.parametrize("case", [f"{name}/{trainer}" for name, trainers in WHOLE.items() for trainer in trainers])
def test_a_whole_trainer_is_not_accused(bench, case):
    framework, trainer = case.split("/")
    module = trainers_of(framework, bench)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert bench.watched(module, trainer, "", 3) == []
