# REINFORCE with a learned baseline and an entropy bonus; ordering decisions of a small shop.
# Functional: parameters are plain dicts of tensors, everything else is a function of them.
import argparse
import math

import gymnasium as gym
import numpy as np
import torch
from torch.distributions import Categorical

HORIZON = 28
MAX_STOCK = 20
LOTS = (0, 2, 4, 6, 8, 10)


class ShopEnv(gym.Env):
    """Four weeks of a shop: order in the evening, receive next morning, sell during the day."""

    def __init__(self, fault="none"):
        self.observation_space = gym.spaces.Box(0.0, 2.0, (5,), np.float32)
        self.action_space = gym.spaces.Discrete(len(LOTS))
        self.fault = fault

    def _obs(self):
        week = 2 * math.pi * self.day / 7
        return np.array(
            [self.stock / MAX_STOCK, 1 + math.sin(week), 1 + math.cos(week), self.day / HORIZON, self.sold / MAX_STOCK],
            dtype=np.float32,
        )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.fault == "f04":
            self.np_random = np.random.default_rng(0)
        self.day, self.stock, self.sold = 0, 5, 0
        return self._obs(), {}

    def step(self, action):
        if self.fault == "f08":
            shown = self._obs()
        order = LOTS[int(action)]
        arrived = min(self.stock + order, MAX_STOCK)
        wasted = self.stock + order - arrived
        rate = 8.0 if self.day % 7 in (4, 5) else 3.0
        demand = int(self.np_random.poisson(rate))
        self.sold = min(arrived, demand)
        missed = demand - self.sold
        self.stock = arrived - self.sold
        profit = 1.0 * self.sold - 0.4 * order - 0.15 * self.stock - 0.3 * missed - 0.2 * wasted - (0.3 if order else 0.0)
        self.day += 1
        obs = shown if self.fault == "f08" else self._obs()
        return obs, float(profit), self.day >= HORIZON, False, {"missed": missed}


def init_mlp(sizes, gen):
    params = {}
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        scale = 0.01 if i == len(sizes) - 2 else 1.0 / math.sqrt(a)
        params[f"w{i}"] = (torch.randn(a, b, generator=gen) * scale).requires_grad_()
        params[f"b{i}"] = torch.zeros(b, requires_grad=True)
    return params


def mlp(params, x):
    depth = len(params) // 2
    for i in range(depth):
        x = x @ params[f"w{i}"] + params[f"b{i}"]
        if i < depth - 1:
            x = torch.tanh(x)
    return x


def play(env, pi, greedy=False, seed=None):
    obs, _ = env.reset(seed=seed)
    states, acts, rews = [], [], []
    over = False
    while not over:
        with torch.no_grad():
            logits = mlp(pi, torch.from_numpy(obs))
        a = int(logits.argmax()) if greedy else int(Categorical(logits=logits).sample())
        states.append(obs)
        acts.append(a)
        obs, r, term, trunc, _ = env.step(a)
        rews.append(r)
        over = term or trunc
    return np.stack(states), np.array(acts), np.array(rews, dtype=np.float32)


def returns_to_go(rews, gamma, fault):
    out = np.zeros_like(rews)
    acc = 0.0
    order = range(len(rews)) if fault == "f03" else reversed(range(len(rews)))
    for t in order:
        acc = rews[t] + gamma * acc
        out[t] = acc
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=84_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="none")
    ap.add_argument("--gamma", type=float, default=0.97)
    ap.add_argument("--batch-episodes", type=int, default=16)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--beta", type=float, default=0.01)
    args = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    env, test_env = ShopEnv(args.fault), ShopEnv(args.fault)
    env.reset(seed=args.seed)

    pi = init_mlp([5, 48, 48, len(LOTS)], gen)
    vf = init_mlp([5, 48, 48, 1], gen)
    opt_pi = torch.optim.Adam(pi.values(), lr=args.lr)
    opt_vf = torch.optim.Adam(vf.values(), lr=args.lr)
    if args.fault == "f06":
        pi = {k: p.detach().clone().requires_grad_() for k, p in pi.items()}

    steps, update = 0, 0
    S, A, G, R = [], [], [], []
    while steps < args.steps:
        if args.fault != "f02":
            S, A, G, R = [], [], [], []
        for _ in range(args.batch_episodes):
            s, a, r = play(env, pi)
            steps += len(r)
            R.append(r.sum())
            if args.fault == "f09":
                r = np.clip(r, 0.0, 1.0)
            S.append(s)
            A.append(a)
            G.append(returns_to_go(r, args.gamma, args.fault))
        s = torch.from_numpy(np.concatenate(S))
        a = torch.from_numpy(np.concatenate(A))
        g = torch.from_numpy(np.concatenate(G)).float()

        v = mlp(vf, s).squeeze(-1)
        if args.fault == "f05":
            v_loss = (v - (g - g.mean()) / (g.std() + 1e-6)).pow(2).mean()
        else:
            v_loss = (v - g).pow(2).mean()
        adv = g - v.detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)

        dist = Categorical(logits=mlp(pi, s))
        if args.fault == "f01":
            logp = dist.log_prob(dist.sample())
        else:
            logp = dist.log_prob(a)
        entropy = dist.entropy().sum() if args.fault == "f07" else dist.entropy().mean()
        pi_loss = -(logp * adv).mean() - args.beta * entropy

        opt_pi.zero_grad()
        pi_loss.backward()
        opt_pi.step()
        opt_vf.zero_grad()
        v_loss.backward()
        opt_vf.step()
        update += 1

        if update % 10 == 0:
            print(f"update {update:4d} steps {steps:7d} episode_return {np.mean(R[-16:]):8.3f} "
                  f"value_loss {v_loss.item():.3f} entropy {dist.entropy().mean().item():.3f}")
        if update % 25 == 0:
            test = [play(test_env, pi, greedy=True, seed=9000 + k)[2].sum() for k in range(10)]
            print(f"    test return {np.mean(test):.3f} +- {np.std(test):.3f}")


if __name__ == "__main__":
    main()
