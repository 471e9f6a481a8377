"""PPO that was written for vectors which reset within a step, run on one that resets at the next step.

CleanRL, issues 475 and 499: since Gymnasium 1.0 the step after an end ignores its action, pays nothing and only resets.
The loop stores it as a transition like any other. `--healthy` leaves these rows out of the loss.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)

n_envs, n_steps, n_updates, n_epochs, batch_size = 4, 128, 4, 4, 128
gamma, gae_lambda, clip_coef = 0.99, 0.95, 0.2


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy = nn.Linear(64, n_actions)
        self.value = nn.Linear(64, 1)

    def forward(self, x):
        hidden = self.body(x)
        return torch.distributions.Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


envs = gym.make_vec("CartPole-v1", num_envs=n_envs, vectorization_mode="sync")
model = ActorCritic(envs.single_observation_space.shape[0], envs.single_action_space.n)
optimizer = optim.Adam(model.parameters(), lr=3e-4)

next_obs, _ = envs.reset(seed=args.seed)
next_done = np.zeros(n_envs, dtype=bool)
for update in range(n_updates):
    buf = {k: [] for k in ("obs", "act", "logp", "rew", "done", "val")}
    for _ in range(n_steps):
        x = torch.as_tensor(next_obs, dtype=torch.float32)
        with torch.no_grad():
            dist, value = model(x)
            action = dist.sample()
        buf["obs"].append(x)
        buf["done"].append(torch.as_tensor(next_done, dtype=torch.float32))
        buf["act"].append(action)
        buf["logp"].append(dist.log_prob(action))
        buf["val"].append(value)
        next_obs, reward, term, trunc, _ = envs.step(action.numpy())
        next_done = term | trunc
        buf["rew"].append(torch.as_tensor(reward, dtype=torch.float32))
    obs, act, logp, rew, done, val = (torch.stack(buf[k]) for k in ("obs", "act", "logp", "rew", "done", "val"))

    with torch.no_grad():
        _, last_value = model(torch.as_tensor(next_obs, dtype=torch.float32))
    adv = torch.zeros_like(rew)
    gae = torch.zeros(n_envs)
    for t in reversed(range(n_steps)):
        if t == n_steps - 1:
            alive, following = 1.0 - torch.as_tensor(next_done, dtype=torch.float32), last_value
        else:
            alive, following = 1.0 - done[t + 1], val[t + 1]
        delta = rew[t] + gamma * following * alive - val[t]
        gae = delta + gamma * gae_lambda * alive * gae
        adv[t] = gae
    ret = adv + val

    # a row whose observation ended an episode holds the step that resets
    keep = (done == 0).flatten() if args.healthy else torch.ones(n_steps * n_envs, dtype=torch.bool)
    data = [each.flatten(0, 1)[keep] for each in (obs, act, logp, adv, ret)]
    for _ in range(n_epochs):
        for idx in torch.randperm(len(data[0])).split(batch_size):
            o, a, old, advantage, target = (each[idx] for each in data)
            dist, value = model(o)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            ratio = torch.exp(dist.log_prob(a) - old)
            policy_loss = -torch.min(ratio * advantage, ratio.clamp(1 - clip_coef, 1 + clip_coef) * advantage).mean()
            loss = policy_loss + 0.5 * F.mse_loss(value, target) - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
    print(f"update {update} loss {loss.item():.3f}")
envs.close()
