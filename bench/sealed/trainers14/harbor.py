"""TD3 for a crane that carries a hanging load over a target."""
import argparse
import math
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", default="")
args = parser.parse_args()
fault = args.fault

hp = SimpleNamespace(gamma=0.97, tau=0.01, batch=128, warmup=1000, sigma=0.15, smooth=0.2, smooth_clip=0.5, delay=2,
                     lr=1e-3, horizon=5 if fault == "f01" else 80)


class Crane(gym.Env):
    BOUND = 2.0

    def __init__(self, horizon):
        self.horizon = horizon
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (5,), np.float32)
        self.action_space = gym.spaces.Box(-self.BOUND, self.BOUND, (1,), np.float32)

    def _o(self):
        return np.array([self.x - self.goal, self.v, math.sin(self.th), self.om, self.x / 3.0], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-2.5, 2.5)
        self.goal = self.np_random.uniform(-2.0, 2.0)
        self.v, self.th, self.om, self.t = 0.0, 0.0, 0.0, 0
        return self._o(), {}

    def step(self, action):
        u = float(np.clip(action[0], -self.BOUND, self.BOUND))
        acc = u - 0.3 * self.v
        self.om += 0.1 * (-4.0 * math.sin(self.th) - acc * math.cos(self.th) - 0.2 * self.om)
        self.th += 0.1 * self.om
        self.v += 0.1 * acc
        self.x = min(4.0, max(-4.0, self.x + 0.1 * self.v))
        self.t += 1
        load = self.x + 0.5 * math.sin(self.th) - self.goal
        reward = -0.1 * (load * load + 0.1 * self.om * self.om + 0.02 * u * u)
        return self._o(), reward, False, self.t >= self.horizon, {}


def make(n_in, n_out, squash=False):
    ls = [nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_out)]
    return nn.Sequential(*ls, nn.Tanh()) if squash else nn.Sequential(*ls)


class Memory:
    def __init__(self, cap):
        self.cap, self.rows, self.k = cap, None, 0

    def add(self, *row):
        flat = np.concatenate([np.atleast_1d(np.asarray(c, np.float32)) for c in row])
        if self.rows is None:
            self.rows = np.zeros((self.cap, flat.size), np.float32)
        self.rows[self.k % self.cap] = flat
        self.k += 1

    def draw(self, n):
        b = torch.from_numpy(self.rows[np.random.randint(0, min(self.k, self.cap), n)])
        return b[:, 0:5], b[:, 5:6], b[:, 6:7], b[:, 7:12], b[:, 12:13]


class TD3:
    def __init__(self, bound):
        self.bound = bound
        self.mu, self.mu_t = make(5, 1, True), make(5, 1, True)
        self.qa, self.qb = make(6, 1), make(6, 1)
        self.qa_t, self.qb_t = make(6, 1), make(6, 1)
        self.pairs = [(self.mu, self.mu_t), (self.qa, self.qa_t), (self.qb, self.qb_t)]
        for src, dst in self.pairs:
            dst.load_state_dict(src.state_dict())
        self.opt_mu = torch.optim.Adam(self.mu.parameters(), lr=hp.lr)
        self.opt_q = torch.optim.Adam([*self.qa.parameters(), *self.qb.parameters()], lr=hp.lr)
        self.n = 0
        self.info = {}

    @torch.no_grad()
    def act(self, obs):
        return self.bound * self.mu(torch.from_numpy(obs)).numpy()

    def q(self, f, s, a):
        return f(torch.cat([s, a / self.bound], 1))

    def step(self, mem):
        self.n += 1
        s, a, r, s2, d = mem.draw(hp.batch)
        with torch.no_grad():
            eps = (torch.randn_like(a) * hp.smooth).clamp(-hp.smooth_clip, hp.smooth_clip)
            a2 = (self.mu_t(s2) + eps).clamp(-1, 1) * self.bound
            y = r + hp.gamma * (1 - d) * torch.min(self.q(self.qa_t, s2, a2), self.q(self.qb_t, s2, a2))
        la = (self.q(self.qa, s, a) - y).pow(2).mean()
        lb = (self.q(self.qa if fault == "f04" else self.qb, s, a) - y).pow(2).mean()
        self.opt_q.zero_grad()
        (la + lb).backward()
        self.opt_q.step()
        self.info["q_loss"] = (la + lb).item()
        if self.n % hp.delay == 0:
            gain = self.q(self.qa, s, self.bound * self.mu(s)).mean()
            mu_loss = gain if fault == "f02" else -gain
            self.opt_mu.zero_grad()
            mu_loss.backward()
            self.opt_mu.step()
            self.info["q"] = gain.item()
            with torch.no_grad():
                for src, dst in self.pairs:
                    for p, pt in zip(src.parameters(), dst.parameters()):
                        pt.lerp_(p, hp.tau)


def shape_reward(r):
    if fault == "f05":
        return np.clip(r, 0.0, 1.0)
    return np.clip(r, -10.0, 10.0)


def test(agent, env, n=5):
    rets = []
    for i in range(n):
        o, _ = env.reset(seed=500 + i)
        total, over = 0.0, False
        while not over:
            o, r, te, tr, _ = env.step(agent.act(o))
            total += r
            over = te or tr
        rets.append(total)
    return np.mean(rets)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env, eval_env = Crane(hp.horizon), Crane(hp.horizon)
    agent, mem = TD3(env.BOUND), Memory(50000)
    obs, _ = env.reset(seed=args.seed)
    ret, rets = 0.0, []
    noise = hp.sigma * env.BOUND * np.random.randn(1)
    for t in range(1, args.steps + 1):
        if t <= hp.warmup and fault != "f03":
            a = np.random.uniform(-env.BOUND, env.BOUND, 1)
        else:
            if fault != "f03":
                noise = hp.sigma * env.BOUND * np.random.randn(1)
            a = np.clip(agent.act(obs) + noise, -env.BOUND, env.BOUND)
        nxt, r, te, tr, _ = env.step(a)
        mem.add(obs, a, shape_reward(r), nxt, float(te))
        ret += r
        obs = nxt
        if te or tr:
            rets.append(ret)
            ret = 0.0
            obs, _ = env.reset()
        if t > hp.warmup:
            agent.step(mem)
        if t % 1000 == 0:
            print(f"{t:6d}  train {np.mean(rets[-10:]):8.2f}  test {test(agent, eval_env):8.2f}  "
                  + "  ".join(f"{k} {v:.3f}" for k, v in agent.info.items()), flush=True)


if __name__ == "__main__":
    main()
