"""Level and temperature control of a mixing tank by PPO.

Two valves (hot, cold) feed a tank which drains by itself. Signals come in the plant's own
units (litres, kelvin, litres per step), so observations are normalised on the way in.
"""
import argparse
from dataclasses import dataclass, fields

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


@dataclass
class Config:
    steps: int = 140_000
    seed: int = 0
    fault: str = "none"
    n_envs: int = 8
    horizon: int = 256
    gamma: float = 0.98
    lam: float = 0.95
    lr: float = 5e-4
    epochs: int = 8
    minibatch: int = 256
    clip: float = 0.2
    vf_coef: float = 0.5
    ent_coef: float = 0.001
    max_grad_norm: float = 0.5
    eval_every: int = 10


def read_config() -> Config:
    ap = argparse.ArgumentParser(description=__doc__)
    for f in fields(Config):
        ap.add_argument("--" + f.name.replace("_", "-"), type=f.type if callable(f.type) else eval(f.type), default=f.default)
    return Config(**vars(ap.parse_args()))


class MixingTank(gym.Env):
    """obs: level [l], temperature [K], outflow [l/step], level setpoint [l], temperature setpoint [K]"""

    HOT, COLD = 350.0, 285.0
    MAX_FLOW = 6.0
    CAPACITY = 200.0

    def __init__(self, episode_len=150):
        self.episode_len = episode_len
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        low = np.array([0.0, 270.0, 0.0, 0.0, 270.0], np.float32)
        high = np.array([220.0, 360.0, 10.0, 220.0, 360.0], np.float32)
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)

    def _obs(self):
        return np.array([self.level, self.temp, self.outflow, self.level_sp, self.temp_sp], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.level = rng.uniform(60.0, 140.0)
        self.temp = rng.uniform(295.0, 335.0)
        self.level_sp = rng.uniform(70.0, 130.0)
        self.temp_sp = rng.uniform(300.0, 330.0)
        self.outflow = 0.4 * np.sqrt(self.level)
        self.t = 0
        return self._obs(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        hot, cold = self.MAX_FLOW * (a + 1.0) / 2.0
        self.outflow = 0.4 * np.sqrt(self.level) * float(self.np_random.uniform(0.9, 1.1))
        before = max(self.level - self.outflow, 1e-3)
        self.temp = (before * self.temp + hot * self.HOT + cold * self.COLD) / (before + hot + cold)
        self.level = before + hot + cold
        self.t += 1

        err_level = abs(self.level - self.level_sp) / 30.0
        err_temp = abs(self.temp - self.temp_sp) / 15.0
        reward = 1.0 - err_level - err_temp
        terminated = bool(self.level > self.CAPACITY or self.level < 20.0)
        if terminated:
            reward -= 20.0
        truncated = self.t >= self.episode_len and not terminated
        return self._obs(), float(reward), terminated, truncated, {}


class RunningMoments:
    """Mean and variance of a stream of batches (parallel algorithm)."""

    def __init__(self, shape=()):
        self.mean = np.zeros(shape, np.float64)
        self.var = np.ones(shape, np.float64)
        self.count = 1e-4

    def push(self, x):
        x = np.asarray(x, np.float64)
        m, v, n = x.mean(0), x.var(0), x.shape[0]
        d = m - self.mean
        tot = self.count + n
        self.var = (self.var * self.count + v * n + d * d * self.count * n / tot) / tot
        self.mean = self.mean + d * n / tot
        self.count = tot

    @property
    def std(self):
        return np.sqrt(self.var + 1e-8)


class ObsFilter:
    def __init__(self, dim, fault):
        self.m = RunningMoments((dim,))
        self.fault = fault

    def __call__(self, obs, learn=True):
        if learn:
            self.m.push(obs)
        spread = self.m.var if self.fault == "f01" else self.m.std
        return np.clip((obs - self.m.mean) / spread, -8.0, 8.0).astype(np.float32)


class RewardScaler:
    """Divides rewards by the standard deviation of the running discounted return."""

    def __init__(self, n, gamma, fault):
        self.m = RunningMoments()
        self.acc = np.zeros(n)
        self.gamma = gamma
        self.fault = fault

    def __call__(self, rewards, over):
        self.acc = self.acc * self.gamma + rewards
        self.m.push(self.acc)
        self.acc[over] = 0.0
        scaled = rewards / self.m.std
        return np.clip(scaled, 0.0, 10.0) if self.fault == "f03" else np.clip(scaled, -10.0, 10.0)


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, o))


class GaussianActor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.mu = mlp(n_obs, n_act)
        with torch.no_grad():
            self.mu[-1].weight.mul_(0.1)
            self.mu[-1].bias.zero_()
        self.log_std = nn.Parameter(torch.full((n_act,), -0.5))

    def forward(self, x):
        return Normal(self.mu(x), self.log_std.exp().expand(x.shape[0], -1))


def evaluate(env, actor, obs_filter, episodes, seed, fault):
    scores = []
    for k in range(episodes):
        o, _ = env.reset(seed=seed + k)
        total, over = 0.0, False
        while not over:
            x = o.astype(np.float32) if fault == "f05" else obs_filter(o[None], learn=False)[0]
            with torch.no_grad():
                a = actor.mu(torch.from_numpy(x)[None])[0].numpy()
            o, r, term, trunc, _ = env.step(np.clip(a, -1.0, 1.0))
            total += r
            over = term or trunc
        scores.append(total)
    return float(np.mean(scores))


def train(cfg: Config):
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    envs = [MixingTank() for _ in range(cfg.n_envs)]
    test_env = MixingTank()
    n_obs, n_act = 5, 2
    actor, critic = GaussianActor(n_obs, n_act), mlp(n_obs, 1)
    params = list(actor.parameters()) + list(critic.parameters())
    opt = torch.optim.AdamW(params, lr=cfg.lr, weight_decay=0.0, eps=1e-5)
    obs_filter = ObsFilter(n_obs, cfg.fault)
    rew_scaler = RewardScaler(cfg.n_envs, cfg.gamma, cfg.fault)

    raw = np.stack([e.reset(seed=cfg.seed * 1000 + i)[0] for i, e in enumerate(envs)])
    x = obs_filter(raw)
    H, N = cfg.horizon, cfg.n_envs
    score, finished = np.zeros(N), []
    iters = max(1, cfg.steps // (H * N))

    for it in range(iters):
        S = np.zeros((H, N, n_obs), np.float32)
        A = np.zeros((H, N, n_act), np.float32)
        LP = np.zeros((H, N), np.float32)
        R = np.zeros((H, N), np.float32)
        V = np.zeros((H, N), np.float32)
        V_next = np.zeros((H, N), np.float32)
        CUT = np.zeros((H, N), np.float32)
        for t in range(H):
            with torch.no_grad():
                xt = torch.from_numpy(x)
                dist = actor(xt)
                a = dist.sample()
                LP[t] = dist.log_prob(a).sum(-1).numpy()
                V[t] = critic(xt).squeeze(-1).numpy()
            a = a.numpy()
            S[t] = x
            sent = np.clip(a, -1.0, 1.0)
            A[t] = sent if cfg.fault == "f02" else a

            rew = np.zeros(N)
            term, trunc = np.zeros(N, bool), np.zeros(N, bool)
            landed = np.zeros_like(raw)
            for i, e in enumerate(envs):
                landed[i], rew[i], term[i], trunc[i], _ = e.step(sent[i])
            over = term | trunc
            score += rew
            R[t] = rew_scaler(rew, over)
            CUT[t] = over

            after = obs_filter(landed)
            with torch.no_grad():
                V_next[t] = critic(torch.from_numpy(after)).squeeze(-1).numpy() * ~term

            raw = landed
            if over.any():
                raw = landed.copy()
                for i in np.flatnonzero(over).tolist():
                    finished.append(score[i])
                    score[i] = 0.0
                    raw[i], _ = envs[i].reset(seed=cfg.seed * 1000 + i) if cfg.fault == "f06" else envs[i].reset()
                x = after.copy()
                x[over] = obs_filter(raw[over])
            else:
                x = after

        adv = np.zeros((H, N), np.float32)
        tail = np.zeros(N, np.float32)
        for t in range(H - 1, -1, -1):
            delta = R[t] + cfg.gamma * V_next[t] - V[t]
            tail = delta + cfg.gamma * cfg.lam * (1.0 - CUT[t]) * tail
            adv[t] = tail
        target = adv + V

        flat = lambda z: torch.from_numpy(z.reshape(H * N, *z.shape[2:]))
        s, a, lp_old, adv_f, tgt = flat(S), flat(A), flat(LP), flat(adv), flat(target)
        for _ in range(cfg.epochs):
            perm = torch.randperm(H * N)
            for idx in perm.split(cfg.minibatch):
                g = adv_f[idx]
                g = (g - g.mean()) / (g.std() + 1e-8)
                if cfg.fault == "f04":
                    g = g.unsqueeze(-1)
                dist = actor(s[idx])
                ratio = (dist.log_prob(a[idx]).sum(-1) - lp_old[idx]).exp()
                surrogate = torch.min(ratio * g, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * g).mean()
                v_loss = nn.functional.mse_loss(critic(s[idx]).squeeze(-1), tgt[idx])
                ent = dist.entropy().sum(-1).mean()
                loss = -surrogate + cfg.vf_coef * v_loss - cfg.ent_coef * ent
                opt.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(params, cfg.max_grad_norm)
                opt.step()

        line = f"[{(it + 1) * H * N:>7}] train {np.mean(finished[-30:]) if finished else float('nan'):8.2f}  vf {v_loss.item():.4f}  std {actor.log_std.exp().mean().item():.3f}"
        if (it + 1) % cfg.eval_every == 0 or it + 1 == iters:
            line += f"  eval {evaluate(test_env, actor, obs_filter, 5, 90_000 + it * 10, cfg.fault):8.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    train(read_config())
