"""Records healthy runs as the live monitor sees them: `python make.py [--seed N] [--whole FOLDER] [NAME ...]`.

Each run lands in `runs/<name>/weaklink.jsonl` as `weaklink.attach` or `weaklink.Monitor` wrote it, thinned to
the rows and metrics that the rules read. The settings are those of the RL Baselines3 Zoo where the zoo has some. With
`--whole` the recordings are kept elsewhere and as they are.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TREE = HERE.parents[2]
RUNS = HERE / "runs"

MOST_ROWS = (120, 60, 40, 30, 20, 15)
"""How many rows with the same metrics a stored run keeps: the first of these with which it is small enough."""
MOST_BYTES = 120_000
DIGITS = 4

# name -> (class, environment, budget, environments in parallel, settings)
RECIPES: dict[str, tuple[str, str, int, int, dict[str, Any]]] = {
    "ppo-cartpole": (
        "PPO",
        "CartPole-v1",
        60_000,
        8,
        dict(
            n_steps=32,
            batch_size=256,
            n_epochs=20,
            gae_lambda=0.8,
            gamma=0.98,
            learning_rate="lin_1e-3",
            clip_range="lin_0.2",
        ),
    ),
    "ppo-pendulum": (
        "PPO",
        "Pendulum-v1",
        60_000,
        4,
        dict(n_steps=1024, gamma=0.9, learning_rate=1e-3, use_sde=True, sde_sample_freq=4),
    ),
    "ppo-acrobot-normalised": (
        "PPO",
        "Acrobot-v1",
        60_000,
        16,
        dict(n_steps=256, n_epochs=4, gae_lambda=0.94, normalize=True),
    ),
    "a2c-cartpole": ("A2C", "CartPole-v1", 60_000, 8, {}),
    "dqn-cartpole": (
        "DQN",
        "CartPole-v1",
        25_000,
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
    "sac-pendulum": ("SAC", "Pendulum-v1", 5_000, 1, dict(learning_rate=1e-3, policy_kwargs=dict(net_arch=[64, 64]))),
    "td3-pendulum": (
        "TD3",
        "Pendulum-v1",
        6_000,
        1,
        dict(learning_rate=1e-3, learning_starts=1000, policy_kwargs=dict(net_arch=[64, 64])),
    ),
    "ppo-recurrent-cartpole": (
        "RecurrentPPO",
        "CartPole-v1",
        10_000,
        8,
        dict(
            n_steps=64,
            batch_size=128,
            n_epochs=5,
            gae_lambda=0.8,
            gamma=0.98,
            learning_rate=1e-3,
            policy_kwargs=dict(lstm_hidden_size=32),
        ),
    ),
    "ppo-maskable-choices": ("MaskablePPO", "choices", 15_000, 4, dict(n_steps=128, batch_size=128)),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--whole", type=Path)
    asked = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    others = {
        "ppo-hand-written": hand_written,
        "ppo-torchrl-cartpole": torchrl_trainer,
        "mm-rkhs-cartpole": mm_rkhs,
        "grpo-tiny-language": language,
    }
    for name in asked.names or [*RECIPES, *others]:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            watched = others.get(name, lambda *given, name=name: stable_baselines(name, *given))
            monitor = watched(Path(folder) / name, asked.seed, asked.budget)
            lines = (monitor.folder / "weaklink.jsonl").read_text(encoding="utf-8").splitlines()
        alerts = " ".join(one.code for one in monitor.alerts)
        keep(name, lines, asked.whole)
        print(f"{name:28s} {len(lines):5d} lines {time.monotonic() - began:5.0f} s  {alerts}", flush=True)


def keep(name: str, lines: list[str], whole: Path | None) -> None:
    """Stores a recording, as it is or thinned."""
    folder = (whole or RUNS) / name
    folder.mkdir(parents=True, exist_ok=True)
    kept = lines
    for most in () if whole else MOST_ROWS:
        kept = thinned(lines, most)
        if sum(map(len, kept)) < MOST_BYTES:
            break
    (folder / "weaklink.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")


def thinned(lines: list[str], most: int) -> list[str]:
    """The rows and what the checks said, without pictures; of rows alike only so many, of numbers only some digits."""
    read = [json.loads(line) for line in lines]
    alike: dict[tuple[str, ...], int] = {}
    for line in read:
        if "metrics" in line:
            kind = tuple(sorted(line["metrics"]))
            alike[kind] = alike.get(kind, 0) + 1
    seen: dict[tuple[str, ...], int] = {}
    kept = []
    for line in read:
        if "metrics" in line:
            kind = tuple(sorted(line["metrics"]))
            number = seen[kind] = seen.get(kind, 0) + 1
            every = max(1, round(alike[kind] / most))
            if number % every and number != alike[kind]:
                continue
            line["metrics"] = {name: shortened(value) for name, value in line["metrics"].items()}
        elif "weaklink" in line:
            line["context"] = {key: line["context"][key] for key in ("name", "framework") if key in line["context"]}
        elif not {"checked", "config"} & set(line):
            continue
        kept.append(json.dumps(line, separators=(",", ":")))
    return kept


def shortened(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float | int) else value


def stable_baselines(name: str, folder: Path, seed: int, budget: float) -> Any:
    """One of the recipes, with a class of Stable-Baselines3 or sb3-contrib."""
    import sb3_contrib
    import stable_baselines3
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize

    import weaklink

    kind, environment, steps, copies, given = RECIPES[name]
    settings = {key: scheduled(value) for key, value in given.items()}
    normalize = settings.pop("normalize", False)
    env = make_vec_env(choices if environment == "choices" else environment, n_envs=copies, seed=seed)
    if normalize:
        env = VecNormalize(env)
    policy = "MlpLstmPolicy" if kind == "RecurrentPPO" else "MlpPolicy"
    maker = getattr(stable_baselines3, kind, None) or getattr(sb3_contrib, kind)
    model = maker(policy, env, seed=seed, device="cpu", **settings)
    monitor = weaklink.attach(model, folder, budget=budget, tracker="none")
    model.learn(steps)
    monitor.close()
    return monitor


def scheduled(value: Any) -> Any:
    """The zoo writes `lin_X` for what falls from X to nothing over the training."""
    if not (isinstance(value, str) and value.startswith("lin_")):
        return value
    first = float(value.removeprefix("lin_"))
    return lambda left: left * first


def choices() -> Any:
    """Ten steps; of six actions some are forbidden each time, and the allowed one of the largest number pays most."""
    import gymnasium
    import numpy as np

    class Choices(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(0, 1, (6,), np.float32)
        action_space = gymnasium.spaces.Discrete(6)

        def _shown(self) -> Any:
            self.allowed = self.np_random.random(6) < 0.5
            self.allowed[self.np_random.integers(6)] = True
            return self.allowed.astype(np.float32)

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.left = 10
            return self._shown(), {}

        def step(self, action: Any) -> Any:
            paid = float(action) / 5
            self.left -= 1
            return self._shown(), paid, self.left == 0, False, {}

        def action_masks(self) -> Any:
            return self.allowed

    return Choices()


def script_at(path: Path) -> Any:
    """A script as a module."""
    made = importlib.util.spec_from_file_location(path.stem, path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[path.stem] = module
    made.loader.exec_module(module)
    return module


def hand_written(folder: Path, seed: int, budget: float) -> Any:
    """The PPO of `examples/watch_cleanrl_ppo.py`."""
    script = script_at(TREE / "examples" / "watch_cleanrl_ppo.py")
    return script.train(
        script.parser.parse_args(["--folder", str(folder), "--seed", str(seed), "--total-timesteps", "30000"])
    )


def mm_rkhs(folder: Path, seed: int, budget: float) -> Any:
    """The update of `examples/watch_mm_rkhs.py`."""
    import gymnasium

    import weaklink

    script = script_at(TREE / "examples" / "watch_mm_rkhs.py")
    settings = {"algorithm": "mm-rkhs", "gamma": 0.99, "gae_lambda": script.LAMBDA}
    monitor = weaklink.Monitor(folder, config=settings, budget=budget, tracker="none")
    script.train(lambda: gymnasium.make("CartPole-v1"), 20_000, seed=seed, gamma=0.99, monitor=monitor)
    monitor.close()
    return monitor


def torchrl_trainer(folder: Path, seed: int, budget: float) -> Any:
    """TorchRL's own `PPOTrainer`."""
    import torch
    from torchrl.collectors import Collector
    from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
    from torchrl.objectives import ClipPPOLoss
    from torchrl.trainers.algorithms import PPOTrainer

    import weaklink

    parts = script_at(HERE.parent / "healthy" / "make_torchrl.py")
    torch.manual_seed(seed)
    settings = parts.Settings("CartPole-v1", 20 * 1024, anneal_lr=False)
    env = parts.environment(settings)
    actor, critic = parts.networks(env)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.001, critic_coeff=0.5, normalize_advantage=True)
    trainer = PPOTrainer(
        collector=Collector(
            env,
            actor,
            frames_per_batch=1024,
            total_frames=settings.total_frames,
            auto_register_policy_transforms=False,
        ),
        total_frames=settings.total_frames,
        frame_skip=1,
        optim_steps_per_batch=None,
        loss_module=loss,
        optimizer=torch.optim.Adam(loss.parameters(), lr=1e-3),
        num_epochs=4,
        progress_bar=False,
        replay_buffer=TensorDictReplayBuffer(
            storage=LazyTensorStorage(1024), sampler=SamplerWithoutReplacement(), batch_size=128
        ),
        enable_logging=False,
        gamma=0.99,
        lmbda=0.95,
    )
    monitor = weaklink.attach(trainer, folder, budget=budget, tracker="none")
    trainer.train()
    monitor.close()
    return monitor


def language(folder: Path, seed: int, budget: float) -> Any:
    """GRPO of TRL on a language model of a few thousand weights."""
    sys.path.insert(0, str(TREE))
    from tests.tiny_language import language_trainer, offline, saved_model

    offline()
    from trl import GRPOTrainer

    import weaklink

    with tempfile.TemporaryDirectory() as place:
        model = saved_model(Path(place) / "model", seed)
        trainer = language_trainer(
            GRPOTrainer, model, Path(place) / "out", max_steps=60, learning_rate=1e-3, beta=0.02, seed=seed
        )
        monitor = weaklink.attach(trainer, folder, budget=budget, tracker="none")
        trainer.train()
    monitor.close()
    return monitor


if __name__ == "__main__":
    sys.path[:] = [each for each in sys.path if each != str(HERE)]
    main()
