"""CartPole without its velocities: the policy has to remember where cart and pole were.

Trained with RecurrentPPO of sb3-contrib, with a policy of its own that runs through a sequence at once to be faster.

What is wrong: to run through a sequence at once, the starts of episodes are left out. The state of the memory goes on
from one episode into the next, in training and in play.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from sb3_contrib import RecurrentPPO
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy

steps = 15_000


class WithoutVelocities(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (2,), np.float32)

    def observation(self, observation):
        return observation[[0, 2]]


class Faster(RecurrentActorCriticPolicy):
    @staticmethod
    def _process_sequence(features, lstm_states, episode_starts, lstm):
        sequences = lstm_states[0].shape[1]
        inputs = features.reshape((sequences, -1, lstm.input_size)).swapaxes(0, 1)
        outputs, lstm_states = lstm(inputs, lstm_states)
        return outputs.transpose(0, 1).flatten(end_dim=1), lstm_states


def make_env():
    return WithoutVelocities(gym.make("CartPole-v1"))


def make_model(env):
    small = {"lstm_hidden_size": 32, "net_arch": [32]}
    return RecurrentPPO(Faster, env, learning_rate=1e-3, n_steps=512, batch_size=128, policy_kwargs=small)
