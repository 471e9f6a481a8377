"""Soft actor-critic, automatic temperature, Pendulum-v1."""
import argparse
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MIN, LOG_STD_MAX = -5.0, 2.0


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, low, high, fault, hidden=64):
        super().__init__()
        self.fault = fault
        self.net = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, act_dim)
        self.log_std = nn.Linear(hidden, act_dim)
        scale, shift = (high - low) / 2.0, (high + low) / 2.0
        if fault == "f01":
            scale = np.ones_like(scale)
        self.register_buffer("scale", torch.as_tensor(scale, dtype=torch.float32))
        self.register_buffer("shift", torch.as_tensor(shift, dtype=torch.float32))

    def forward(self, obs):
        h = self.net(obs)
        mu, log_std = self.mean(h), self.log_std(h).clamp(LOG_STD_MIN, LOG_STD_MAX)
        std = log_std.exp()
        u = mu + std * torch.randn_like(mu)
        logp = (-0.5 * ((u - mu) / std) ** 2 - log_std - 0.5 * np.log(2 * np.pi)).sum(-1)
        if self.fault != "f02":
            # log of d tanh(u) / du, in its stable form
            logp = logp - (2.0 * (np.log(2.0) - u - F.softplus(-2.0 * u))).sum(-1)
        return torch.tanh(u) * self.scale + self.shift, logp, torch.tanh(mu) * self.scale + self.shift


class Critic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        make = lambda: nn.Sequential(nn.Linear(obs_dim + act_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.q1, self.q2 = make(), make()

    def forward(self, obs, act):
        x = torch.cat([obs, act], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class Replay:
    def __init__(self, obs_dim, act_dim, size):
        self.data = dict(
            obs=torch.zeros(size, obs_dim), act=torch.zeros(size, act_dim), rew=torch.zeros(size),
            obs2=torch.zeros(size, obs_dim), term=torch.zeros(size),
        )
        self.size, self.count = size, 0

    def add(self, **row):
        for k, v in row.items():
            self.data[k][self.count % self.size] = torch.as_tensor(v, dtype=torch.float32)
        self.count += 1

    def batch(self, n):
        idx = torch.randint(0, min(self.count, self.size), (n,))
        return {k: v[idx] for k, v in self.data.items()}


def evaluate(env, actor, n_episodes, seed, fault):
    scores = []
    for ep in range(n_episodes):
        obs, _ = env.reset(seed=seed if fault == "f06" else seed + ep)
        total = 0.0
        while True:
            with torch.no_grad():
                act = actor(torch.as_tensor(obs, dtype=torch.float32)[None])[2][0].numpy()
            obs, rew, term, trunc, _ = env.step(act)
            total += float(rew)
            if term or trunc:
                break
        scores.append(total)
    return np.array(scores)


def main(args):
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    torch.set_num_threads(1)
    env, test_env = gym.make("Pendulum-v1"), gym.make("Pendulum-v1")
    env.action_space.seed(args.seed)
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]

    actor = Actor(obs_dim, act_dim, env.action_space.low, env.action_space.high, args.fault)
    critic = Critic(obs_dim, act_dim)
    critic_targ = deepcopy(critic)
    for p in critic_targ.parameters():
        p.requires_grad = False
    log_alpha = torch.tensor(np.log(args.init_alpha), dtype=torch.float32, requires_grad=True)
    target_entropy = -float(act_dim)

    actor_opt = torch.optim.Adam(actor.parameters(), lr=args.actor_lr, fused=True)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=args.critic_lr, fused=True)
    alpha_opt = torch.optim.Adam([log_alpha], lr=args.alpha_lr)
    replay = Replay(obs_dim, act_dim, args.buffer)

    obs, _ = env.reset(seed=args.seed)
    ep_ret, ep_rets = 0.0, []
    for step in range(1, args.steps + 1):
        if step <= args.start_steps:
            act = env.action_space.sample()
        else:
            with torch.no_grad():
                act = actor(torch.as_tensor(obs, dtype=torch.float32)[None])[0][0].numpy()
        obs2, rew, term, trunc, _ = env.step(act)
        rew = float(rew)
        replay.add(obs=obs, act=act, rew=rew * args.reward_scale, obs2=obs2, term=float(term))
        ep_ret += rew
        obs = obs2
        if term or trunc:
            ep_rets.append(ep_ret)
            print(f"step {step:6d}  episode return {ep_ret:9.2f}  alpha {log_alpha.exp().item():.4f}", flush=True)
            ep_ret = 0.0
            obs, _ = env.reset()

        if step <= args.start_steps:
            continue
        b = replay.batch(args.batch_size)
        alpha = log_alpha.exp().detach()

        with torch.no_grad():
            a2, logp2, _ = actor(b["obs2"])
            t1, t2 = critic_targ(b["obs2"], a2)
            t = torch.max(t1, t2) if args.fault == "f04" else torch.min(t1, t2)
            y = b["rew"] + args.gamma * (1.0 - b["term"]) * (t - alpha * logp2)
        q1, q2 = critic(b["obs"], b["act"])
        critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
        if args.fault != "f05":
            critic_opt.zero_grad()
        critic_loss.backward()
        critic_opt.step()
        if args.fault == "f05":
            critic_opt.zero_grad()

        a, logp, _ = actor(b["obs"])
        q = torch.min(*critic(b["obs"], a))
        actor_loss = (alpha * logp - q).mean()
        actor_opt.zero_grad()
        actor_loss.backward()
        actor_opt.step()

        gap = (logp.detach() + target_entropy).mean()
        alpha_loss = log_alpha * gap if args.fault == "f03" else -log_alpha * gap
        alpha_opt.zero_grad()
        alpha_loss.backward()
        alpha_opt.step()

        with torch.no_grad():
            torch._foreach_lerp_(list(critic_targ.parameters()), list(critic.parameters()), args.tau)

        if step % args.eval_every == 0:
            s = evaluate(test_env, actor, 3, 777 + step, args.fault)
            print(f"step {step:6d}  EVAL {s.mean():9.2f} +- {s.std():.2f}  q {q1.mean().item():.2f}  critic_loss {critic_loss.item():.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="none")
    parser.add_argument("--gamma", type=float, default=0.97)
    parser.add_argument("--tau", type=float, default=0.02)
    parser.add_argument("--actor-lr", type=float, default=2e-3)
    parser.add_argument("--critic-lr", type=float, default=2e-3)
    parser.add_argument("--alpha-lr", type=float, default=1e-3)
    parser.add_argument("--init-alpha", type=float, default=0.2)
    parser.add_argument("--reward-scale", type=float, default=0.2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--buffer", type=int, default=50_000)
    parser.add_argument("--start-steps", type=int, default=400)
    parser.add_argument("--eval-every", type=int, default=800)
    main(parser.parse_args())
