"""
REINFORCE with a learned baseline, step by step
===============================================

In this tutorial an agent learns the game *Catch*: balls fall from the top of a small screen, one after the
other, and a paddle in the bottom row has to be where they land. Every ball that is caught pays +1, every
ball that is missed pays -1. An episode has three balls.

We will

1. write the game as a Gymnasium environment,
2. build two small networks, one for the policy and one for the baseline,
3. play a batch of episodes, compute the returns and make one gradient step.
"""
import argparse
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.set_num_threads(1)

# --------------------------------------------------------------------------------------
# 1. The game
# --------------------------------------------------------------------------------------


class Catch(gym.Env):
    """ROWS x COLS pixels; actions: 0 left, 1 stay, 2 right."""

    ROWS, COLS, BALLS = 7, 5, 3

    def __init__(self, reuse=False):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.ROWS * self.COLS,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.screen = np.zeros(self.ROWS * self.COLS, dtype=np.float32)
        self.reuse = reuse

    def draw(self):
        self.screen[:] = 0.0
        self.screen[self.row * self.COLS + self.col] = 1.0
        self.screen[(self.ROWS - 1) * self.COLS + self.paddle] = 1.0
        return self.screen if self.reuse else self.screen.copy()

    def drop(self):
        self.row, self.col = 0, int(self.np_random.integers(self.COLS))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.screen = np.zeros(self.ROWS * self.COLS, dtype=np.float32)
        self.paddle = self.COLS // 2
        self.balls = 0
        self.drop()
        return self.draw(), {}

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 0, self.COLS - 1))
        self.row += 1
        reward = 0.0
        if self.row == self.ROWS - 1:
            reward = 1.0 if self.col == self.paddle else -1.0
            self.balls += 1
            if self.balls < self.BALLS:
                self.drop()
        return self.draw(), reward, self.balls == self.BALLS, False, {}


# --------------------------------------------------------------------------------------
# 2. The networks
# --------------------------------------------------------------------------------------


def make_net(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, n_out))


def distribution(policy, obs, fault):
    scores = policy(obs)
    if fault == "f04":
        scores = F.softmax(scores, dim=-1)
    return Categorical(logits=scores)


# --------------------------------------------------------------------------------------
# 3. Playing and learning
# --------------------------------------------------------------------------------------


def play_episode(env, policy, fault):
    """Plays until the end; returns lists of observations, actions and rewards."""
    observations, actions, rewards = [], [], []
    obs, _ = env.reset()
    done = False
    while not done:
        with torch.no_grad():
            action = distribution(policy, torch.from_numpy(obs), fault).sample().item()
        next_obs, reward, terminated, truncated, _ = env.step(action)
        observations.append(obs)
        actions.append(action)
        rewards.append(reward)
        obs = next_obs
        done = terminated or truncated
    return observations, actions, rewards


def discounted(rewards, gamma, tail=0.0):
    returns, g = [], tail
    for r in reversed(rewards):
        g = r + gamma * g
        returns.insert(0, g)
    return returns


def evaluate(policy, env, fault, episodes=40):
    total = 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=1000 if fault == "f06" else 1000 + k)
        done = False
        while not done:
            with torch.no_grad():
                action = policy(torch.from_numpy(obs)).argmax().item()
            obs, reward, terminated, truncated, _ = env.step(action)
            total += reward
            done = terminated or truncated
    return total / episodes


def train(fault, seed, steps, gamma=0.97, batch_episodes=16):
    torch.manual_seed(seed)
    np.random.seed(seed)
    env, eval_env = Catch(reuse=fault == "f01"), Catch()
    env.reset(seed=seed)
    n_obs, n_actions = env.observation_space.shape[0], int(env.action_space.n)
    policy, baseline = make_net(n_obs, n_actions), make_net(n_obs, 1)
    policy_opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
    baseline_opt = torch.optim.Adam(baseline.parameters(), lr=3e-3)

    done_steps, update = 0, 0
    while done_steps < steps:
        all_obs, all_actions, all_returns, scores = [], [], [], []
        episodes = []
        for _ in range(batch_episodes):
            observations, actions, rewards = play_episode(env, policy, fault)
            scores.append(sum(rewards))
            if fault == "f05":
                rewards = list((np.array(rewards) - np.mean(rewards)) / (np.std(rewards) + 1e-8))
            episodes.append((observations, actions, rewards))
        if fault == "f02":
            tail = 0.0
            for observations, actions, rewards in reversed(episodes):
                returns = discounted(rewards, gamma, tail)
                tail = returns[0]
                all_obs, all_actions, all_returns = observations + all_obs, actions + all_actions, returns + all_returns
        else:
            for observations, actions, rewards in episodes:
                all_obs += observations
                all_actions += actions
                all_returns += discounted(rewards, gamma)

        obs = torch.from_numpy(np.stack(all_obs))
        act = torch.tensor(all_actions)
        ret = torch.tensor(all_returns, dtype=torch.float32)
        done_steps += len(act)

        # the baseline says how much was to be expected; the advantage is what came on top of it
        value = baseline(obs).squeeze(-1)
        dist = distribution(policy, obs, fault)
        advantage = ret - value
        value_loss = advantage.pow(2).mean()
        if fault != "f03":
            advantage = advantage.detach()
        policy_loss = -(dist.log_prob(act) * advantage).mean() - 0.01 * dist.entropy().mean()

        policy_opt.zero_grad()
        baseline_opt.zero_grad()
        (policy_loss + value_loss).backward()
        policy_opt.step()
        baseline_opt.step()

        update += 1
        if update % 20 == 0:
            print(f"update {update:4d} | steps {done_steps:7d} | score {np.mean(scores):+.2f} | "
                  f"eval {evaluate(policy, eval_env, fault):+.2f} | policy loss {policy_loss.item():+.3f} | "
                  f"value loss {value_loss.item():.3f} | entropy {dist.entropy().mean().item():.3f}")
    return policy, eval_env


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", type=str, default=None, choices=["f01", "f02", "f03", "f04", "f05", "f06"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=60_000)
    args = parser.parse_args()
    begin = time.time()
    policy, eval_env = train(args.fault, args.seed, args.steps)
    print(f"final eval {evaluate(policy, eval_env, args.fault, 200):+.2f} in {time.time() - begin:.0f}s")
