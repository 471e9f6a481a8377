"""Parallel Q-learning with lambda-returns whose recursion runs on into the next episode.

CleanRL, pull request 494: the mask at the end of an episode multiplies the next value and not the next return.
`--healthy` masks both.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)

NUM_ENVS, NUM_STEPS, ITERATIONS, EPOCHS, MINIBATCHES = 4, 128, 4, 4, 4
GAMMA, Q_LAMBDA, EPSILON = 0.99, 0.65, 0.3


class QNetwork(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(n_obs, 120), nn.LayerNorm(120), nn.ReLU(),
            nn.Linear(120, 84), nn.LayerNorm(84), nn.ReLU(),
            nn.Linear(84, n_actions),
        )  # fmt: skip

    def forward(self, x):
        return self.network(x)


envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("CartPole-v1") for _ in range(NUM_ENVS)],
    autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
)
q_network = QNetwork(4, envs.single_action_space.n)
optimizer = torch.optim.RAdam(q_network.parameters(), lr=2.5e-4)

obs = torch.zeros((NUM_STEPS, NUM_ENVS, 4))
actions = torch.zeros((NUM_STEPS, NUM_ENVS), dtype=torch.long)
rewards = torch.zeros((NUM_STEPS, NUM_ENVS))
dones = torch.zeros((NUM_STEPS, NUM_ENVS))
values = torch.zeros((NUM_STEPS, NUM_ENVS))

next_obs = torch.Tensor(envs.reset(seed=args.seed)[0])
next_done = torch.zeros(NUM_ENVS)
for iteration in range(ITERATIONS):
    for step in range(NUM_STEPS):
        obs[step] = next_obs
        dones[step] = next_done
        with torch.no_grad():
            q_values = q_network(next_obs)
            best_value, best_action = q_values.max(dim=-1)
        values[step] = best_value
        explore = torch.rand(NUM_ENVS) < EPSILON
        actions[step] = torch.where(explore, torch.randint(0, 2, (NUM_ENVS,)), best_action)
        observation, reward, terminations, truncations, infos = envs.step(actions[step].numpy())
        rewards[step] = torch.tensor(reward)
        next_obs = torch.Tensor(observation)
        next_done = torch.Tensor(np.logical_or(terminations, truncations))

    with torch.no_grad():
        returns = torch.zeros_like(rewards)
        for t in reversed(range(NUM_STEPS)):
            if t == NUM_STEPS - 1:
                next_value = q_network(next_obs).max(dim=-1).values
                returns[t] = rewards[t] + GAMMA * next_value * (1.0 - next_done)
                continue
            alive = 1.0 - dones[t + 1]
            if args.healthy:
                returns[t] = rewards[t] + GAMMA * (Q_LAMBDA * returns[t + 1] + (1 - Q_LAMBDA) * values[t + 1]) * alive
            else:
                returns[t] = rewards[t] + GAMMA * (Q_LAMBDA * returns[t + 1] + (1 - Q_LAMBDA) * values[t + 1] * alive)

    b_obs, b_actions, b_returns = obs.reshape(-1, 4), actions.reshape(-1), returns.reshape(-1)
    for _ in range(EPOCHS):
        for mb_inds in torch.randperm(NUM_ENVS * NUM_STEPS).chunk(MINIBATCHES):
            old_val = q_network(b_obs[mb_inds]).gather(1, b_actions[mb_inds].unsqueeze(-1)).squeeze()
            loss = F.mse_loss(b_returns[mb_inds], old_val)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q_network.parameters(), 10.0)
            optimizer.step()
    print(f"iteration {iteration} td loss {loss.item():.3f}")
envs.close()
