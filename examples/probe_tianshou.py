"""Tianshou 2's PPO for discrete actions, ready to be probed: `weaklink probe examples/probe_tianshou.py:train`."""

from __future__ import annotations

import numpy as np
import torch
from gymnasium.spaces import flatdim, flatten
from gymnasium.wrappers import FlattenObservation
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

MEMBERS, BATCH = 16, 256


class Agent:
    def __init__(self, algorithm, observation_space, gamma):
        self.policy, self.critic, self.gamma = algorithm.policy, algorithm.critic, gamma
        self.observation_space = observation_space

    def act(self, observation):
        return int(self.distribution(observation).probs.argmax())

    def sample(self, observation):
        return int(self.distribution(observation).sample())

    def log_prob(self, observation, action):
        return self.distribution(observation).log_prob(torch.as_tensor([action])).item()

    @torch.no_grad()
    def value(self, observation):
        return self.critic(self.seen(observation)).item()

    @torch.no_grad()
    def distribution(self, observation):
        return self.policy(Batch(obs=self.seen(observation), info=Batch())).dist

    def seen(self, observation):
        return np.asarray(flatten(self.observation_space, observation), dtype=np.float32)[None]


def train(make_env, steps, seed, gamma=0.9):
    torch.manual_seed(seed)
    envs = DummyVectorEnv([lambda: FlattenObservation(make_env()) for _ in range(MEMBERS)])
    envs.seed(seed)
    env = make_env()
    shape, actions = (flatdim(env.observation_space),), int(env.action_space.n)
    nets = [Net(state_shape=shape, hidden_sizes=[32, 32], activation=torch.nn.Tanh) for _ in range(2)]
    algorithm = PPO(
        policy=ProbabilisticActorPolicy(
            actor=DiscreteActor(preprocess_net=nets[0], action_shape=actions, softmax_output=False),
            dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
            action_space=env.action_space,
            action_scaling=False,
        ),
        critic=DiscreteCritic(preprocess_net=nets[1]),
        optim=AdamOptimizerFactory(lr=5e-3),
        gamma=gamma,
    )
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=Collector(algorithm, envs, VectorReplayBuffer(BATCH, MEMBERS)),
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=BATCH,
            update_step_num_repetitions=6,
            batch_size=64,
            test_step_num_episodes=0,
            verbose=False,
            show_progress=False,
        )
    )
    return Agent(algorithm, env.observation_space, gamma)
