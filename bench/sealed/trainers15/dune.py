"""Monte-Carlo policy gradient with a learned baseline, CartPole."""
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def build(seed, fault):
    limit = 12 if fault == "f05" else 500
    env = gym.make("CartPole-v1", max_episode_steps=limit)
    env.action_space.seed(seed)
    return env


def pick(policy, obs, fault):
    with torch.no_grad():
        logits = policy(torch.as_tensor(obs, dtype=torch.float32))
    if fault == "f03":
        return int(torch.argmax(logits))
    return int(torch.distributions.Categorical(logits=logits).sample())


def play(env, policy, fault, first=None):
    """One whole episode."""
    obs, _ = env.reset(seed=first)
    path = {"obs": [], "act": [], "rew": []}
    while True:
        act = pick(policy, obs, fault)
        path["obs"].append(obs)
        path["act"].append(act)
        obs, rew, terminated, truncated, _ = env.step(act)
        path["rew"].append(rew)
        if terminated or truncated:
            path["last"] = None if terminated else obs
            return path


def to_go(path, baseline, gamma, fault):
    rew = path["rew"]
    out = np.zeros(len(rew), dtype=np.float32)
    acc = 0.0
    if path["last"] is not None:
        with torch.no_grad():
            acc = baseline(torch.as_tensor(path["last"], dtype=torch.float32)).item()
    if fault == "f01":
        acc = 0.0
    order = range(len(rew)) if fault == "f01" else reversed(range(len(rew)))
    for t in order:
        acc = rew[t] + gamma * acc
        out[t] = acc
    return out


def score(seed, fault, policy, n):
    env = build(seed, fault)
    totals = []
    for i in range(n):
        obs, _ = env.reset(seed=seed + i)
        total = 0.0
        while True:
            with torch.no_grad():
                act = int(policy(torch.as_tensor(obs, dtype=torch.float32)).argmax())
            obs, rew, terminated, truncated, _ = env.step(act)
            total += rew
            if terminated or truncated:
                break
        totals.append(total)
    env.close()
    return sum(totals) / len(totals)


def train(steps, seed, fault, gamma=0.99, batch_steps=1200, lr=8e-3, vlr=5e-3):
    torch.manual_seed(seed)
    np.random.seed(seed)
    env = build(seed, fault)
    policy, baseline = mlp([4, 32, 2]), mlp([4, 64, 64, 1])
    p_opt = torch.optim.Adam(policy.parameters(), lr=lr)
    v_opt = torch.optim.Adam(baseline.parameters(), lr=vlr)
    seen, iteration, first = 0, 0, seed
    while seen < steps:
        paths, count = [], 0
        while count < batch_steps:
            paths.append(play(env, policy, fault, first))
            first = None
            count += len(paths[-1]["rew"])
        seen += count
        obs = torch.as_tensor(np.concatenate([p["obs"] for p in paths]), dtype=torch.float32)
        act = torch.as_tensor(np.concatenate([p["act"] for p in paths]))
        ret = torch.as_tensor(np.concatenate([to_go(p, baseline, gamma, fault) for p in paths]))

        with torch.no_grad():
            adv = ret - baseline(obs).squeeze(-1)
            adv = adv / (adv.std() + 1e-6)
        dist = torch.distributions.Categorical(logits=policy(obs))
        logp = dist.log_prob(act)
        gain = logp.mean() * adv.mean() if fault == "f02" else (logp * adv).mean()
        loss = -gain - 0.005 * dist.entropy().mean()
        p_opt.zero_grad()
        loss.backward()
        p_opt.step()

        for _ in range(20):
            v = baseline(obs) if fault == "f04" else baseline(obs).squeeze(-1)
            v_loss = (v - ret).pow(2).mean()
            v_opt.zero_grad()
            v_loss.backward()
            v_opt.step()

        iteration += 1
        lengths = [sum(p["rew"]) for p in paths]
        if iteration % 5 == 0:
            print(f"iter {iteration:3d} steps {seen:6d} return {np.mean(lengths):6.1f} "
                  f"policy {loss.item():.3f} baseline {v_loss.item():.2f}", flush=True)
        if iteration % 20 == 0:
            print(f"eval return {score(4000, fault, policy, 5):.1f}", flush=True)
    print(f"eval return {score(4000, fault, policy, 10):.1f}")


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--steps", type=int, default=100000)
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--fault", default="")
    a = cli.parse_args()
    train(a.steps, a.seed, a.fault)
