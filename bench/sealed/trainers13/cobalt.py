#!/usr/bin/env python3
"""Soft actor-critic, Pendulum-v1, automatic temperature."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--env", default="Pendulum-v1")
p.add_argument("--steps", type=int, default=5000)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--fault", default="")
p.add_argument("--start-steps", type=int, default=800)
p.add_argument("--batch-size", type=int, default=128)
p.add_argument("--hidden", type=int, default=64)
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--gamma", type=float, default=0.98)
p.add_argument("--tau", type=float, default=0.01)


class View(gym.ObservationWrapper):
    def __init__(self, env, keep):
        super().__init__(env)
        self.keep = np.asarray(keep, dtype=np.float32)

    def observation(self, obs):
        return np.asarray(obs, np.float32) * self.keep


class Replay:
    def __init__(self, n, obs_dim, act_dim):
        self.n, self.i, self.full = n, 0, 0
        self.o = np.zeros((n, obs_dim), np.float32); self.o2 = np.zeros((n, obs_dim), np.float32)
        self.a = np.zeros((n, act_dim), np.float32); self.r = np.zeros((n, 1), np.float32); self.d = np.zeros((n, 1), np.float32)

    def add(self, o, a, r, o2, d):
        k = self.i
        self.o[k], self.a[k], self.r[k], self.o2[k], self.d[k] = o, a, r, o2, d
        self.i = (k + 1) % self.n
        self.full = min(self.full + 1, self.n)

    def draw(self, b):
        j = np.random.randint(0, self.full, b)
        return [torch.from_numpy(z[j]) for z in (self.o, self.a, self.r, self.o2, self.d)]


def net(i, o, h):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class Actor(nn.Module):
    def __init__(self, o, a, h, fault):
        super().__init__()
        self.net, self.fault = net(o, 2 * a, h), fault

    def forward(self, x):
        mu, log_std = self.net(x).chunk(2, -1)
        d = torch.distributions.Normal(mu, log_std.clamp(-5, 2).exp())
        u = d.rsample()
        a = torch.tanh(u)
        logp = d.log_prob(u)
        if self.fault != "f01":
            logp = logp - torch.log(1 - a.pow(2) + 1e-6)
        return a, logp.sum(-1, keepdim=True), torch.tanh(mu)


def main(args):
    fault = args.fault
    torch.set_num_threads(1)
    torch.manual_seed(args.seed); np.random.seed(args.seed)
    mask = [1, 1, 0] if fault == "f07" else [1, 1, 1]
    env, test_env = View(gym.make(args.env), mask), View(gym.make(args.env), mask)
    env.action_space.seed(args.seed)
    od, ad = env.observation_space.shape[0], env.action_space.shape[0]
    lo, hi = env.action_space.low, env.action_space.high
    scale, mid = (hi - lo) / 2, (hi + lo) / 2

    actor = Actor(od, ad, args.hidden, fault)
    q1, q2, t1, t2 = (net(od + ad, 1, args.hidden) for _ in range(4))
    t1.load_state_dict(q1.state_dict()); t2.load_state_dict(q2.state_dict())
    log_alpha = torch.zeros(1, requires_grad=True)
    target_entropy = -float(ad)
    pi_opt = torch.optim.Adam(actor.parameters(), lr=args.lr)
    q_opt = torch.optim.Adam([*q1.parameters(), *q2.parameters()], lr=args.lr)
    al_opt = torch.optim.Adam([log_alpha], lr=args.lr)
    buf = Replay(args.batch_size if fault == "f06" else 50_000, od, ad)

    o, _ = env.reset(seed=args.seed)
    ep_ret, ep_len, returns = 0.0, 0, []
    for t in range(args.steps):
        if t < args.start_steps:
            a = np.random.uniform(-1, 1, ad).astype(np.float32)
        else:
            with torch.no_grad():
                a = actor(torch.as_tensor(o)[None])[0][0].numpy()
        o2, r, term, trunc, _ = env.step(mid + scale * a)
        stored = mid + scale * a if fault == "f02" else a
        buf.add(o, stored, r, o2, float(term))
        o, ep_ret, ep_len = o2, ep_ret + r, ep_len + 1
        if term or trunc:
            returns.append(ep_ret)
            ep_ret, ep_len = 0.0, 0
            o, _ = env.reset()

        if t >= args.start_steps:
            O, A, R, O2, D = buf.draw(args.batch_size)
            alpha = log_alpha.exp().detach()
            with torch.no_grad():
                A2, LP2, _ = actor(O if fault == "f05" else O2)
                x2 = torch.cat([O2, A2], -1)
                y = R + args.gamma * (1 - D) * (torch.min(t1(x2), t2(x2)) - alpha * LP2)
            x = torch.cat([O, A], -1)
            if fault == "f04":
                y = y.squeeze(-1)
            q_loss = ((q1(x) - y) ** 2).mean() + ((q2(x) - y) ** 2).mean()
            q_opt.zero_grad(); q_loss.backward(); q_opt.step()

            P, LP, _ = actor(O)
            xp = torch.cat([O, P], -1)
            pi_loss = (alpha * LP - torch.min(q1(xp), q2(xp))).mean()
            pi_opt.zero_grad(); pi_loss.backward(); pi_opt.step()

            gap = (LP + target_entropy).detach().mean()
            al_loss = log_alpha.exp().squeeze() * gap if fault == "f03" else -log_alpha.exp().squeeze() * gap
            al_opt.zero_grad(); al_loss.backward(); al_opt.step()
            with torch.no_grad():
                for q, tq in ((q1, t1), (q2, t2)):
                    for w, tw in zip(q.parameters(), tq.parameters()):
                        tw.mul_(1 - args.tau).add_(args.tau * w)

        if (t + 1) % 1000 == 0:
            scores = []
            for k in range(3):
                s, _ = test_env.reset(seed=777 + k)
                total, end = 0.0, False
                while not end:
                    with torch.no_grad():
                        act = actor(torch.as_tensor(s)[None])[2][0].numpy()
                    s, rr, e1, e2, _ = test_env.step(mid + scale * act)
                    total += rr
                    end = e1 or e2
                scores.append(total)
            extra = "" if t < args.start_steps else f"\tLossQ {q_loss.item():.3f}\tLossPi {pi_loss.item():.3f}\tQ1Vals {q1(x).mean().item():.2f}\tLogPi {LP.mean().item():.3f}\tAlpha {log_alpha.exp().item():.4f}"
            print(f"T {t + 1}\tEpRet {np.mean(returns[-5:]):.1f}\tTestEpRet {np.mean(scores):.1f}{extra}", flush=True)


if __name__ == "__main__":
    main(p.parse_args())
