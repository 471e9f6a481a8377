"""PPO, MultiDiscrete actions, separate actor and critic with an optimizer each, one environment, action repeat 2."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Chase(gym.Env):
    """Follow a drifting light; the world never ends. Speed per axis: left, stay or right."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.MultiDiscrete([3, 3])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = self.np_random.uniform(-2, 2, 2)
        self.light = self.np_random.uniform(-2, 2, 2)
        self.drift = self.np_random.normal(0, 0.05, 2)
        return self._obs(), {}

    def _obs(self):
        return np.concatenate([self.light - self.me, 10 * self.drift]).astype(np.float32)

    def step(self, action):
        self.me = self.me + 0.1 * (np.asarray(action) - 1)
        self.drift = 0.95 * self.drift + self.np_random.normal(0, 0.01, 2)
        self.light = np.clip(self.light + self.drift, -3, 3)
        near = float(np.exp(-np.sum((self.light - self.me) ** 2)))
        return self._obs(), near, False, False, {}


class ActionRepeat(gym.Wrapper):
    def __init__(self, env, n):
        super().__init__(env)
        self.n = n

    def step(self, action):
        total = 0.0
        for _ in range(self.n):
            o, r, term, trunc, info = self.env.step(action)
            total += r
            if term or trunc:
                break
        return o, total, term, trunc, info


def build(n_out, gain):
    net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_out))
    nn.init.orthogonal_(net[-1].weight, gain)
    nn.init.zeros_(net[-1].bias)
    return net


def split(logits):
    return [Categorical(logits=l) for l in logits.split([3, 3], -1)]


def run(seed):
    torch.manual_seed(seed)
    env = gym.wrappers.TimeLimit(ActionRepeat(Chase(), 2), 80)
    actor, critic = build(6, 0.01), build(1, 1.0)
    pi_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
    v_opt = torch.optim.Adam(critic.parameters(), lr=2e-3)
    gamma, lam, T = 0.95, 0.9, 1000
    o, _ = env.reset(seed=seed)
    ep, hist = 0.0, []
    for it in range(35):
        obs, nxt, act, logp, rew, term_, end_ = [], [], [], [], [], [], []
        for t in range(T):
            ot = torch.from_numpy(o)
            with torch.no_grad():
                ds = split(actor(ot))
                a = torch.stack([d.sample() for d in ds])
                lp = sum(d.log_prob(x) for d, x in zip(ds, a))
            o2, r, term, trunc, _ = env.step(a.numpy())
            obs.append(ot); nxt.append(torch.from_numpy(o2)); act.append(a); logp.append(lp)
            rew.append(r); term_.append(term); end_.append(term or trunc)
            ep += r
            o = o2
            if term or trunc:
                hist.append(ep)
                ep = 0.0
                o, _ = env.reset()
        obs, nxt, act, logp = torch.stack(obs), torch.stack(nxt), torch.stack(act), torch.stack(logp)
        with torch.no_grad():
            v, v2 = critic(obs).squeeze(-1), critic(nxt).squeeze(-1)
        rew, term_, end_ = torch.tensor(rew), torch.tensor(term_).float(), torch.tensor(end_).float()
        delta = rew + gamma * (1 - term_) * v2 - v
        adv, acc = torch.zeros(T), torch.tensor(0.0)
        for t in range(T - 1, -1, -1):
            acc = delta[t] + gamma * lam * (1 - end_[t]) * acc
            adv[t] = acc
        target = adv + v
        adv = (adv - adv.mean()) / adv.std().clamp_min(1e-6)
        for epoch in range(10):
            perm = torch.randperm(T)
            for k in range(0, T, 250):
                j = perm[k:k + 250]
                ds = split(actor(obs[j]))
                new = sum(d.log_prob(act[j, n]) for n, d in enumerate(ds))
                ratio = (new - logp[j]).exp()
                loss = -torch.min(ratio * adv[j], ratio.clamp(0.8, 1.2) * adv[j]).mean()
                pi_opt.zero_grad(); loss.backward(); pi_opt.step()
                v_loss = nn.functional.huber_loss(critic(obs[j]).squeeze(-1), target[j], delta=5.0)
                v_opt.zero_grad(); v_loss.backward(); v_opt.step()
            with torch.no_grad():
                kl = (logp - sum(d.log_prob(act[:, n]) for n, d in enumerate(split(actor(obs))))).mean()
            if kl > 0.02:
                break
        if it % 5 == 4 or it == 0:
            print(f"it {it + 1} return {np.mean(hist[-12:]):.2f} kl {kl:.4f} v {v_loss.item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    run(parser.parse_args().seed)
