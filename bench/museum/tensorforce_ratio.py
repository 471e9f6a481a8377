"""PPO whose old policy is computed anew in every epoch, so that no ratio ever leaves 1 and nothing is clipped.

Tensorforce, issue 312: the probability ratio is exactly 1 in every minibatch, because old and new log-probability come
from one and the same network. `--healthy` keeps the log-probabilities of the rollout.
"""

import argparse

import gymnasium as gym
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
torch.manual_seed(args.seed)

envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("CartPole-v1") for _ in range(4)], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
)
actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
gamma, lam, clip, steps = 0.98, 0.9, 0.2, 128


def log_prob(states, actions):
    return torch.distributions.Categorical(logits=actor(states)).log_prob(actions)


state = torch.tensor(envs.reset(seed=args.seed)[0])
for update in range(4):
    memory = []
    for _ in range(steps):
        with torch.no_grad():
            action = torch.distributions.Categorical(logits=actor(state)).sample()
            stored = log_prob(state, action)
            value = critic(state)[:, 0]
        after, reward, terminated, truncated, _ = envs.step(action.numpy())
        ended = torch.tensor(terminated | truncated)
        memory.append((state, action, stored, value, torch.tensor(reward, dtype=torch.float32), ended))
        state = torch.tensor(after)
    states, actions, stored, values, rewards, ended = (torch.stack(part) for part in zip(*memory, strict=True))
    with torch.no_grad():
        following = torch.cat([values[1:], critic(state)[None, :, 0]])
    advantages, running = torch.zeros_like(rewards), torch.zeros(4)
    for t in reversed(range(steps)):
        running = rewards[t] + ~ended[t] * gamma * (following[t] + lam * running) - values[t]
        advantages[t] = running
    rows = [part.flatten(0, 1) for part in (states, actions, stored, advantages, advantages + values)]
    for _ in range(6):
        for index in torch.randperm(4 * steps).split(128):
            seen, taken, before, advantage, target = (part[index] for part in rows)
            new = log_prob(seen, taken)
            old = before if args.healthy else log_prob(seen, taken).detach()
            ratio = (new - old).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
            loss = -gain + 0.5 * (critic(seen)[:, 0] - target).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"update {update}: loss {loss.item():.3f}")
envs.close()
