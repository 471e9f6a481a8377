"""PPO that plays with another network than the one it learns with.

PPO-PyTorch, issue 10: the policy that acts is made beside the one that learns and has random weights of its own until
the first copy. So in the first update the ratios compare two strangers. `--healthy` copies the weights at the start.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

GAMMA, CLIP, EPOCHS, LR, HORIZON, UPDATES = 0.99, 0.2, 4, 2e-3, 600, 4


class Network(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.affine = nn.Linear(n_obs, 32)
        self.action_layer = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, n_actions))
        self.value_layer = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, state):
        hidden = torch.tanh(self.affine(state))
        return torch.distributions.Categorical(logits=self.action_layer(hidden)), self.value_layer(hidden).squeeze(-1)


def rewards_to_go(rewards, ends, last_value):
    found, running = [], last_value
    for reward, end in zip(reversed(rewards), reversed(ends), strict=True):
        running = reward + GAMMA * running * (not end)
        found.insert(0, running)
    return torch.tensor(found, dtype=torch.float32)


torch.manual_seed(args.seed)
env = gym.make("Acrobot-v1")
policy = Network(6, env.action_space.n)
policy_old = Network(6, env.action_space.n)
if args.healthy:
    policy_old.load_state_dict(policy.state_dict())
optimizer = torch.optim.Adam(policy.parameters(), lr=LR)

state, _ = env.reset(seed=args.seed)
for update in range(UPDATES):
    states, actions, logprobs, rewards, ends = [], [], [], [], []
    for _ in range(HORIZON):
        with torch.no_grad():
            dist, _ = policy_old(torch.from_numpy(state)[None])
            action = dist.sample()
        states.append(state)
        actions.append(action)
        logprobs.append(dist.log_prob(action))
        state, reward, terminated, truncated, _ = env.step(action.item())
        if truncated and not terminated:
            with torch.no_grad():
                reward += GAMMA * policy_old(torch.from_numpy(state)[None])[1].item()
        rewards.append(reward)
        ends.append(terminated or truncated)
        if ends[-1]:
            state, _ = env.reset()
    with torch.no_grad():
        last_value = policy_old(torch.from_numpy(state)[None])[1].item()
    returns = rewards_to_go(rewards, ends, last_value)
    states, actions, logprobs = torch.from_numpy(np.stack(states)), torch.cat(actions), torch.cat(logprobs)
    for _ in range(EPOCHS):
        dist, values = policy(states)
        ratios = (dist.log_prob(actions) - logprobs).exp()
        advantages = returns - values.detach()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        surrogate = torch.min(ratios * advantages, ratios.clamp(1 - CLIP, 1 + CLIP) * advantages)
        loss = -surrogate.mean() + 0.5 * (values - returns).pow(2).mean() - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    policy_old.load_state_dict(policy.state_dict())
    print(f"update {update}: loss {loss.item():.3f}")
env.close()
