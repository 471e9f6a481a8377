# REINFORCE with a learned baseline. A kiosk orders goods each evening of a four-week season.
import argparse
import csv
import math
import os
import sys
import tempfile

import gymnasium
import numpy as np
import torch
import torch.nn as nn


def build_env(fault):
    class Kiosk(gymnasium.Env):
        """Stock spoils slowly; demand depends on the weekday; the season ends after 28 days (the day is observed)."""
        ORDERS = (0, 2, 4, 6, 8, 10)
        MEAN = (2.0, 2.0, 3.0, 3.0, 5.0, 8.0, 6.0)
        DAYS = 28

        observation_space = gymnasium.spaces.Box(-1.0, 2.0, (5,), np.float32)
        action_space = gymnasium.spaces.Discrete(6)

        def look(self):
            phase = 2 * math.pi * (self.day % 7) / 7
            left = (self.DAYS - self.day) / self.DAYS
            row = [self.stock / 20, math.sin(phase), math.cos(phase), left, float(self.day % 7 == 4)]
            if fault == "f04":
                row = [int(v) for v in row]
            return np.array(row, dtype=np.float32)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.day = 0
            self.stock = int(self.np_random.integers(0, 11))
            return self.look(), {}

        def step(self, action):
            order = self.ORDERS[int(action)]
            self.stock = min(self.stock + order, 20)
            demand = int(self.np_random.poisson(self.MEAN[self.day % 7]))
            sold = min(self.stock, demand)
            self.stock -= sold
            holding = 0.5 * self.stock
            if fault == "f10":
                holding = -holding
            profit = 3.0 * sold - 1.0 * order - holding
            self.day += 1
            return self.look(), float(profit), self.day >= self.DAYS, False, {}

    return Kiosk()


def mlp(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, n_out))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--steps", type=int, default=56000)
    cli.add_argument("--fault", default="none")
    cli.add_argument("--csv", default=None)
    opt = cli.parse_args()
    fault, seed = opt.fault, opt.seed

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    dice = np.random.RandomState(seed)
    env, test_env = build_env(fault), build_env(fault)
    policy, baseline = mlp(5, 6), mlp(5, 1)
    adam_p = torch.optim.Adam(policy.parameters(), lr=2e-3)
    adam_b = torch.optim.Adam(baseline.parameters(), lr=3e-3)
    gamma, episodes_per_batch = 0.99, 10

    def probabilities(obs, temperature=1.0):
        with torch.no_grad():
            return torch.softmax(policy(torch.from_numpy(obs)) / temperature, -1).numpy().astype(np.float64)

    def episode():
        if fault == "f07":
            obs, _ = env.reset(seed=seed)
        else:
            obs, _ = env.reset()
        O, R = [], []
        A = np.zeros(28, dtype=bool if fault == "f02" else np.int64)
        over = False
        while not over:
            p = probabilities(obs, 0.05 if fault == "f08" else 1.0)
            a = min(int(np.searchsorted(np.cumsum(p), dice.rand())), 5)
            O.append(obs)
            A[len(R)] = a
            obs, r, terminated, truncated, _ = env.step(a)
            R.append(r)
            over = terminated or truncated
        return np.stack(O), A.astype(np.int64), np.array(R)

    def discounted(list_of_rewards):
        out, g = [], 0.0
        for R in reversed(list_of_rewards):
            if fault != "f05":
                g = 0.0
            G = np.zeros(len(R))
            if fault == "f09":
                for i in range(len(R)):
                    g = R[i] + gamma * g
                    G[i] = g
            else:
                for i in reversed(range(len(R))):
                    g = R[i] + gamma * g
                    G[i] = g
            out.append(G)
        return np.concatenate(out[::-1])

    def test(count=20):
        total = 0.0
        for k in range(count):
            obs, _ = test_env.reset(seed=314_159 + 1000 * seed + k)
            over = False
            while not over:
                obs, r, terminated, truncated, _ = test_env.step(int(probabilities(obs).argmax()))
                total += r
                over = terminated or truncated
        return total / count

    path = opt.csv or os.path.join(tempfile.mkdtemp(), "progress.csv")
    with open(path, "w", newline="") as handle:
        sheet = csv.writer(handle)
        sheet.writerow(["step", "episode_return", "test_return", "policy_loss", "baseline_loss", "entropy"])
        env.reset(seed=seed + 1)
        first = last = test()
        t, batch_no, mean_return, scale = 0, 0, float("nan"), 20.0
        while t < opt.steps:
            batch = [episode() for _ in range(episodes_per_batch)]
            obs = torch.from_numpy(np.concatenate([b[0] for b in batch]))
            act = torch.from_numpy(np.concatenate([b[1] for b in batch]))
            ret = torch.from_numpy(discounted([b[2] for b in batch])).float()
            t += len(ret)
            batch_no += 1
            mean_return = float(np.mean([b[2].sum() for b in batch]))

            # the baseline speaks in units of `scale`
            guess = baseline(obs).squeeze(1)
            if fault == "f01":
                advantage = ret - guess.detach()
            else:
                advantage = ret - guess.detach() * scale
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            logits = torch.log_softmax(policy(obs), -1)
            chosen = logits[torch.arange(len(act)), act]
            entropy = -(logits.exp() * logits).sum(-1).mean()
            sign = 1.0 if fault == "f06" else -1.0
            policy_loss = sign * (chosen * advantage).mean() - 0.01 * entropy
            baseline_loss = ((guess - ret / scale) ** 2).mean()

            adam_p.zero_grad()
            policy_loss.backward()
            if fault == "f03":
                adam_b.step()
            else:
                adam_p.step()
            for k in range(4):
                adam_b.zero_grad()
                ((baseline(obs).squeeze(1) - ret / scale) ** 2).mean().backward()
                adam_b.step()

            if batch_no % 20 == 0 or t >= opt.steps:
                last = test()
                sheet.writerow([t, mean_return, last, policy_loss.item(), baseline_loss.item(), entropy.item()])
                handle.flush()
    sys.stdout.write(f"test return {first:.1f} before, {last:.1f} after {t} steps; training {mean_return:.1f}; table in {path}\n")


main()
