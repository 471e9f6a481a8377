# CS 4930 - Homework 3: policy gradient with a learned baseline
# Task: CartPole-v1. Collect a batch of episodes, compute reward-to-go, subtract the baseline, one gradient step.

import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)


def mlp(n_in, n_out, width=64):
    return nn.Sequential(nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, n_out))


def sample_episode(env, policy, fault):
    """Plays one episode and returns lists of observations, actions and rewards."""
    obs_list, act_list, rew_list = [], [], []
    obs, _ = env.reset()
    done = False
    while not done:
        with torch.no_grad():
            logits = policy(torch.as_tensor(obs, dtype=torch.float32))
        if fault == "f07":
            action = int(torch.argmax(logits))
        else:
            action = int(torch.distributions.Categorical(logits=logits).sample())
        obs_list.append(obs)
        act_list.append(action)
        obs, reward, terminated, truncated, _ = env.step(action)
        rew_list.append(float(reward))
        done = terminated or truncated
    return obs_list, act_list, rew_list


def process_rewards(rewards, fault):
    r = np.array(rewards, dtype=np.float64)
    if fault == "f06":
        r = (r - r.mean()) / (r.std() + 1e-8)
    return r


def reward_to_go(rewards, gamma, fault):
    out = np.zeros(len(rewards))
    running = 0.0
    order = range(len(rewards)) if fault == "f01" else reversed(range(len(rewards)))
    for t in order:
        running = rewards[t] + gamma * running
        out[t] = running
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=80_000, help="environment steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    parser.add_argument("--batch-size", type=int, default=1000, help="environment steps per gradient step")
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--baseline-lr", type=float, default=1e-2)
    parser.add_argument("--baseline-steps", type=int, default=10)
    args = parser.parse_args()
    fault = args.fault

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    if fault == "f04":
        env = gym.make("CartPole-v1", max_episode_steps=25)
    else:
        env = gym.make("CartPole-v1")
    env.reset(seed=args.seed)
    env.action_space.seed(args.seed)

    policy = mlp(4, 2)
    baseline = mlp(4, 1)
    if fault == "f05":
        policy_opt = torch.optim.Adam(baseline.parameters(), lr=args.lr)
    else:
        policy_opt = torch.optim.Adam(policy.parameters(), lr=args.lr)
    baseline_opt = torch.optim.Adam(baseline.parameters(), lr=args.baseline_lr)

    total = 0
    iteration = 0
    while total < args.steps:
        # --- collect
        obs, acts, rtg, ep_returns = [], [], [], []
        while len(obs) < args.batch_size:
            o, a, r = sample_episode(env, policy, fault)
            obs += o
            acts += a
            ep_returns.append(sum(r))
            rtg += list(reward_to_go(process_rewards(r, fault), args.gamma, fault))
        total += len(obs)
        iteration += 1

        obs = torch.as_tensor(np.array(obs), dtype=torch.float32)
        acts = torch.as_tensor(acts)
        rtg = torch.as_tensor(np.array(rtg), dtype=torch.float32)
        mean, std = rtg.mean(), rtg.std() + 1e-6

        # --- advantages
        with torch.no_grad():
            predicted = baseline(obs).squeeze(1) * std + mean
        advantage = rtg - predicted
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)

        # --- policy step
        logp = torch.distributions.Categorical(logits=policy(obs)).log_prob(acts)
        policy_loss = -(logp * advantage).mean()
        if fault == "f02":
            policy_loss = (logp * advantage).mean()
        policy_opt.zero_grad()
        policy_loss.backward()
        policy_opt.step()

        # --- baseline steps, on normalized targets
        target = (rtg - mean) / std
        for _ in range(args.baseline_steps):
            value = baseline(obs)
            if fault != "f03":
                value = value.squeeze(1)
            baseline_loss = ((value - target) ** 2).mean()
            baseline_opt.zero_grad()
            baseline_loss.backward()
            baseline_opt.step()

        if iteration % 5 == 1:
            print(f"Iteration {iteration:4d} | steps {total:7d} | Average return {np.mean(ep_returns):7.2f} | "
                  f"Std {np.std(ep_returns):6.2f} | policy loss {policy_loss.item():8.4f} | baseline loss {baseline_loss.item():8.4f}",
                  flush=True)
    env.close()


if __name__ == "__main__":
    main()
