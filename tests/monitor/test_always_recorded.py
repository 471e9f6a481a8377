"""A monitor with next to no budget: what the trainer has is recorded whole, and what was left out is said."""

from __future__ import annotations

import numpy as np
import pytest

import weaklink
from weaklink.base.evidence.store import read_lines

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")

import gymnasium  # noqa: E402
from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.logger import KVWriter, Logger  # noqa: E402

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False

STARVED = {"budget": 1e-9, "tracker": "none", "sinks": (), "looks": 0}
"""Nothing but the allowance that every run begins with, and no update recomputed."""


class Short(gymnasium.Wrapper):
    """Episodes of a few steps, each of another length."""

    def reset(self, **options):
        self.left = 3 + self.np_random.integers(9)
        return self.env.reset(**options)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.left -= 1
        return observation, reward, terminated, truncated or self.left <= 0, info


class Counted(BaseCallback):
    """Every episode as the environment ends it."""

    def __init__(self):
        super().__init__()
        self.returns = []

    def _on_step(self):
        self.returns += [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        return True


class Kept(KVWriter):
    """Every row that the model logs itself."""

    def __init__(self):
        self.rows = []

    def write(self, key_values, key_excluded, step=0):
        self.rows.append(dict(key_values))

    def close(self):
        pass


def short(members=1):
    return make_vec_env(lambda: Short(gymnasium.make("CartPole-v1")), n_envs=members, seed=0)


def starved(monkeypatch, model, folder, steps, **options):
    """Trains under a monitor that may not measure; gives the run, the returns of all episodes, and the log."""
    monkeypatch.setattr("weaklink.collect.monitor.governor.ALLOWANCE", 0.0)
    counted, kept = Counted(), Kept()
    model.set_logger(Logger(None, [kept]))
    with weaklink.attach(model, folder, **STARVED):
        model.learn(steps, callback=counted, **options)
    return weaklink.read(folder), counted.returns, kept.rows


def whole(run, returns):
    """Whether the recording holds as many episodes as there were, with their mean return."""
    counts = run["task.episodes"].values
    assert counts.sum() == len(returns) > 0
    assert np.dot(counts, run["reward.episode_return"].values) / counts.sum() == pytest.approx(np.mean(returns))
    return True


@pytest.mark.parametrize("rows", [32, 512])
def test_every_episode_and_every_row_of_a_ppo(monkeypatch, tmp_path, rows):
    model = sb3.PPO("MlpPolicy", short(), n_steps=rows, batch_size=32, n_epochs=1, seed=0)
    run, returns, logged = starved(monkeypatch, model, tmp_path / "run", 1024)
    assert whole(run, returns)
    losses = [row["train/value_loss"] for row in logged if "train/value_loss" in row]
    assert set(losses) <= set(run["value.loss"].values)
    assert "returns.advantage_abs_max" not in run.series, "nothing was measured on top"


def test_every_episode_and_every_row_of_a_dqn(monkeypatch, tmp_path):
    model = sb3.DQN("MlpPolicy", short(), learning_starts=600, train_freq=8, seed=0, policy_kwargs={"net_arch": [8]})
    run, returns, logged = starved(monkeypatch, model, tmp_path / "run", 1000)
    assert whole(run, returns)
    losses = [row["train/loss"] for row in logged if "train/loss" in row]
    assert losses
    assert set(losses) <= set(run["value.q_loss"].values)
    assert len(run["reward.episode_return"]) >= len(logged)


@pytest.mark.parametrize("remembered", [1, 3, 8])
def test_a_model_that_forgets_episodes_at_once(monkeypatch, tmp_path, remembered):
    model = sb3.A2C("MlpPolicy", short(6), n_steps=8, stats_window_size=remembered, seed=0)
    run, returns, _ = starved(monkeypatch, model, tmp_path / "run", 960)
    assert whole(run, returns)


def test_a_loop_of_ones_own(monkeypatch, tmp_path):
    monkeypatch.setattr("weaklink.collect.monitor.governor.ALLOWANCE", 0.0)
    returns = [float(number) for number in range(200)]
    with weaklink.Monitor(tmp_path / "run", **STARVED) as monitor:
        for number, total in enumerate(returns):
            monitor.episode(number, total, 10)
            monitor.rollout(number, rewards=np.ones((4, 1)), values=np.ones((4, 1)), dones=np.zeros((4, 1)))
            monitor.update(number, value_loss=total)
    run = weaklink.read(tmp_path / "run")
    assert whole(run, returns)
    assert run["value.loss"].values.tolist() == returns


def test_what_was_left_out_is_said(monkeypatch, tmp_path):
    clock = [0.0]
    monkeypatch.setattr("weaklink.collect.monitor.governor.make_training_clock", lambda: lambda: clock[0])
    monkeypatch.setattr("weaklink.collect.monitor.governor.ALLOWANCE", 0.0)
    with weaklink.Monitor(tmp_path / "run", **{**STARVED, "budget": 0.01}) as monitor:
        for number in range(1, 101):
            clock[0] = 1e9 if number in (1, 2, 3, 4, 90, 95, 100) else clock[0]
            monitor.rollout(number, rewards=np.ones((4, 1)), values=np.ones((4, 1)), dones=np.zeros((4, 1)))
            monitor.update(number, value_loss=1.0)
            monitor.episode(number, float(number), 10)
            monitor._governor.spent("measure", 0.0 if number in (89, 94, 99) else 1e9)
    gaps = [line["gap"] for line in read_lines(tmp_path / "run") if "gap" in line]
    assert sum(gap["updates"] for gap in gaps) >= 80
    assert {gap["why"] for gap in gaps} == {"budget"}
    run = weaklink.read(tmp_path / "run")
    assert run["system.unmeasured_updates"].values.max() > 50
    assert "reward.mean" in run.series
    assert "reward.mean" not in run, "nothing is judged across the hole"
    assert "value.loss" in run
    assert run.performance.improved
    assert any("budget" in note and "reward.mean" in note for note in weaklink.diagnose(run).notes)


def test_a_part_that_failed_is_tried_again(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr("weaklink.collect.monitor.parts.FIRST_PAUSE", 0.0)
    with weaklink.Monitor(tmp_path / "run", tracker="none", sinks=()) as monitor:
        episode, wrong = monitor.watcher.rows.episode, [True] * 3

        def failing(*given):
            if wrong:
                wrong.pop()
                raise KeyError("r")
            episode(*given)

        monitor.watcher.rows.episode = failing
        for number in range(10):
            monitor.episode(number, 1.0, 10)
            monitor.update(number, value_loss=1.0)
    assert weaklink.read(tmp_path / "run")["task.episodes"].values.sum() == 7
    said = capfd.readouterr().err
    assert "episodes failed and is tried again" in said
    assert "episodes works again; it was left out 3 times" in said
    gap = next(line["gap"] for line in read_lines(tmp_path / "run") if "gap" in line)
    assert gap["why"] == "episodes failed 3 times"
