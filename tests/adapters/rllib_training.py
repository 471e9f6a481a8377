"""PPO of RLlib on CartPole with two env runners, watched by `weaklink.attach`: in order, and with faults planted.

python -m tests.adapters.rllib_training FOLDER

Trains into folders below; prints one line of JSON a training.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}

ITERATIONS = 16
PLANTS: dict[str, dict[str, Any]] = {
    "healthy": {"lr": 1e-3},
    "learning rate": {"lr": 1.0},
    "one runner's rewards": {"lr": 1e-3, "scaled": 2},
}


def make_environment(config: Any) -> Any:
    """CartPole; on one env runner a fifth of its rewards, where that is planted."""
    import gymnasium

    env = gymnasium.make("CartPole-v1")
    if config.get("scaled") != config.worker_index:
        return env
    return gymnasium.wrappers.TransformReward(env, lambda reward: 0.2 * reward)


def make_algorithm(folder: Path, lr: float, scaled: int = 0) -> tuple[Any, Any]:
    """The algorithm, with networks and batches that are as small as they can be, and its monitor.

    It is attached by RLlib itself where nothing is planted, and else when the algorithm is made.
    """
    import weaklink

    monitors = []

    def watch(algorithm: Any, **_: Any) -> None:
        monitors.append(weaklink.attach(algorithm, folder, sinks=()))

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

    config = PPOConfig().environment("CartPole-made-here", env_config={"scaled": scaled})
    config = config.env_runners(num_env_runners=2, num_envs_per_env_runner=4)
    config = config.training(lr=lr, train_batch_size_per_learner=1024, minibatch_size=128, num_epochs=4)
    config = config.rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[32, 32]))
    if not scaled and lr < 1.0:
        config = config.callbacks(on_algorithm_init=watch)
    algorithm = config.debugging(seed=1).build_algo()
    if not monitors:
        watch(algorithm)
    return algorithm, monitors[0]


def main() -> None:
    import ray
    from ray.tune.registry import register_env

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False)
    register_env("CartPole-made-here", make_environment)
    for name, settings in PLANTS.items():
        algorithm, monitor = make_algorithm(Path(sys.argv[1], name), **settings)
        with monitor:
            results = [algorithm.train() for _ in range(ITERATIONS)]
        after = algorithm.train()
        kept = any("weaklink" in result["env_runners"] for result in (*results, after))
        print(json.dumps({"name": name, "kept": kept, "callbacks": len(algorithm.callbacks)}), flush=True)
        algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
