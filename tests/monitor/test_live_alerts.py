"""Trainings of Stable-Baselines3 that break while they are watched: the right alert comes before they end."""

from __future__ import annotations

import pytest

import weaklink

torch = pytest.importorskip("torch")
stable_baselines3 = pytest.importorskip("stable_baselines3")

import gymnasium  # noqa: E402

torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


class Breaking(gymnasium.Wrapper):
    """After so many steps the reward is no number any more."""

    def __init__(self, env, after):
        super().__init__(env)
        self.left = after

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.left -= 1
        return observation, float("nan") if self.left < 0 else reward, terminated, truncated, info


MOST_STEPS = 200_000
"""Far more than are made before an alert comes: a busy machine may judge late, and the training ends with the alert."""


def watched(model, folder, code):
    """Trains until an alert comes, and gives the step at which it came."""
    told = {}
    sinks = [lambda finding: told.setdefault(finding.code, model.num_timesteps)]
    with weaklink.attach(model, folder, budget=1.0, tracker="none", sinks=sinks):
        model.learn(MOST_STEPS, callback=lambda *_: code not in told)
        return told.get(code, MOST_STEPS)


def test_a_learning_rate_that_throws_the_policy_about(tmp_path):
    env = gymnasium.make("CartPole-v1")
    model = stable_baselines3.PPO(
        "MlpPolicy",
        env,
        n_steps=128,
        n_epochs=4,
        learning_rate=0.1,
        seed=0,
        device="cpu",
        policy_kwargs={"net_arch": [16]},
    )
    # the known cause, raised by what it leads to, and told in its place
    assert watched(model, tmp_path / "run", "OPT101") < MOST_STEPS


def test_a_reward_that_is_no_number_from_some_step_on(tmp_path):
    env = Breaking(gymnasium.make("CartPole-v1"), after=1_000)
    model = stable_baselines3.DQN(
        "MlpPolicy", env, learning_starts=200, seed=0, device="cpu", policy_kwargs={"net_arch": [16]}
    )
    assert 1_000 < watched(model, tmp_path / "run", "OPT300") < MOST_STEPS
