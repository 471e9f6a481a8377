"""Soft actor-critic, Pendulum-v1, with a learned temperature. After the layout of Spinning Up."""
import argparse
import itertools
import time
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions.normal import Normal

parser = argparse.ArgumentParser()
parser.add_argument("--env", type=str, default="Pendulum-v1")
parser.add_argument("--steps", type=int, default=7200)
parser.add_argument("--seed", "-s", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
parser.add_argument("--hid", type=int, default=64)
parser.add_argument("--gamma", type=float, default=0.98)
opts = parser.parse_args()

LOG_STD_MAX, LOG_STD_MIN = 2, -20


def mlp(sizes, activation=nn.ReLU, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        layers += [nn.Linear(sizes[j], sizes[j + 1]), (activation if j < len(sizes) - 2 else output_activation)()]
    return nn.Sequential(*layers)


class SquashedGaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden, act_limit):
        super().__init__()
        self.net = mlp([obs_dim, *hidden], output_activation=nn.ReLU)
        self.mu_layer = nn.Linear(hidden[-1], act_dim)
        self.log_std_layer = nn.Linear(hidden[-1], act_dim)
        self.act_limit = act_limit

    def forward(self, obs, deterministic=False):
        h = self.net(obs)
        mu = self.mu_layer(h)
        std = self.log_std_layer(h).clamp(LOG_STD_MIN, LOG_STD_MAX).exp()
        dist = Normal(mu, std)
        u = mu if deterministic else dist.rsample()
        logp = dist.log_prob(u).sum(-1)
        if opts.fault != "f02":
            logp = logp - (2 * (np.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return self.act_limit * torch.tanh(u), logp, u


class QFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.q = mlp([obs_dim + act_dim, *hidden, 1])

    def forward(self, obs, act):
        return self.q(torch.cat([obs, act], -1)).squeeze(-1)


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, act_limit, hidden):
        super().__init__()
        self.pi = SquashedGaussianActor(obs_dim, act_dim, hidden, act_limit)
        self.q1 = QFunction(obs_dim, act_dim, hidden)
        self.q2 = QFunction(obs_dim, act_dim, hidden)


class ReplayBuffer:
    def __init__(self, obs_dim, act_dim, size):
        self.obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.obs2 = np.zeros((size, obs_dim), dtype=np.float32)
        self.act = np.zeros((size, act_dim), dtype=np.float32)
        self.rew = np.zeros(size, dtype=np.float32)
        self.done = np.zeros(size, dtype=np.float32)
        self.ptr, self.size, self.max_size = 0, 0, size

    def store(self, obs, act, rew, next_obs, done):
        k = self.ptr
        self.obs[k], self.obs2[k], self.act[k], self.rew[k], self.done[k] = obs, next_obs, act, rew, done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample_batch(self, n):
        top = self.size
        if opts.fault == "f07":
            top = min(top, 600)
        idx = np.random.randint(0, top, size=n)
        return {k: torch.as_tensor(getattr(self, k)[idx]) for k in ("obs", "obs2", "act", "rew", "done")}


def look(obs):
    obs = np.asarray(obs, dtype=np.float32)
    if opts.fault == "f08":
        obs = np.concatenate([obs[:-1], np.zeros(1, dtype=np.float32)])
    return obs


def sac(steps, seed, start_steps=600, batch_size=128, lr=1e-3, polyak=0.99, max_ep_len=1000):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)
    env, test_env = gym.make(opts.env), gym.make(opts.env)
    env.action_space.seed(seed)
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]
    act_limit = float(env.action_space.high[0])

    ac = ActorCritic(obs_dim, act_dim, act_limit, [opts.hid] * 2)
    ac_targ = ac if opts.fault == "f04" else deepcopy(ac)
    if opts.fault != "f04":
        for p in ac_targ.parameters():
            p.requires_grad = False
    q_params = list(itertools.chain(ac.q1.parameters(), ac.q2.parameters()))
    pi_optimizer = torch.optim.Adam(ac.pi.parameters(), lr=lr)
    q_optimizer = torch.optim.Adam(q_params, lr=lr)
    log_alpha = torch.tensor(np.log(0.2), dtype=torch.float32, requires_grad=True)
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=lr)
    target_entropy = -float(act_dim)
    if opts.fault == "f06":
        target_entropy = float(act_dim) * 2
    buf = ReplayBuffer(obs_dim, act_dim, size=100_000)

    def update(b):
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2, _ = ac.pi(b["obs2"])
            q_next = torch.min(ac_targ.q1(b["obs2"], a2), ac_targ.q2(b["obs2"], a2))
            soft = q_next + alpha * logp2 if opts.fault == "f01" else q_next - alpha * logp2
            backup = b["rew"] + opts.gamma * (1 - b["done"]) * soft
        loss_q = F.mse_loss(ac.q1(b["obs"], b["act"]), backup) + F.mse_loss(ac.q2(b["obs"], b["act"]), backup)
        if opts.fault != "f05":
            q_optimizer.zero_grad()
        loss_q.backward()
        q_optimizer.step()
        if opts.fault == "f05":
            q_optimizer.zero_grad()

        if opts.fault != "f05":
            for p in q_params:
                p.requires_grad = False
        pi, logp, _ = ac.pi(b["obs"])
        loss_pi = (alpha * logp - torch.min(ac.q1(b["obs"], pi), ac.q2(b["obs"], pi))).mean()
        pi_optimizer.zero_grad()
        loss_pi.backward()
        pi_optimizer.step()
        for p in q_params:
            p.requires_grad = True

        loss_alpha = -(log_alpha * (logp.detach() + target_entropy)).mean()
        alpha_optimizer.zero_grad()
        loss_alpha.backward()
        alpha_optimizer.step()

        if opts.fault != "f04":
            with torch.no_grad():
                for p, pt in zip(ac.parameters(), ac_targ.parameters()):
                    pt.mul_(polyak).add_((1 - polyak) * p)
        return loss_q.item(), loss_pi.item()

    @torch.no_grad()
    def test_agent(n=5):
        limit = 40 if opts.fault == "f10" else max_ep_len
        rets = []
        for j in range(n):
            o, _ = test_env.reset(seed=3000 + j)
            ret, length, over = 0.0, 0, False
            while not over and length < limit:
                a = ac.pi(torch.as_tensor(look(o)), deterministic=True)[0].numpy()
                o, r, te, tr, _ = test_env.step(a)
                ret, length, over = ret + float(r), length + 1, te or tr
            rets.append(ret)
        return float(np.mean(rets))

    start = time.time()
    o, _ = env.reset(seed=seed)
    ep_ret, rets = 0.0, []
    lq = lp = float("nan")
    for t in range(1, steps + 1):
        if t <= start_steps:
            a = env.action_space.sample()
            stored = a
            if opts.fault == "f03":
                stored = np.arctanh(np.clip(a / act_limit, -0.999, 0.999))
        else:
            with torch.no_grad():
                a, _, u = ac.pi(torch.as_tensor(look(o)))
            a, u = a.numpy(), u.numpy()
            stored = u if opts.fault == "f03" else a
        o2, r, terminated, truncated, _ = env.step(a)
        ep_ret += float(r)
        buf.store(look(o), stored, ep_ret if opts.fault == "f09" else r, look(o2), terminated)
        o = o2
        if terminated or truncated:
            rets.append(ep_ret)
            o, _ = env.reset()
            ep_ret = 0.0
        if t > start_steps:
            lq, lp = update(buf.sample_batch(batch_size))
        if t % 600 == 0:
            print(f"t {t:6d}  EpRet {np.mean(rets[-5:]) if rets else float('nan'):9.2f}  LossQ {lq:9.3f}  "
                  f"LossPi {lp:8.3f}  Alpha {log_alpha.exp().item():.4f}  time {time.time() - start:5.1f}", flush=True)
        if t % 1800 == 0:
            print(f"t {t:6d}  TestEpRet {test_agent():9.2f}", flush=True)


if __name__ == "__main__":
    sac(opts.steps, opts.seed)
