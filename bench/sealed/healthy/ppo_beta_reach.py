"""PPO with a Beta policy on a 2-D reaching task; 8 environments in a Python list."""
import argparse
import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Beta


class Reach(gym.Env):
    """A point with inertia; the goal is drawn per episode. Positions in metres, all rewards negative."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _obs(self):
        return np.concatenate([self.pos, self.vel, self.goal - self.pos]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-1, 1, 2)
        self.vel = np.zeros(2)
        self.goal = self.np_random.uniform(-1, 1, 2)
        return self._obs(), {}

    def step(self, action):
        a = np.clip(np.asarray(action, dtype=np.float64), -1, 1)
        self.vel = 0.8 * self.vel + 0.1 * a
        self.pos = np.clip(self.pos + 0.3 * self.vel, -1.5, 1.5)
        dist = float(np.linalg.norm(self.goal - self.pos))
        reward = -dist - 0.01 * float((a ** 2).sum())
        return self._obs(), reward, False, False, {}


class ActorCritic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.alpha = nn.Linear(64, act)
        self.beta = nn.Linear(64, act)
        self.critic = nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def dist(self, x):
        h = self.actor(x)
        return Beta(1 + nn.functional.softplus(self.alpha(h)), 1 + nn.functional.softplus(self.beta(h)))

    def value(self, x):
        return self.critic(x).squeeze(-1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    np.random.seed(a.seed)
    N, T, gamma, lam, clip = 8, 128, 0.97, 0.95, 0.2
    envs = [gym.wrappers.TimeLimit(Reach(), 60) for _ in range(N)]
    obs = np.stack([e.reset(seed=a.seed + i)[0] for i, e in enumerate(envs)])
    net = ActorCritic(6, 2)
    opt = torch.optim.Adam(net.parameters(), lr=5e-4, eps=1e-5)
    ep, finished = np.zeros(N), []
    for update in range(50):
        O, A, L, R, V, NV, D = [], [], [], [], [], [], []
        for t in range(T):
            x = torch.as_tensor(obs)
            with torch.no_grad():
                d = net.dist(x)
                u = d.sample().clamp(1e-5, 1 - 1e-5)
                logp = d.log_prob(u).sum(-1)
                v = net.value(x)
            nxt, rew, cut = np.zeros_like(obs), np.zeros(N, np.float32), np.zeros(N, np.float32)
            after = np.zeros_like(obs)
            for i, e in enumerate(envs):
                o2, r, term, trunc, _ = e.step(2 * u[i].numpy() - 1)
                nxt[i], rew[i] = o2, r
                ep[i] += r
                if trunc:  # this task never terminates, it is only cut
                    cut[i] = 1
                    finished.append(ep[i])
                    ep[i] = 0
                    o2, _ = e.reset()
                after[i] = o2
            with torch.no_grad():
                nv = net.value(torch.as_tensor(nxt))
            O.append(x); A.append(u); L.append(logp); R.append(torch.as_tensor(rew)); V.append(v); NV.append(nv)
            D.append(torch.as_tensor(cut))
            obs = after
        adv, last = [None] * T, torch.zeros(N)
        for t in reversed(range(T)):
            delta = R[t] + gamma * NV[t] - V[t]
            last = delta + gamma * lam * (1 - D[t]) * last
            adv[t] = last
        adv = torch.stack(adv)
        ret = (adv + torch.stack(V)).flatten()
        adv = adv.flatten()
        O, A, L = torch.cat(O), torch.cat(A), torch.cat(L)
        for epoch in range(8):
            for idx in torch.randperm(N * T).split(256):
                d = net.dist(O[idx])
                ratio = (d.log_prob(A[idx]).sum(-1) - L[idx]).exp()
                ad = (adv[idx] - adv[idx].mean()) / (adv[idx].std() + 1e-8)
                pg = -torch.min(ratio * ad, ratio.clamp(1 - clip, 1 + clip) * ad).mean()
                vf = (net.value(O[idx]) - ret[idx]).pow(2).mean()
                loss = pg + 0.5 * vf - 0.001 * d.entropy().sum(-1).mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
        if update % 5 == 0:
            print(update, "return", round(float(np.mean(finished[-20:])), 2))


main()
