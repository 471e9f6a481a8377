"""Actor-critic with eligibility traces written by hand: gradients are decayed and stepped with plain SGD by an optimizer."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class Hill(gym.Env):
    """Walk on a line of 12 places to the top; steps slip. +10 at the top, -0.1 a step, no time limit."""

    def __init__(self):
        self.observation_space = gym.spaces.Discrete(12)
        self.action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = int(self.np_random.integers(0, 4))
        return self.s, {}

    def step(self, a):
        d = 1 if a == 1 else -1
        if self.np_random.random() < 0.2:
            d = -d
        self.s = max(0, self.s + d)
        done = self.s == 11
        return self.s, 10.0 if done else -0.1, done, False, {}


def features(s):
    """Radial basis functions: neighbours share what is learned."""
    return torch.exp(-0.5 * (torch.arange(12.0) - s) ** 2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=16000)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = Hill()
    actor, critic = nn.Linear(12, 2), nn.Linear(12, 1)
    for m in (actor, critic):
        nn.init.zeros_(m.weight)
        nn.init.zeros_(m.bias)
    opt = torch.optim.SGD([{"params": actor.parameters(), "lr": 0.01}, {"params": critic.parameters(), "lr": 0.03}], lr=0.01)
    params = [*actor.parameters(), *critic.parameters()]
    traces = [torch.zeros_like(p) for p in params]
    gamma, lam = 0.98, 0.8
    s, _ = env.reset(seed=args.seed)
    ret, hist = 0.0, []
    for step in range(args.steps):
        x = features(s)
        dist = torch.distributions.Categorical(logits=actor(x))
        a = dist.sample()
        value = critic(x)[0]
        s2, r, term, _, _ = env.step(int(a))
        with torch.no_grad():
            delta = r + (0.0 if term else gamma * critic(features(s2))[0]) - value
        opt.zero_grad()
        (dist.log_prob(a) + value).backward()
        with torch.no_grad():
            for p, z in zip(params, traces):
                z.mul_(gamma * lam).add_(p.grad)
                p.grad = -delta * z  # SGD descends, so the sign is turned
        opt.step()
        s, ret = s2, ret + r
        if term:
            hist.append(ret)
            ret = 0.0
            for z in traces:
                z.zero_()
            s, _ = env.reset()
        if step % 2000 == 1999:
            print(f"{step + 1} return {np.mean(hist[-20:]):.2f} episodes {len(hist)}")


if __name__ == "__main__":
    main()
