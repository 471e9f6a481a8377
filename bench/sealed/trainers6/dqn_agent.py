"""Double DQN for Acrobot, as an agent class, a replay memory and a runner."""
import argparse
import copy
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class SkipFrame(gym.Wrapper):
    """Repeats each action and adds up its rewards."""

    def __init__(self, env, skip, fault):
        super().__init__(env)
        self.skip = skip
        self.fault = fault

    def step(self, action):
        total = 0.0
        for _ in range(self.skip):
            obs, reward, terminated, truncated, info = self.env.step(action)
            total += reward
            if terminated or truncated:
                break
        if self.fault == "f10":
            return obs, total, truncated, terminated, info
        return obs, total, terminated, truncated, info


class ReplayMemory:
    def __init__(self, capacity, obs_dim, fault):
        self.capacity = capacity
        self.fault = fault
        self.obs = np.zeros((capacity, obs_dim), np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), np.float32)
        self.actions = np.zeros(capacity, np.int64)
        self.rewards = np.zeros(capacity, np.float32)
        self.dones = np.zeros(capacity, np.float32)
        self.position = 0
        self.full = False

    def __len__(self):
        return self.capacity if self.full else self.position

    def push(self, obs, action, reward, next_obs, done):
        i = self.position
        self.obs[i] = obs
        self.actions[i] = action
        self.rewards[i] = reward
        if self.fault == "f04":
            self.next_obs[i] = obs
        else:
            self.next_obs[i] = next_obs
        self.dones[i] = done
        self.position = (i + 1) % self.capacity
        self.full = self.full or self.position == 0

    def sample(self, batch_size):
        idx = np.random.randint(0, len(self), size=batch_size)
        return (
            torch.from_numpy(self.obs[idx]),
            torch.from_numpy(self.actions[idx]),
            torch.from_numpy(self.rewards[idx]),
            torch.from_numpy(self.next_obs[idx]),
            torch.from_numpy(self.dones[idx]),
        )


class DQNAgent:
    def __init__(self, obs_dim, n_actions, total_steps, fault):
        self.fault = fault
        self.n_actions = n_actions
        self.gamma = 0.97
        self.batch_size = 64
        self.warmup = 500
        self.sync_every = 200
        self.eps_start, self.eps_end = 1.0, 0.05
        self.eps_steps = max(1, int(0.25 * total_steps))
        self.scale = np.array([1, 1, 1, 1, 1 / (4 * np.pi), 1 / (9 * np.pi)], np.float32)

        self.q = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_actions))
        self.q_target = copy.deepcopy(self.q)
        params = self.q_target.parameters() if fault == "f06" else self.q.parameters()
        self.optimizer = torch.optim.Adam(params, lr=1e-3)
        self.loss_fn = nn.SmoothL1Loss()
        self.memory = ReplayMemory(20000, obs_dim, fault)
        self.steps = 0
        self.updates = 0

    def epsilon(self):
        fraction = self.steps / self.eps_steps
        value = self.eps_start + fraction * (self.eps_end - self.eps_start)
        if self.fault == "f03":
            return max(self.eps_start, value)
        return max(self.eps_end, value)

    def features(self, obs):
        return obs * self.scale

    def act(self, obs, explore=True):
        if explore and random.random() < self.epsilon():
            return random.randrange(self.n_actions)
        with torch.no_grad():
            q = self.q(torch.from_numpy(self.features(obs)).unsqueeze(0))
        if self.fault == "f05":
            return int(q.argmax(dim=0)[0])
        return int(q.argmax(dim=1)[0])

    def remember(self, obs, action, reward, next_obs, terminated, truncated):
        reward = reward / 4.0
        if self.fault == "f07":
            reward = np.clip(reward, 0, 1)
        done = terminated
        if self.fault == "f02":
            done = terminated or truncated
        if self.fault == "f08":
            self.memory.push(obs, action, reward, next_obs, done)
        else:
            self.memory.push(self.features(obs), action, reward, self.features(next_obs), done)
        self.steps += 1

    def learn(self):
        if len(self.memory) < self.warmup:
            return None
        obs, actions, rewards, next_obs, dones = self.memory.sample(self.batch_size)
        with torch.no_grad():
            best = self.q(next_obs).argmax(dim=1, keepdim=True)
            next_q = self.q_target(next_obs).gather(1, best).squeeze(1)
            target = rewards + self.gamma * (1 - dones) * next_q
        q = self.q(obs).gather(1, actions.unsqueeze(1)).squeeze(1)
        loss = self.loss_fn(q, target)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optimizer.step()
        self.updates += 1
        if self.updates % self.sync_every == 0:
            if self.fault == "f01":
                self.q_target.load_state_dict(self.q_target.state_dict())
            else:
                self.q_target.load_state_dict(self.q.state_dict())
        return loss.item()


class Runner:
    def __init__(self, args):
        self.args = args
        self.env = self.make_env()
        self.test_env = self.make_env()
        self.agent = DQNAgent(self.env.observation_space.shape[0], self.env.action_space.n, args.steps, args.fault)
        self.test_agent = copy.deepcopy(self.agent) if args.fault == "f09" else self.agent

    def make_env(self):
        return SkipFrame(gym.make("Acrobot-v1"), 4, self.args.fault)

    def test(self, episodes=5):
        scores = []
        for k in range(episodes):
            obs, _ = self.test_env.reset(seed=7000 + k)
            score, done = 0.0, False
            while not done:
                action = self.test_agent.act(obs, explore=False)
                obs, reward, terminated, truncated, _ = self.test_env.step(action)
                score += reward
                done = terminated or truncated
            scores.append(score)
        return float(np.mean(scores))

    def train(self):
        obs, _ = self.env.reset(seed=self.args.seed)
        score, loss = 0.0, None
        scores = deque(maxlen=10)
        for step in range(1, self.args.steps + 1):
            action = self.agent.act(obs)
            next_obs, reward, terminated, truncated, _ = self.env.step(action)
            self.agent.remember(obs, action, reward, next_obs, terminated, truncated)
            loss = self.agent.learn()
            score += reward
            obs = next_obs
            if terminated or truncated:
                scores.append(score)
                score = 0.0
                obs, _ = self.env.reset()
            if step % 1000 == 0:
                mean = np.mean(scores) if scores else float("nan")
                print(f"[{step:6d}] eps {self.agent.epsilon():.2f}  loss {loss if loss is not None else 0:.4f}  return(10) {mean:.1f}")
            if step % 2500 == 0:
                print(f"[{step:6d}] test {self.test():.1f}")
        print(f"test at the end: {self.test(10):.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default=None)
    args = parser.parse_args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    Runner(args).train()
