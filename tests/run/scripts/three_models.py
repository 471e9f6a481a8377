"""Three models of Stable-Baselines3 in one script, the first of which learns twice; prints what became of them."""

import hashlib
import random
import sys

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import DQN, PPO, SAC

torch.set_num_threads(1)
small = {"seed": 3, "device": "cpu", "policy_kwargs": {"net_arch": [16]}}
replay = {"learning_starts": 60, "batch_size": 32, "buffer_size": 500}
ppo = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, **small)
ppo.learn(128)
dqn = DQN("MlpPolicy", "CartPole-v1", **replay, **small).learn(200)
sac = SAC("MlpPolicy", "Pendulum-v1", **replay, **small).learn(100)
ppo.learn(64, reset_num_timesteps=False)

env = gym.make("CartPole-v1")
env.reset(seed=0)
for _ in range(5):
    env.step(ppo.predict(env.reset()[0])[0])

for model in (ppo, dqn, sac):
    weights = b"".join(each.detach().numpy().tobytes() for each in model.policy.parameters())
    print(type(model).__name__, hashlib.sha256(weights).hexdigest(), sorted(vars(model)))
drawn = random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002
print(drawn, sys.argv[1:], __name__, sys.path[0])
