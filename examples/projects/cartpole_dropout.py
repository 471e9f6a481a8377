"""CartPole with a feature extractor of its own that drops some features, to make the policy robust.

Trained with PPO of Stable-Baselines3.

What is wrong: `functional.dropout` drops features whenever it is called, not only in training. So the policy that is
evaluated, and shown to others, is another thinned network at each step.
"""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

steps = 20_000


class Robust(BaseFeaturesExtractor):
    def __init__(self, observation_space, features_dim=64):
        super().__init__(observation_space, features_dim)
        self.layers = nn.Sequential(nn.Linear(observation_space.shape[0], features_dim), nn.Tanh())

    def forward(self, observations):
        return functional.dropout(self.layers(observations), p=0.3)


def make_env():
    return gym.make("CartPole-v1")


def make_model(env):
    extractor = {"features_extractor_class": Robust, "net_arch": [64]}
    return PPO("MlpPolicy", env, n_steps=512, batch_size=64, n_epochs=10, ent_coef=0.01, policy_kwargs=extractor)
