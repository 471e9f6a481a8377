"""CartPole seen through random Fourier features: a fixed random projection, a cosine, and a small network behind it.

Trained with PPO of Stable-Baselines3.

What is wrong: the projection is a plain tensor and not a buffer of the module. It is not saved with the model, and a
model that is loaded draws another one: all that was learned is read through the wrong glasses.
"""

from __future__ import annotations

import math

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

steps = 20_000


class Fourier(BaseFeaturesExtractor):
    def __init__(self, observation_space, features_dim=128):
        super().__init__(observation_space, features_dim)
        self.projection = torch.randn(observation_space.shape[0], features_dim)
        self.phase = 2 * math.pi * torch.rand(features_dim)

    def forward(self, observations):
        return math.sqrt(2 / self.features_dim) * torch.cos(observations @ self.projection + self.phase)


def make_env():
    return gym.make("CartPole-v1")


def make_model(env):
    features = {"features_extractor_class": Fourier, "net_arch": [64]}
    return PPO("MlpPolicy", env, learning_rate=1e-3, n_steps=512, batch_size=64, ent_coef=0.01, policy_kwargs=features)
