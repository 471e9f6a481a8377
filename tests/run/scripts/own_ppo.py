"""A PPO written by hand over a vector of environments, with a log of its own."""

import argparse
import hashlib

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from torch.utils.tensorboard import SummaryWriter

parser = argparse.ArgumentParser()
parser.add_argument("--updates", type=int, default=6)
parser.add_argument("--log", default="")
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--learning-rate", type=float, default=3e-3)


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    actor, critic = (nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, size)) for size in (2, 1))
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=args.learning_rate)
    seen = torch.as_tensor(envs.reset(seed=0)[0])
    writer = SummaryWriter(args.log)
    for update in range(args.updates):
        rows = []
        for _ in range(64):
            with torch.no_grad():
                chosen = Categorical(logits=actor(seen))
                action = chosen.sample()
            after, reward, terminated, truncated, _ = envs.step(action.numpy())
            done = np.logical_or(terminated, truncated)
            rows.append((seen, action, chosen.log_prob(action), critic(seen)[:, 0].detach(), reward, done))
            seen = torch.as_tensor(after)
        policy, value = learn(args, rows, actor, critic, optimizer, critic(seen)[:, 0].detach())
        writer.add_scalar("losses/policy_loss", policy.item(), update)
        writer.add_scalar("losses/value_loss", value, global_step=update)
    envs.close()
    weights = b"".join(each.detach().numpy().tobytes() for each in [*actor.parameters(), *critic.parameters()])
    print(hashlib.sha256(weights).hexdigest(), torch.rand(1).item())


def learn(args, rows, actor, critic, optimizer, following):
    advantage, advantages = torch.zeros(2), []
    for _, _, _, value, reward, done in reversed(rows):
        going = 1.0 - torch.as_tensor(done, dtype=torch.float32)
        reward = torch.as_tensor(reward, dtype=torch.float32)
        advantage = reward + args.gamma * going * following - value + args.gamma * 0.95 * going * advantage
        following = value
        advantages.append(advantage)
    seen, actions, before, values = (torch.stack(each) for each in list(zip(*rows, strict=True))[:4])
    gained = torch.stack(advantages[::-1])
    scaled = (gained - gained.mean()) / gained.std()
    for _ in range(4):
        ratio = (Categorical(logits=actor(seen)).log_prob(actions) - before).exp()
        policy = -torch.min(ratio * scaled, ratio.clamp(0.8, 1.2) * scaled).mean()
        value = ((critic(seen)[..., 0] - gained - values) ** 2).mean()
        optimizer.zero_grad()
        (policy + 0.5 * value).backward()
        nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
        optimizer.step()
    return policy.detach(), value.detach()


if __name__ == "__main__":
    main()
