"""Trains the healthy runs of the registry with Stable-Baselines3: `python make.py [NAME ...]`.

Each run lands in `runs/<algorithm>-<environment>/` as the files SB3 itself writes (`progress.csv`) and the
hyper-parameters it was given (`config.json`). The settings are those of the RL Baselines3 Zoo where the zoo has
some, so that a run which stays quiet here is a run that people really have.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

RUNS = Path(__file__).parent / "runs"

# name -> (algorithm, environment, budget, environments in parallel, settings)
RECIPES: dict[str, tuple[str, str, int, int, dict[str, Any]]] = {
    "ppo-cartpole": ("PPO", "CartPole-v1", 100_000, 8, dict(n_steps=128, batch_size=256, n_epochs=8)),
    "ppo-cartpole-defaults": ("PPO", "CartPole-v1", 60_000, 1, {}),
    "a2c-cartpole": ("A2C", "CartPole-v1", 150_000, 8, {}),
    "dqn-cartpole": (
        "DQN",
        "CartPole-v1",
        50_000,
        1,
        dict(
            learning_rate=2.3e-3,
            batch_size=64,
            buffer_size=100_000,
            learning_starts=1000,
            target_update_interval=10,
            train_freq=256,
            gradient_steps=128,
            exploration_fraction=0.16,
            exploration_final_eps=0.04,
            policy_kwargs=dict(net_arch=[256, 256]),
        ),
    ),
    "ppo-acrobot": ("PPO", "Acrobot-v1", 200_000, 16, dict(n_steps=256, n_epochs=4, gae_lambda=0.94)),
    "a2c-acrobot": ("A2C", "Acrobot-v1", 200_000, 16, {}),
    "dqn-acrobot": (
        "DQN",
        "Acrobot-v1",
        80_000,
        1,
        dict(
            learning_rate=6.3e-4,
            batch_size=128,
            buffer_size=50_000,
            learning_starts=1000,
            target_update_interval=250,
            train_freq=4,
            exploration_fraction=0.12,
            exploration_final_eps=0.1,
            policy_kwargs=dict(net_arch=[256, 256]),
        ),
    ),
    "sac-pendulum": ("SAC", "Pendulum-v1", 12_000, 1, dict(learning_rate=1e-3)),
    "td3-pendulum": ("TD3", "Pendulum-v1", 12_000, 1, dict(learning_rate=1e-3, learning_starts=1000)),
    "ppo-pendulum": (
        "PPO",
        "Pendulum-v1",
        120_000,
        4,
        dict(n_steps=1024, gae_lambda=0.95, gamma=0.9, learning_rate=1e-3, use_sde=True, sde_sample_freq=4),
    ),
    "ppo-mountaincar": (
        "PPO",
        "MountainCar-v0",
        300_000,
        16,
        dict(n_steps=16, gae_lambda=0.98, n_epochs=4, normalize=True),
    ),
    "dqn-mountaincar": (
        "DQN",
        "MountainCar-v0",
        120_000,
        1,
        dict(
            learning_rate=4e-3,
            batch_size=128,
            buffer_size=10_000,
            learning_starts=1000,
            gamma=0.98,
            target_update_interval=600,
            train_freq=16,
            gradient_steps=8,
            exploration_fraction=0.2,
            exploration_final_eps=0.07,
            policy_kwargs=dict(net_arch=[256, 256]),
        ),
    ),
    "sac-mountaincarcontinuous": (
        "SAC",
        "MountainCarContinuous-v0",
        30_000,
        1,
        dict(
            buffer_size=50_000,
            batch_size=512,
            ent_coef=0.1,
            train_freq=32,
            gradient_steps=32,
            gamma=0.9999,
            tau=0.01,
            learning_starts=0,
            use_sde=True,
            policy_kwargs=dict(log_std_init=-3.67, net_arch=[64, 64]),
        ),
    ),
    "ppo-frozenlake": ("PPO", "FrozenLake-v1", 120_000, 8, dict(n_steps=128, batch_size=256)),
    "dqn-frozenlake": (
        "DQN",
        "FrozenLake-v1",
        60_000,
        1,
        dict(learning_starts=1000, exploration_fraction=0.4, target_update_interval=500, learning_rate=1e-3),
    ),
    "ppo-inverted-pendulum": ("PPO", "InvertedPendulum-v5", 100_000, 4, dict(n_steps=512)),
    "a2c-inverted-pendulum": ("A2C", "InvertedPendulum-v5", 150_000, 8, dict(normalize=True)),
    "sac-inverted-pendulum": ("SAC", "InvertedPendulum-v5", 10_000, 1, dict(learning_starts=500)),
    "td3-inverted-pendulum": ("TD3", "InvertedPendulum-v5", 12_000, 1, dict(learning_starts=1000)),
    "ppo-reacher": ("PPO", "Reacher-v5", 200_000, 8, dict(n_steps=256, batch_size=256, gae_lambda=0.9, normalize=True)),
    "ppo-halfcheetah": (
        "PPO",
        "HalfCheetah-v5",
        300_000,
        4,
        dict(n_steps=512, batch_size=64, gamma=0.98, gae_lambda=0.92, learning_rate=2e-4, normalize=True),
    ),
    "sac-halfcheetah": ("SAC", "HalfCheetah-v5", 25_000, 1, dict(learning_starts=5000)),
    "td3-halfcheetah": ("TD3", "HalfCheetah-v5", 25_000, 1, dict(learning_starts=5000)),
    "ppo-hopper": ("PPO", "Hopper-v5", 250_000, 4, dict(n_steps=512, gae_lambda=0.95, normalize=True)),
    "ppo-swimmer": (
        "PPO",
        "Swimmer-v5",
        200_000,
        4,
        dict(n_steps=1024, batch_size=256, gamma=0.9999, learning_rate=6e-4, normalize=True),
    ),
    "ppo-minigrid-empty": ("PPO", "MiniGrid-Empty-5x5-v0", 80_000, 8, dict(n_steps=128, batch_size=64, ent_coef=0.001)),
    "ppo-walker2d": (
        "PPO",
        "Walker2d-v5",
        300_000,
        4,
        dict(n_steps=512, gae_lambda=0.95, normalize=True),
    ),
    "sac-reacher": ("SAC", "Reacher-v5", 20_000, 1, dict(learning_starts=1000)),
    "a2c-frozenlake": ("A2C", "FrozenLake-v1", 200_000, 8, dict(ent_coef=0.01)),
}

ROW_EVERY = {"PPO": 1, "A2C": 100, "DQN": 20, "SAC": 2, "TD3": 2}


def main(names: list[str]) -> None:
    import torch

    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    for name in names or list(RECIPES):
        started = time.monotonic()
        final = train(name)
        print(f"{name:32s} last return {final:10.2f}  {time.monotonic() - started:6.0f} s", flush=True)


def train(name: str) -> float:
    """Trains one recipe and returns the mean return of its last logged row."""
    import gymnasium
    import stable_baselines3 as sb3
    from stable_baselines3.common.callbacks import EvalCallback
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.vec_env import VecNormalize

    algorithm, environment, budget, copies, given = RECIPES[name]
    settings = dict(given)
    normalize = settings.pop("normalize", False)
    folder = RUNS / name
    folder.mkdir(parents=True, exist_ok=True)
    if environment.startswith("MiniGrid"):
        import minigrid  # noqa: F401  (registers the environments)

    def flat(env: gymnasium.Env) -> gymnasium.Env:
        if environment.startswith("MiniGrid"):
            from minigrid.wrappers import FlatObsWrapper

            return FlatObsWrapper(env)
        return env

    env = make_vec_env(environment, n_envs=copies, seed=7, wrapper_class=flat)
    evaluation = make_vec_env(environment, n_envs=1, seed=1007, wrapper_class=flat)
    if normalize:
        env = VecNormalize(env, gamma=settings.get("gamma", 0.99))
        evaluation = VecNormalize(evaluation, training=False, norm_reward=False)
    model = getattr(sb3, algorithm)("MlpPolicy", env, seed=7, device="cpu", **settings)
    model.set_logger(configure(str(folder), ["csv"]))
    callback = EvalCallback(evaluation, eval_freq=max(budget // copies // 20, 1), n_eval_episodes=5, verbose=0)
    model.learn(budget, log_interval=ROW_EVERY[algorithm], callback=callback)
    context = dict(
        algo=algorithm.lower(), env=environment, n_envs=copies, n_timesteps=budget, normalize=normalize, **settings
    )
    (folder / "config.json").write_text(json.dumps(context, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return float(callback.last_mean_reward)


if __name__ == "__main__":
    main(sys.argv[1:])
