"""Writes the samples beside it with skrl itself: PPO on CartPole and Pendulum for some thousand steps, TensorBoard."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import gymnasium as gym
import torch
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, GaussianMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import nn

HERE = Path(__file__).parent
COPIES = 4


def network(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


class Choice(CategoricalMixin, Model):
    def __init__(self, **spaces: object) -> None:
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self, unnormalized_log_prob=True)
        self.body = network(self.num_observations, self.num_actions)

    def compute(self, inputs: dict, role: str) -> tuple:
        return self.body(inputs["observations"]), {}


class Push(GaussianMixin, Model):
    def __init__(self, **spaces: object) -> None:
        Model.__init__(self, **spaces)
        GaussianMixin.__init__(self)
        self.body = network(self.num_observations, self.num_actions)
        self.log_std = nn.Parameter(torch.zeros(self.num_actions))

    def compute(self, inputs: dict, role: str) -> tuple:
        return self.body(inputs["observations"]), {"log_std": self.log_std}


class Value(DeterministicMixin, Model):
    def __init__(self, **spaces: object) -> None:
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.body = network(self.num_observations, 1)

    def compute(self, inputs: dict, role: str) -> tuple:
        return self.body(inputs["observations"]), {}


def train(environment: str, policy: type[Model], folder: Path) -> None:
    set_seed(5)
    env = wrap_env(gym.make_vec(environment, num_envs=COPIES, vectorization_mode="sync"), verbose=False)
    spaces = dict(observation_space=env.observation_space, action_space=env.action_space, device="cpu")
    settings = PPO_CFG(rollouts=128, learning_epochs=4, mini_batches=4, learning_rate=1e-3, entropy_loss_scale=0.01)
    settings.experiment.directory = str(folder)
    settings.experiment.experiment_name = "run"
    settings.experiment.write_interval = 128
    settings.experiment.checkpoint_interval = 0
    agent = PPO(
        models={"policy": policy(**spaces), "value": Value(**spaces)},
        memory=RandomMemory(memory_size=128, num_envs=COPIES, device="cpu"),
        cfg=settings,
        **spaces,
    )
    quiet = {"timesteps": 2048, "headless": True, "disable_progressbar": True}
    trainer = SequentialTrainer(env=env, agents=agent, cfg=quiet)
    trainer.train()
    agent.writer.close()


def main() -> None:
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    for name, environment, policy in (("ppo-cartpole", "CartPole-v1", Choice), ("ppo-pendulum", "Pendulum-v1", Push)):
        with tempfile.TemporaryDirectory() as folder:
            train(environment, policy, Path(folder))
            (events,) = (Path(folder) / "run").glob("events.out.tfevents.*")
            (HERE / name).mkdir(exist_ok=True)
            shutil.copyfile(events, HERE / name / "events.out.tfevents.1700000400.host.1.0")


if __name__ == "__main__":
    main()
