"""Recurrent advantage actor-critic on a corridor with a cue.

A cue (left or right) is shown at the start, then the agent walks along a corridor and
has to turn the right way at its end. Written in plain functions over a dict of modules.
"""
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

cli = argparse.ArgumentParser(description=__doc__.splitlines()[0])
cli.add_argument("--steps", type=int, default=80_000)
cli.add_argument("--seed", type=int, default=0)
cli.add_argument("--fault", default="")
opts = cli.parse_args()
FAULT = opts.fault

N_ENVS, T, HIDDEN = 16, 10, 48
GAMMA, LAM, LR = 0.97, 0.95, 2e-3
C_VALUE, C_ENTROPY = 0.5, 0.02


class CueCorridor(gym.Env):
    """Actions: 0 forward, 1 left, 2 right. Turning inside the corridor only costs."""

    FORWARD, LEFT, RIGHT = 0, 1, 2
    LIMIT = 32

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self._o = np.zeros(4, np.float32)

    def _see(self):
        self._o[:] = 0.0
        if self.at == 0:
            self._o[self.cue] = 1.0
        self._o[2] = float(self.at == self.length)
        self._o[3] = 1.0
        return self._o if FAULT == "f04" else self._o.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cue = int(self.np_random.integers(2))
        self.length = int(self.np_random.integers(6, 13))
        self.at, self.t = 0, 0
        return self._see(), {}

    def step(self, action):
        self.t += 1
        reward, terminated = -0.02, False
        if self.at < self.length:
            if action == self.FORWARD:
                self.at += 1
            else:
                reward = -0.1
        elif action == self.FORWARD:
            reward = -0.1
        else:
            terminated = True
            reward = 1.0 if action - 1 == self.cue else -1.0
        truncated = not terminated and self.t >= self.LIMIT
        return self._see(), reward, terminated, truncated, {}


def build():
    return nn.ModuleDict(
        {
            "enc": nn.Linear(4, 32),
            "gru": nn.GRUCell(32, HIDDEN),
            "pi": nn.Linear(HIDDEN, 3),
            "v": nn.Linear(HIDDEN, 1),
        }
    )


def forward(net, obs, h):
    h = net["gru"](torch.relu(net["enc"](obs)), h)
    return net["pi"](h), net["v"](h).squeeze(-1), h


def begin(env):
    return env.reset(seed=opts.seed)[0] if FAULT == "f05" else env.reset()[0]


@torch.no_grad()
def collect(net, envs, obs, h, log):
    first = h.clone()
    seen, acts, rews, ends, vals = [], [], [], [], []
    after = torch.zeros(T, N_ENVS)
    for t in range(T):
        logits, value, h = forward(net, torch.from_numpy(np.stack(obs)), h)
        action = torch.distributions.Categorical(logits=logits).sample()
        seen.append(list(obs))
        acts.append(action)
        vals.append(value)
        r, e = np.zeros(N_ENVS, np.float32), np.zeros(N_ENVS, np.float32)
        for i, env in enumerate(envs):
            o, r[i], terminated, truncated, _ = env.step(int(action[i]))
            log["now"][i] += float(r[i])
            if truncated:
                after[t, i] = forward(net, torch.from_numpy(o[None].copy()), h[i : i + 1])[1].item()
            if terminated or truncated:
                log["done"].append(log["now"][i])
                log["now"][i] = 0.0
                e[i] = 1.0
                o = begin(env)
            obs[i] = o
        rews.append(torch.from_numpy(r))
        ends.append(torch.from_numpy(e))
        h = h * (1.0 - ends[-1]).unsqueeze(1)
    tail = forward(net, torch.from_numpy(np.stack(obs)), h)[1]
    vals, ends = torch.stack(vals), torch.stack(ends)
    # value of what follows: bootstrapped at a time limit, 0 after a termination
    follow = torch.where(ends.bool(), after, torch.cat([vals[1:], tail[None]]))
    batch = {
        "obs": torch.from_numpy(np.array(seen)),
        "act": torch.stack(acts),
        "rew": torch.stack(rews),
        "end": ends,
        "val": vals,
        "follow": follow,
        "h0": first,
    }
    return batch, obs, h


def gae(b):
    out, acc = torch.zeros(T, N_ENVS), torch.zeros(N_ENVS)
    for t in range(T - 1, -1, -1):
        acc = b["rew"][t] + GAMMA * b["follow"][t] - b["val"][t] + GAMMA * LAM * (1 - b["end"][t]) * acc
        out[t] = acc
    return out


def losses(net, b):
    target = gae(b) + b["val"]
    h = torch.zeros_like(b["h0"]) if FAULT == "f01" else b["h0"]
    logits, values = [], []
    for t in range(T):
        lg, v, h = forward(net, b["obs"][t], h)
        logits.append(lg)
        values.append(v)
        h = h * (1.0 - b["end"][t]).unsqueeze(1)
    logits, values = torch.stack(logits), torch.stack(values)
    logp = F.log_softmax(logits, -1)
    taken = logp.gather(-1, b["act"].unsqueeze(-1)).squeeze(-1)
    adv = target - values
    entropy = -(logp.exp() * logp).sum(-1)
    entropy = entropy.sum() if FAULT == "f02" else entropy.mean()
    policy = -(taken * (adv if FAULT == "f03" else adv.detach())).mean()
    value = F.mse_loss(values, target)
    total = policy + C_VALUE * value - C_ENTROPY * entropy
    return total, policy.item(), value.item(), entropy.item()


@torch.no_grad()
def test(net, episodes=50):
    env, score, right = CueCorridor(), 0.0, 0
    for k in range(episodes):
        o, _ = env.reset(seed=7_000 + k)
        h, over = torch.zeros(1, HIDDEN), False
        while not over:
            logits, _, h = forward(net, torch.from_numpy(o[None].copy()), h)
            o, r, terminated, truncated, _ = env.step(int(logits.argmax()))
            score, over = score + r, terminated or truncated
        right += r == 1.0
    return score / episodes, right / episodes


def main():
    torch.set_num_threads(1)
    torch.manual_seed(opts.seed)
    envs = [CueCorridor() for _ in range(N_ENVS)]
    obs = [env.reset(seed=opts.seed if FAULT == "f05" else opts.seed * 100 + i)[0] for i, env in enumerate(envs)]
    net = build()
    opt = torch.optim.RMSprop(net.parameters(), lr=LR, alpha=0.99, eps=1e-5)
    h, log = torch.zeros(N_ENVS, HIDDEN), {"now": [0.0] * N_ENVS, "done": []}
    updates = max(1, opts.steps // (N_ENVS * T))
    for k in range(1, updates + 1):
        batch, obs, h = collect(net, envs, obs, h, log)
        loss, policy, value, entropy = losses(net, batch)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
        if k % max(1, updates // 20) == 0:
            score, right = test(net)
            mean = np.mean(log["done"][-200:]) if log["done"] else float("nan")
            print(f"{k * N_ENVS * T:>8d} | return {mean:6.3f} | policy {policy:+.3f} value {value:.3f} entropy {entropy:.3f}"
                  f" | greedy {score:6.3f}, {right:.0%} right", flush=True)


main()
