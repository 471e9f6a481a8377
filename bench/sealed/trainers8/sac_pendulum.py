# Soft actor-critic with automatic temperature, Pendulum-v1.
import argparse
import itertools
from copy import deepcopy
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Args:
    env: str = "Pendulum-v1"
    steps: int = 5_000
    seed: int = 0
    fault: str = "none"
    gamma: float = 0.98
    tau: float = 0.01
    batch_size: int = 128
    lr_pi: float = 1e-3
    lr_q: float = 1e-3
    lr_alpha: float = 1e-3
    warmup: int = 600
    hidden: int = 64
    buffer: int = 50_000
    eval_every: int = 500


class ClipObs(gym.ObservationWrapper):
    def __init__(self, env, limit):
        super().__init__(env)
        self.limit = limit

    def observation(self, obs):
        return np.clip(obs, -self.limit, self.limit).astype(np.float32)


def make_env(args):
    env = gym.make(args.env)
    env = ClipObs(env, 1.0 if args.fault == "f04" else 10.0)
    return env


def net(n_in, n_out, hidden):
    return nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, n_out))


class SquashedActor(nn.Module):
    def __init__(self, n_obs, n_act, hidden, high, fault):
        super().__init__()
        self.trunk = net(n_obs, 2 * n_act, hidden)
        self.register_buffer("high", torch.as_tensor(high, dtype=torch.float32))
        self.fault = fault

    def forward(self, obs, deterministic=False):
        mu, log_std = self.trunk(obs).chunk(2, dim=-1)
        log_std = log_std.clamp(-5, 2)
        dist = torch.distributions.Normal(mu, log_std.exp())
        u = mu if deterministic else dist.rsample()
        logp = dist.log_prob(u).sum(-1)
        if self.fault != "f07":
            logp = logp - (2 * (np.log(2) - u - F.softplus(-2 * u)) + torch.log(self.high)).sum(-1)
        act = torch.tanh(u)
        if self.fault != "f01":
            act = act * self.high
        return act, logp


class TwinQ(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.q1 = net(n_obs + n_act, 1, hidden)
        self.q2 = net(n_obs + n_act, 1, hidden)

    def forward(self, obs, act):
        x = torch.cat([obs, act], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class Buffer:
    def __init__(self, size, n_obs, n_act):
        self.obs = torch.zeros(size, n_obs)
        self.nxt = torch.zeros(size, n_obs)
        self.act = torch.zeros(size, n_act)
        self.rew = torch.zeros(size)
        self.term = torch.zeros(size)
        self.i, self.n, self.size = 0, 0, size

    def add(self, obs, act, rew, nxt, term):
        i = self.i
        self.obs[i] = torch.as_tensor(obs)
        self.act[i] = torch.as_tensor(act)
        self.rew[i] = float(rew)
        self.nxt[i] = torch.as_tensor(nxt)
        self.term[i] = float(term)
        self.i = (i + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def sample(self, k):
        idx = torch.randint(0, self.n, (k,))
        return self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.term[idx]


@torch.no_grad()
def evaluate(env, actor, n=3):
    rets = []
    for ep in range(n):
        obs, _ = env.reset(seed=100 + ep)
        ret, stop = 0.0, False
        while not stop:
            act, _ = actor(torch.as_tensor(obs), deterministic=True)
            obs, r, term, trunc, _ = env.step(act.numpy())
            ret += float(r)
            stop = term or trunc
        rets.append(ret)
    return np.mean(rets)


def main(args: Args):
    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env, eval_env = make_env(args), make_env(args)
    env.action_space.seed(args.seed)
    n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]

    actor = SquashedActor(n_obs, n_act, args.hidden, env.action_space.high, args.fault)
    critic = TwinQ(n_obs, n_act, args.hidden)
    critic_t = deepcopy(critic).requires_grad_(False)
    log_alpha = torch.zeros(1, requires_grad=True)
    target_entropy = -float(n_act)
    if args.fault == "f06":
        target_entropy = float(n_act)

    if args.fault == "f09":
        pi_opt = torch.optim.Adam(itertools.chain(actor.parameters(), critic.parameters()), lr=args.lr_pi)
    else:
        pi_opt = torch.optim.Adam(actor.parameters(), lr=args.lr_pi)
    q_opt = torch.optim.Adam(critic.parameters(), lr=args.lr_q)
    a_opt = torch.optim.Adam([log_alpha], lr=args.lr_alpha)
    buf = Buffer(args.buffer, n_obs, n_act)

    obs, _ = env.reset(seed=args.seed)
    ep_ret = 0.0
    for step in range(1, args.steps + 1):
        if step <= args.warmup:
            act = env.action_space.sample()
        else:
            with torch.no_grad():
                act = actor(torch.as_tensor(obs))[0].numpy()
        nxt, rew, term, trunc, _ = env.step(act)
        ep_ret += float(rew)
        if args.fault == "f08":
            obs = nxt
        if args.fault == "f02":
            rew = ep_ret
        buf.add(obs, act, rew * 0.1, nxt, term)
        obs = nxt
        if term or trunc:
            print(f"step {step} episode_return {ep_ret:.1f}")
            obs, _ = env.reset()
            ep_ret = 0.0

        if step > args.warmup:
            o, a, r, o2, d = buf.sample(args.batch_size)
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                a2, logp2 = actor(o2)
                tq = torch.min(*critic_t(o2, a2)) - alpha * logp2
                mask = 1.0 - d
                if args.fault == "f03":
                    mask = d
                y = r + args.gamma * mask * tq
            q1, q2 = critic(o, a)
            q_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
            q_opt.zero_grad()
            q_loss.backward()
            q_opt.step()

            pa, logp = actor(o)
            pi_loss = (alpha * logp - torch.min(*critic(o, pa))).mean()
            pi_opt.zero_grad()
            pi_loss.backward()
            pi_opt.step()

            a_loss = -(log_alpha * (logp.detach() + target_entropy)).mean()
            a_opt.zero_grad()
            a_loss.backward()
            a_opt.step()

            with torch.no_grad():
                for p, pt in zip(critic.parameters(), critic_t.parameters()):
                    if args.fault == "f05":
                        pt.mul_(args.tau).add_((1 - args.tau) * p)
                    else:
                        pt.mul_(1 - args.tau).add_(args.tau * p)

        if step % args.eval_every == 0:
            line = f"step {step} eval_return {evaluate(eval_env, actor):.1f}"
            if step > args.warmup:
                line += f" q_loss {q_loss.item():.4f} q {q1.mean().item():.2f} alpha {alpha.item():.4f} logp {logp.mean().item():.2f}"
            print(line)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=Args.steps)
    p.add_argument("--seed", type=int, default=Args.seed)
    p.add_argument("--fault", type=str, default=Args.fault)
    main(Args(**vars(p.parse_args())))
