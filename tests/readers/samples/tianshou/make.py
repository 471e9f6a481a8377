"""Writes the sample beside it with Tianshou itself: PPO on CartPole for some thousand steps, TensorboardLogger."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import gymnasium as gym
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils import TensorboardLogger
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic
from torch.utils.tensorboard import SummaryWriter

HERE = Path(__file__).parent


def algorithm(env: gym.Env) -> PPO:
    body = Net(state_shape=env.observation_space.shape, hidden_sizes=[64, 64])
    actor = DiscreteActor(preprocess_net=body, action_shape=env.action_space.n)
    policy = ProbabilisticActorPolicy(
        actor=actor,
        dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
        action_space=env.action_space,
        action_scaling=False,
    )
    return PPO(policy=policy, critic=DiscreteCritic(preprocess_net=body), optim=AdamOptimizerFactory(lr=1e-3))


def environments(count: int, seed: int) -> DummyVectorEnv:
    envs = DummyVectorEnv([lambda: gym.make("CartPole-v1")] * count)
    envs.seed(seed)
    return envs


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    torch.manual_seed(5)
    learner = algorithm(gym.make("CartPole-v1"))
    training = Collector(learner, environments(4, 5), VectorReplayBuffer(4000, 4))
    logger = TensorboardLogger(SummaryWriter(str(folder)), training_interval=1, update_interval=1)
    learner.run_training(
        OnPolicyTrainerParams(
            training_collector=training,
            test_collector=Collector(learner, environments(2, 6)),
            max_epochs=5,
            epoch_num_steps=1000,
            collection_step_num_env_steps=500,
            update_step_num_repetitions=4,
            batch_size=64,
            test_step_num_episodes=2,
            logger=logger,
            show_progress=False,
            verbose=False,
        )
    )
    logger.writer.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
        (events,) = Path(scratch).glob("events.out.tfevents.*")
        (HERE / "ppo-cartpole").mkdir(exist_ok=True)
        shutil.copyfile(events, HERE / "ppo-cartpole" / "events.out.tfevents.1700000300.host.1.0")
