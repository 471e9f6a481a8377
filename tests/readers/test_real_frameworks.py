"""Logs that Tianshou and skrl wrote themselves (`samples/*/make.py`), read with the meaning their names have there."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from weaklink.base.evidence.run import Run
from weaklink.collect.readers import read

SAMPLES = Path(__file__).parent / "samples"
TIANSHOU = SAMPLES / "tianshou" / "ppo-cartpole"
SKRL = {"cartpole": SAMPLES / "skrl" / "ppo-cartpole", "pendulum": SAMPLES / "skrl" / "ppo-pendulum"}
ENTROPY_SCALE = 0.01


def keys(run: Run, *metrics: str) -> list[str]:
    return [run.series[metric].provenance.key for metric in metrics]


def axes(run: Run, *metrics: str) -> set[str]:
    return {run.series[metric].provenance.axis for metric in metrics}


@pytest.fixture(scope="module")
def tianshou() -> Run:
    return read(TIANSHOU)


def test_tianshou_is_recognised(tianshou: Run):
    assert tianshou.framework == "tianshou"
    assert not tianshou.notes
    assert tianshou.last_step == 5000
    assert keys(tianshou, "reward.episode_return", "evaluation.return", "policy.loss", "value.loss") == [
        "training/returns_stat/mean",
        "test/returns_stat/mean",
        "update/actor_loss/mean",
        "update/vf_loss/mean",
    ]


def test_tianshou_counts_training_by_environment_steps_and_learning_by_updates(tianshou: Run):
    assert axes(tianshou, "reward.episode_return", "task.episode_length", "evaluation.return") == {"env_steps"}
    assert axes(tianshou, "policy.loss", "value.loss", "exploration.entropy", "system.learn_time") == {"updates"}
    assert axes(tianshou, "system.elapsed") == {"epochs"}
    assert tianshou.series["reward.episode_return"].steps.tolist() == [500.0 * n for n in range(1, 11)]
    assert tianshou.series["exploration.entropy"].steps.tolist() == list(range(1, 11))
    assert tianshou.series["evaluation.return"].steps.tolist() == [1000.0 * n for n in range(6)]


def test_tianshou_entropy_loss_is_the_entropy(tianshou: Run):
    entropy = tianshou.series["exploration.entropy"]
    assert entropy.provenance.scale == 1
    assert entropy.values[0] == pytest.approx(math.log(2), abs=0.01)
    assert (entropy.values > 0).all()
    assert (entropy.values <= math.log(2)).all()


def test_tianshou_returns_are_those_of_whole_episodes(tianshou: Run):
    mean, low, high = (tianshou.series[f"reward.episode_return{end}"].values for end in ("", "_min", "_max"))
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert low.min() > 5


@pytest.fixture(scope="module", params=SKRL)
def skrl(request: pytest.FixtureRequest) -> Run:
    return read(SKRL[request.param])


def test_skrl_is_recognised(skrl: Run):
    assert skrl.framework == "skrl"
    assert not skrl.notes
    assert skrl.last_step == 2048
    assert keys(skrl, "reward.episode_return", "task.episode_length", "policy.loss", "value.loss") == [
        "Reward / Total reward (mean)",
        "Episode / Total timesteps (mean)",
        "Loss / Policy loss",
        "Loss / Value loss",
    ]


def test_skrl_entropy_needs_its_scale(skrl: Run):
    assert "exploration.entropy" not in skrl.series
    assert "Loss / Entropy loss" in skrl.unknown


@pytest.mark.parametrize(
    ("name", "start"), [("cartpole", math.log(2)), ("pendulum", 0.5 * math.log(2 * math.pi * math.e))]
)
def test_skrl_entropy_with_its_scale(tmp_path: Path, name: str, start: float):
    shutil.copytree(SKRL[name], tmp_path / "run")
    (tmp_path / "run" / "config.json").write_text(f'{{"entropy_loss_scale": {ENTROPY_SCALE}}}', encoding="utf-8")
    entropy = read(tmp_path / "run").series["exploration.entropy"]
    assert entropy.provenance.scale == pytest.approx(-1 / ENTROPY_SCALE)
    assert entropy.values[0] == pytest.approx(start, rel=0.03)


def test_skrl_returns():
    cartpole, pendulum = (read(folder).series["reward.episode_return"].values for folder in SKRL.values())
    assert cartpole[-1] > 5 * cartpole[0] > 0
    assert (pendulum < 0).all()


def test_skrl_has_no_standard_deviation_of_discrete_actions():
    spread = read(SKRL["cartpole"]).series["exploration.action_std"]
    assert len(spread.values) == 0
    assert spread.nonfinite is not None
    assert spread.nonfinite.count == 16
    assert read(SKRL["pendulum"]).series["exploration.action_std"].values[0] == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("folder", [TIANSHOU, *SKRL.values()], ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_the_samples_are_small(folder: Path):
    assert sum(file.stat().st_size for file in folder.iterdir()) < 60_000
