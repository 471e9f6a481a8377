"""Double DQN with uniform replay. A capsule has to dock: arrive slowly, in time, without drifting off."""
import argparse
import copy
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class DockEnv(gym.Env):
    """One axis, three thrusts. Position in metres, velocity in metres per second."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(
            np.array([-10.0, -2.0], np.float32), np.array([10.0, 2.0], np.float32), dtype=np.float32
        )
        self.action_space = gym.spaces.Discrete(3)

    def _state(self):
        return np.array([self.x, self.v], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        side = 1.0 if self.np_random.random() < 0.5 else -1.0
        self.x = side * self.np_random.uniform(3.0, 8.0)
        self.v = self.np_random.uniform(-0.5, 0.5)
        return self._state(), {}

    def step(self, action):
        thrust = int(action) - 1
        before = abs(self.x)
        self.v = float(np.clip(self.v + 0.2 * thrust, -2.0, 2.0))
        self.x += 0.5 * self.v
        docked = abs(self.x) < 0.5 and abs(self.v) < 0.35
        lost = abs(self.x) >= 10.0
        self.x = float(np.clip(self.x, -10.0, 10.0))
        reward = -0.05 - 0.02 * abs(thrust) + 0.05 * (before - abs(self.x))
        if docked:
            reward += 2.0
        if lost:
            reward -= 2.0
        return self._state(), reward, docked or lost, False, {}


def make_env():
    return ScaleObs(gym.wrappers.TimeLimit(DockEnv(), max_episode_steps=60))


class ScaleObs(gym.ObservationWrapper):
    """Divides each column by its largest value so that all are in [-1, 1]."""

    def __init__(self, env):
        super().__init__(env)
        self.scale = env.observation_space.high.astype(np.float32)
        self.observation_space = gym.spaces.Box(-1.0, 1.0, env.observation_space.shape, np.float32)

    def observation(self, obs):
        return (obs / self.scale).astype(np.float32)


class ReplayMemory:
    def __init__(self, capacity, obs_dim, fault):
        self.capacity, self.fault = capacity, fault
        self.s = np.zeros((capacity, obs_dim), np.float32)
        self.s2 = np.zeros((capacity, obs_dim), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.d = np.zeros(capacity, np.float32)
        self.ptr, self.full = 0, False

    def __len__(self):
        return self.capacity if self.full else self.ptr

    def push(self, s, a, r, s2, d):
        i = self.ptr
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.ptr = (i + 1) % self.capacity
        self.full = self.full or self.ptr == 0

    def sample(self, n):
        hi = self.capacity if self.fault == "f01" else len(self)
        idx = np.random.randint(0, hi, size=n)
        return tuple(torch.from_numpy(x[idx]) for x in (self.s, self.a, self.r, self.s2, self.d))


class QNet(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_out))

    def forward(self, x):
        return self.net(x)


class DQNAgent:
    gamma = 0.97
    batch = 64
    lr = 1e-3
    start_after = 500
    train_every = 2
    sync_every = 200
    eps_start, eps_end, eps_fraction = 1.0, 0.03, 0.25

    def __init__(self, args):
        self.args = args
        self.env = make_env()
        self.test_env = make_env()
        self.n_act = self.env.action_space.n
        self.q = QNet(2, self.n_act)
        self.q_target = self.q if args.fault == "f06" else copy.deepcopy(self.q)
        params = self.q_target.parameters() if args.fault == "f08" else self.q.parameters()
        self.opt = torch.optim.Adam(params, lr=self.lr)
        self.memory = ReplayMemory(10_000, 2, args.fault)

    def epsilon(self, step):
        span = self.eps_fraction * self.args.steps
        done = step / span
        if self.args.fault == "f03":
            done = step // self.args.steps
        return max(self.eps_end, self.eps_start - (self.eps_start - self.eps_end) * done)

    @torch.no_grad()
    def greedy(self, obs):
        return int(self.q(torch.from_numpy(obs).unsqueeze(0)).argmax(dim=1))

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_act)
        return self.greedy(obs)

    def learn(self):
        s, a, r, s2, d = self.memory.sample(self.batch)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            target = r + self.gamma * (1 - d) * self.q_target(s2).gather(1, best).squeeze(1)
        pred = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(pred, target)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.opt.step()
        return loss.item(), pred.mean().item()

    def test(self, episodes=10):
        total = 0.0
        for k in range(episodes):
            obs, _ = self.test_env.reset(seed=31337 + k)
            over = False
            while not over:
                if self.args.fault == "f05":
                    a = self.act(obs, self.eps_start)
                else:
                    a = self.act(obs, 0.0)
                obs, r, term, trunc, _ = self.test_env.step(a)
                total += float(r)
                over = term or trunc
        return total / episodes

    def run(self):
        args = self.args
        obs, _ = self.env.reset(seed=args.seed)
        ep_ret, last_reward, history = 0.0, 0.0, []
        loss = qmean = float("nan")
        for step in range(1, args.steps + 1):
            eps = self.epsilon(step)
            action = self.act(obs, eps)
            stored = action
            if args.fault == "f02":
                stored = self.greedy(obs)
            nxt, reward, term, trunc, _ = self.env.step(action)
            ep_ret += float(reward)

            keep = nxt
            if args.fault == "f09":
                keep = nxt * self.env.scale
            paid = last_reward if args.fault == "f07" else reward
            last_reward = float(reward)
            done = term
            if args.fault == "f04":
                done = term or trunc
            self.memory.push(obs, stored, paid, keep, float(done))

            obs = nxt
            if term or trunc:
                history.append(ep_ret)
                ep_ret = 0.0
                obs, _ = self.env.reset()

            if step > self.start_after and step % self.train_every == 0:
                loss, qmean = self.learn()
            if step % self.sync_every == 0:
                self.q_target.load_state_dict(self.q.state_dict())

            if step % 500 == 0:
                avg = np.mean(history[-20:]) if history else float("nan")
                print(f"{step:6d} | episodes {len(history):4d} | return {avg:8.3f} | eps {eps:.2f} | loss {loss:.4f} | q {qmean:.2f}")
            if step % 1500 == 0:
                print(f"{step:6d} | test return {self.test():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=15_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="none")
    args = parser.parse_args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    DQNAgent(args).run()
