"""Trains runs with one planted fault each, with Stable-Baselines3: `python make.py [NAME ...]`.

Each run lands in `runs/<name>/` as the `progress.csv` that SB3 itself writes and the hyper-parameters it was given.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

RUNS = Path(__file__).parent / "runs"

# name -> (algorithm, environment, budget, environments in parallel, reward factor, settings)
RECIPES: dict[str, tuple[str, str, int, int, float, dict[str, Any]]] = {
    "learning-rate-cartpole": ("PPO", "CartPole-v1", 60_000, 1, 1, dict(learning_rate=0.1)),
    "reward-scale-cartpole": ("PPO", "CartPole-v1", 60_000, 1, 1000, {}),
    "learning-rate-acrobot": ("PPO", "Acrobot-v1", 150_000, 4, 1, dict(n_steps=512, learning_rate=0.1)),
    "reward-scale-acrobot": ("PPO", "Acrobot-v1", 150_000, 4, 1000, dict(n_steps=512)),
    "learning-rate-pendulum": ("PPO", "Pendulum-v1", 80_000, 4, 1, dict(n_steps=512, learning_rate=0.1, gamma=0.9)),
    "reward-scale-pendulum": ("PPO", "Pendulum-v1", 100_000, 4, 1000, dict(n_steps=512, gamma=0.9, learning_rate=1e-3)),
    "learning-rate-inverted-pendulum": (
        "PPO",
        "InvertedPendulum-v5",
        60_000,
        4,
        1,
        dict(n_steps=512, learning_rate=0.1),
    ),
    "reward-scale-inverted-pendulum": ("PPO", "InvertedPendulum-v5", 60_000, 4, 1000, dict(n_steps=512)),
    "entropy-bonus-cartpole": ("PPO", "CartPole-v1", 80_000, 4, 1, dict(n_steps=512, ent_coef=2.0)),
    "learning-rate-zero-cartpole": ("PPO", "CartPole-v1", 60_000, 4, 1, dict(n_steps=512, learning_rate=1e-8)),
    "reward-sign-cartpole": ("PPO", "CartPole-v1", 80_000, 4, -1, dict(n_steps=512)),
    "learning-rate-a2c-cartpole": ("A2C", "CartPole-v1", 80_000, 8, 1, dict(learning_rate=0.1)),
    "learning-rate-dqn-cartpole": ("DQN", "CartPole-v1", 40_000, 1, 1, dict(learning_rate=0.3, learning_starts=1000)),
}
ROW_EVERY = {"PPO": 1, "A2C": 50, "DQN": 20, "SAC": 2, "TD3": 2}


def main(names: list[str]) -> None:
    import torch

    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    for name in names or list(RECIPES):
        started = time.monotonic()
        try:
            outcome = f"last return {train(name):10.2f}"
        except ValueError as stopped:  # a policy whose parameters became NaN
            outcome = f"stopped: {str(stopped)[:60]!r}"
        print(f"{name:32s} {outcome}  {time.monotonic() - started:6.0f} s", flush=True)


def train(name: str) -> float:
    """Trains one recipe and returns the last mean return that it logged, in the environment's own reward."""
    import gymnasium
    import stable_baselines3 as sb3
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.logger import configure

    algorithm, environment, budget, copies, factor, settings = RECIPES[name]
    folder = RUNS / name
    folder.mkdir(parents=True, exist_ok=True)
    context = dict(algo=algorithm.lower(), env=environment, n_envs=copies, n_timesteps=budget, **settings)
    (folder / "config.json").write_text(json.dumps(context, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def scaled() -> gymnasium.Env:
        return gymnasium.wrappers.TransformReward(gymnasium.make(environment), lambda reward: factor * reward)

    env = make_vec_env(scaled, n_envs=copies, seed=7)
    model = getattr(sb3, algorithm)("MlpPolicy", env, seed=7, device="cpu", **settings)
    model.set_logger(configure(str(folder), ["csv"]))
    model.learn(budget, log_interval=ROW_EVERY[algorithm])
    return float(sum(episode["r"] for episode in model.ep_info_buffer) / max(len(model.ep_info_buffer), 1))


if __name__ == "__main__":
    main(sys.argv[1:])
