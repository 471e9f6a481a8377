"""PPO with a Gaussian policy; a probe has to come to rest at a beacon in the plane."""
import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


class Docking(gym.Env):
    """Two thrusters, a double integrator with drag. Docked when close and slow; lost when too far away."""

    def __init__(self, fault="none", limit=80):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.fault = fault
        self.limit = limit
        self.dt = 0.015 if fault == "f01" else 0.15

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        angle = self.np_random.uniform(0, 2 * np.pi)
        radius = self.np_random.uniform(1.0, 2.0)
        self.pos = radius * np.array([np.cos(angle), np.sin(angle)])
        self.vel = self.np_random.uniform(-0.3, 0.3, 2)
        self.t = 0
        self.dist = float(np.linalg.norm(self.pos))
        return self._observe(), {}

    def _observe(self):
        return np.concatenate([self.pos * 10.0, self.vel]).astype(np.float32)

    def step(self, action):
        thrust = np.clip(np.asarray(action, dtype=np.float64), -1, 1)
        self.vel = 0.98 * self.vel + self.dt * thrust
        self.pos = self.pos + self.dt * self.vel
        self.t += 1
        before, self.dist = self.dist, float(np.linalg.norm(self.pos))
        gain = before - self.dist
        if self.fault == "f04":
            gain = abs(gain)
        reward = gain - 0.01 - 0.005 * float(thrust @ thrust)
        docked = self.dist < 0.25 and np.linalg.norm(self.vel) < 0.4
        lost = self.dist > 4.0
        if docked:
            reward += 3.0
        if lost:
            reward -= 2.0
        return self._observe(), reward, bool(docked or lost), self.t >= self.limit, {"docked": docked}


class RunningNorm:
    def __init__(self, dim, fault):
        self.mean, self.m2, self.count = np.zeros(dim), np.ones(dim), 1.0
        self.fault = fault

    def update(self, rows):
        if self.fault == "f02":
            self.mean, self.m2, self.count = rows.mean(0), rows.var(0) * len(rows), len(rows)
            return
        for row in rows:
            self.count += 1
            d = row - self.mean
            self.mean = self.mean + d / self.count
            self.m2 = self.m2 + d * (row - self.mean)

    def __call__(self, x):
        std = np.sqrt(self.m2 / self.count) + 1e-6
        return np.clip((x - self.mean) / std, -8, 8).astype(np.float32)


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


class Policy(nn.Module):
    def __init__(self, obs_dim, act_dim, low_std=-5.0, high_std=0.5):
        super().__init__()
        self.mu = mlp([obs_dim, 64, 64, act_dim])
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.5))
        self.bounds = (low_std, high_std)
        with torch.no_grad():
            self.mu[-1].weight.mul_(0.1)

    def forward(self, obs):
        return Normal(self.mu(obs), self.log_std.clamp(*self.bounds).exp())


def gae(rew, val, after, term, cut, gamma, lam, fault):
    """after: values of the states that followed each row (before any reset)."""
    adv = np.zeros_like(rew)
    last = np.zeros(rew.shape[1], dtype=np.float32)
    order = range(len(rew) - 1, -1, -1)
    if fault == "f06":
        order = range(len(rew))
    for t in order:
        delta = rew[t] + gamma * (1 - term[t]) * after[t] - val[t]
        last = delta + gamma * lam * (1 - np.maximum(term[t], cut[t])) * last
        adv[t] = last
    return adv


class Trainer:
    gamma, lam, clip = 0.98, 0.95, 0.2
    n_envs, length, epochs, mb = 4, 256, 8, 128

    def __init__(self, args):
        self.args, self.fault = args, args.fault
        self.envs = [Docking(args.fault) for _ in range(self.n_envs)]
        self.test_env = Docking(args.fault)
        self.norm = RunningNorm(4, args.fault)
        self.pi = Policy(4, 2, high_std=-3.0) if self.fault == "f09" else Policy(4, 2)
        self.vf = mlp([4, 64, 64, 1])
        self.opt = torch.optim.Adam([
            {"params": self.pi.parameters(), "lr": 7e-4},
            {"params": self.vf.parameters(), "lr": 1e-3},
        ])
        self.raw = np.stack([env.reset(seed=args.seed * 100 + i)[0] for i, env in enumerate(self.envs)])
        self.norm.update(self.raw)
        self.episode = np.zeros(self.n_envs)
        self.history = []

    @torch.no_grad()
    def values(self, obs):
        return self.vf(torch.from_numpy(obs)).squeeze(-1).numpy()

    def collect(self):
        keys = ("obs", "act", "logp", "rew", "val", "after", "term", "cut")
        data = {k: [] for k in keys}
        for _ in range(self.length):
            obs = self.norm(self.raw)
            with torch.no_grad():
                d = self.pi(torch.from_numpy(obs))
                act = d.sample()
                logp = d.log_prob(act).sum(-1)
            nxt, rew, term, cut = [], [], [], []
            for i, env in enumerate(self.envs):
                move = act[i].numpy()
                if self.fault == "f03":
                    move = act[0].numpy()
                o, r, te, tr, _ = env.step(move)
                nxt.append(o)
                rew.append(r)
                term.append(te)
                cut.append(tr)
            raw_next = np.stack(nxt)
            after = self.values(self.norm(raw_next))
            row = (obs, act.numpy(), logp.numpy(), np.array(rew, dtype=np.float32), self.values(obs), after,
                   np.array(term, dtype=np.float32), np.array(cut, dtype=np.float32))
            for k, x in zip(keys, row):
                data[k].append(x)
            self.episode += rew
            for i, env in enumerate(self.envs):
                if term[i] or cut[i]:
                    self.history.append(self.episode[i])
                    self.episode[i] = 0.0
                    raw_next[i] = env.reset()[0]
            self.raw = raw_next
            self.norm.update(self.raw)
        return {k: np.stack(v) for k, v in data.items()}

    def learn(self, data):
        adv = gae(data["rew"], data["val"], data["after"], data["term"], data["cut"],
                  self.gamma, self.lam, self.fault)
        ret = adv + data["val"]
        flat = lambda x: torch.from_numpy(x.reshape(-1, *x.shape[2:]))
        obs, act, old_logp, old_val = (flat(data[k]) for k in ("obs", "act", "logp", "val"))
        adv, ret = flat(adv), flat(ret)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(self.epochs):
            order = torch.randperm(len(obs))
            for k in range(0, len(obs), self.mb):
                i = order[k:k + self.mb]
                if self.fault == "f05":
                    i = torch.randint(self.mb, (self.mb,))
                d = self.pi(obs[i])
                logp = d.log_prob(act[i]).sum(-1)
                before = old_logp[i]
                if self.fault == "f08":
                    before = logp.detach()
                ratio = torch.exp(logp - before)
                gain = torch.min(ratio * adv[i], ratio.clamp(1 - self.clip, 1 + self.clip) * adv[i]).mean()
                value = self.vf(obs[i]).squeeze(-1)
                if self.fault == "f07":
                    value = old_val[i]
                loss = -gain + 0.5 * (value - ret[i]).square().mean() - 1e-3 * d.entropy().sum(-1).mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([p for g in self.opt.param_groups for p in g["params"]], 1.0)
                self.opt.step()

    def test(self, episodes=10):
        total, docked = 0.0, 0
        for k in range(episodes):
            obs, _ = self.test_env.reset(seed=50_000 + k)
            over = False
            while not over:
                x = self.norm(obs)
                if self.fault == "f10":
                    x = obs
                with torch.no_grad():
                    act = self.pi(torch.from_numpy(x)).mean.numpy()
                obs, r, te, tr, info = self.test_env.step(act)
                total += r
                over = te or tr
            docked += info["docked"]
        return total / episodes, docked / episodes

    def run(self):
        per = self.n_envs * self.length
        rounds = max(1, self.args.steps // per)
        for it in range(1, rounds + 1):
            self.learn(self.collect())
            if it % 8 == 0 or it == rounds:
                train = np.mean(self.history[-30:]) if self.history else float("nan")
                ret, rate = self.test()
                print(f"[{it * per:6d}] train {train:6.2f}  test {ret:6.2f}  docked {rate:.0%}", flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", type=str, default="none")
    ap.add_argument("--steps", type=int, default=50_000)
    cli = ap.parse_args()
    torch.set_num_threads(1)
    np.random.seed(cli.seed)
    torch.manual_seed(cli.seed)
    Trainer(cli).run()
