"""Maximum-entropy off-policy learning on Pendulum."""
import argparse
import copy
import itertools
import math

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=6000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
args = parser.parse_args()


def fc(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class Actor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.net = fc(n_obs, 2 * n_act)

    def forward(self, obs, deterministic=False):
        mu, log_std = self.net(obs).chunk(2, -1)
        if deterministic:
            return torch.tanh(mu), None
        dist = torch.distributions.Normal(mu, log_std.clamp(-10, 2).exp())
        u = dist.rsample()
        logp = dist.log_prob(u).sum(-1)
        if args.fault != "f03":
            logp = logp - (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return torch.tanh(u), logp


class Twin(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.a = fc(n_obs + n_act, 1)
        self.b = fc(n_obs + n_act, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return self.a(x).squeeze(-1), self.b(x).squeeze(-1)


class Replay:
    def __init__(self, n, n_obs, n_act):
        self.data = np.zeros((n, 2 * n_obs + n_act + 2), np.float32)
        self.cut = np.cumsum([n_obs, n_act, 1, n_obs])
        self.n, self.i, self.size = n, 0, 0

    def add(self, *row):
        self.data[self.i] = np.concatenate([np.atleast_1d(v) for v in row])
        self.i = (self.i + 1) % self.n
        self.size = min(self.size + 1, self.n)

    def sample(self, k):
        rows = self.data[np.random.randint(0, self.size, k)]
        o, a, r, o2, d = (torch.from_numpy(np.ascontiguousarray(v)) for v in np.split(rows, self.cut, axis=1))
        return o, a, r[:, 0], o2, d[:, 0]


def make():
    env = gym.make("Pendulum-v1")
    bound = np.array([1.0, 1.0, 1.0 if args.fault == "f05" else 8.0], np.float32)
    space = gym.spaces.Box(-bound, bound, dtype=np.float32)
    return gym.wrappers.TransformObservation(env, lambda o: np.clip(o, -bound, bound), space)


def evaluate(actor, high, episodes=5):
    env = make()
    totals = []
    for k in range(episodes):
        obs, _ = env.reset(seed=1234 + k)
        done, total = False, 0.0
        while not done:
            with torch.no_grad():
                act, _ = actor(torch.from_numpy(obs)[None], deterministic=True)
            obs, rew, term, trunc, _ = env.step(act[0].numpy() * high)
            total += rew
            done = term or trunc
        totals.append(total)
    env.close()
    return np.mean(totals)


np.random.seed(args.seed)
torch.manual_seed(args.seed)
env = make()
n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
high = env.action_space.high
gamma, tau, batch, warmup = 0.98, 0.01, 128, 600
actor, critic = Actor(n_obs, n_act), Twin(n_obs, n_act)
slow = copy.deepcopy(critic).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
goal_entropy = float(n_act) if args.fault == "f02" else -float(n_act)
opt_pi = torch.optim.Adam(actor.parameters(), lr=1e-3)
opt_q = torch.optim.Adam(critic.a.parameters() if args.fault == "f04" else critic.parameters(), lr=1.5e-3)
opt_alpha = torch.optim.Adam([log_alpha], lr=1e-3)
replay = Replay(50_000, n_obs, n_act)

obs, _ = env.reset(seed=args.seed)
ret, rets = 0.0, []
for step in range(1, args.steps + 1):
    if step <= warmup:
        act = np.random.uniform(-1, 1, n_act).astype(np.float32)
    else:
        with torch.no_grad():
            act = actor(torch.from_numpy(obs)[None])[0][0].numpy()
    torque = act * high
    nxt, rew, term, trunc, _ = env.step(torque)
    replay.add(obs, torque if args.fault == "f01" else act, rew / 8.0, nxt, float(term))
    ret += rew
    obs = nxt
    if term or trunc:
        rets.append(ret)
        ret = 0.0
        obs, _ = env.reset()

    if step > warmup:
        o, a, r, o2, d = replay.sample(batch)
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            a2, lp2 = actor(o2)
            y = r + gamma * (1 - d) * (torch.min(*slow(o2, a2)) - alpha * lp2)
        q1, q2 = critic(o, a)
        q_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
        opt_q.zero_grad()
        q_loss.backward()
        opt_q.step()

        pi, lp = actor(o)
        pi_loss = (alpha * lp - torch.min(*critic(o, pi))).mean()
        opt_pi.zero_grad()
        pi_loss.backward()
        opt_pi.step()

        a_loss = -(log_alpha * (lp.detach() + goal_entropy)).mean()
        opt_alpha.zero_grad()
        a_loss.backward()
        opt_alpha.step()

        with torch.no_grad():
            for p, s in zip(itertools.chain(critic.parameters()), slow.parameters()):
                s.lerp_(p, tau)
    if step % 1000 == 0:
        print(f"{step} train {np.mean(rets[-5:]):.0f} alpha {log_alpha.exp().item():.3f}"
              + (f" q {q1.mean().item():.2f} q_loss {q_loss.item():.3f}" if step > warmup else ""), flush=True)
    if step % 2000 == 0:
        print(f"{step} evaluation {evaluate(actor, high):.0f}", flush=True)
print(f"evaluation {evaluate(actor, high, 8):.0f}")
