"""Cross-entropy method over the weights of a small torch network: no gradients, no optimizer."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def make_policy():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


@torch.no_grad()
def rollout(env, policy, max_steps=500):
    obs, _ = env.reset()
    total = 0.0
    for _ in range(max_steps):
        action = int(policy(torch.from_numpy(obs)).argmax())
        obs, reward, terminated, truncated, _ = env.step(action)
        total += reward
        if terminated or truncated:
            break
    return total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--generations", type=int, default=22)
    ap.add_argument("--population", type=int, default=40)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = gym.make("CartPole-v1")
    env.reset(seed=args.seed)
    policy = make_policy().requires_grad_(False)
    mean = parameters_to_vector(policy.parameters()) * 0
    std = torch.ones_like(mean)
    elite = max(2, args.population // 5)
    for g in range(args.generations):
        candidates = mean + std * torch.randn(args.population, mean.numel())
        scores = []
        for c in candidates:
            vector_to_parameters(c, policy.parameters())
            scores.append(rollout(env, policy))
        scores = torch.tensor(scores)
        best = candidates[scores.topk(elite).indices]
        mean = best.mean(0)
        std = best.std(0) + 0.3 / (1 + g)
        print(f"generation {g} mean {scores.mean():.1f} best {scores.max():.1f}")


if __name__ == "__main__":
    main()
