# Advantage actor-critic on CartPole. n workers stepped in turn, n-step returns, RMSprop.
import argparse
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)

parser = argparse.ArgumentParser("a2c")
parser.add_argument("--steps", type=int, default=80_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
parser.add_argument("--workers", type=int, default=16)
parser.add_argument("--nsteps", type=int, default=16)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--ent", type=float, default=0.02)


class Workers:
    """Environments that reset themselves; the last observation of an episode is handed out in `final`."""

    def __init__(self, n, seed, fault):
        if fault == "f04":
            self.envs = [gym.make("CartPole-v1")] * n
        else:
            self.envs = [gym.make("CartPole-v1") for _ in range(n)]
        self.fault = fault
        self.obs = np.stack([e.reset(seed=seed + 31 * i)[0] for i, e in enumerate(self.envs)])
        self.score = np.zeros(n)
        self.scores = deque(maxlen=40)

    def step(self, actions):
        n = len(self.envs)
        rew, term, trunc = np.zeros(n, np.float32), np.zeros(n, bool), np.zeros(n, bool)
        final = np.zeros_like(self.obs)
        if self.fault == "f06":
            actions = np.full_like(actions, actions[0])
        for i, e in enumerate(self.envs):
            o, r, term[i], trunc[i], _ = e.step(int(actions[i]))
            final[i] = o
            rew[i] = 0.1 * r
            self.score[i] += r
            if term[i] or trunc[i]:
                self.scores.append(self.score[i])
                self.score[i] = 0.0
                o, _ = e.reset()
            self.obs[i] = o
        return self.obs.copy(), rew, term, trunc, final


def features(obs):
    return torch.as_tensor(obs / np.array([1.2, 1.5, 0.1, 1.5]), dtype=torch.float32)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.vf = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, x):
        return self.pi(x), self.vf(x)


def evaluate(net, seed, fault, episodes=5):
    env = gym.make("CartPole-v1")
    scores, total = [], 0.0
    for k in range(episodes):
        o, _ = env.reset(seed=seed + 5000 + k)
        end = False
        if fault != "f07":
            total = 0.0
        while not end:
            with torch.no_grad():
                a = torch.distributions.Categorical(logits=net(features(o))[0]).sample()
            o, r, te, tr, _ = env.step(int(a))
            total += r
            end = te or tr
        scores.append(total)
    return np.mean(scores)


def main():
    args = parser.parse_args()
    fault = args.fault
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    workers = Workers(args.workers, args.seed, fault)
    net = Net()
    if fault == "f05":
        optimizer = torch.optim.RMSprop(net.parameters(), args.lr, 1e-5, 0.99)
    else:
        optimizer = torch.optim.RMSprop(net.parameters(), args.lr, 0.99, 1e-5)

    obs = workers.obs.copy()
    done_steps, updates = 0, 0
    per_update = args.workers * args.nsteps
    while done_steps < args.steps:
        batch_obs, batch_act, batch_rew, batch_end = [], [], [], []
        for _ in range(args.nsteps):
            with torch.no_grad():
                logits, _ = net(features(obs))
            act = torch.distributions.Categorical(logits=logits).sample().numpy()
            nxt, rew, term, trunc, final = workers.step(act)
            if trunc.any():
                with torch.no_grad():
                    rew = rew + args.gamma * net(features(final))[1].squeeze(1).numpy() * (trunc & ~term)
            batch_obs.append(obs)
            batch_act.append(act)
            batch_rew.append(rew)
            batch_end.append(term | trunc)
            obs = nxt
        done_steps += per_update
        updates += 1

        with torch.no_grad():
            ret = net(features(obs))[1].squeeze(1).numpy()
        if fault == "f02":
            ret = np.zeros_like(ret)
        returns = np.zeros((args.nsteps, args.workers), np.float32)
        for t in reversed(range(args.nsteps)):
            ret = batch_rew[t] + args.gamma * ret * (1.0 - batch_end[t])
            returns[t] = ret

        x = features(np.concatenate(batch_obs))
        a = torch.as_tensor(np.concatenate(batch_act))
        y = torch.as_tensor(returns.reshape(-1))
        logits, values = net(x)
        dist = torch.distributions.Categorical(logits=logits)
        adv = y - values.squeeze(1).detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        policy_loss = -(dist.log_prob(a) * adv).mean()
        if fault == "f03":
            value_loss = (y - values).pow(2).mean()
        else:
            value_loss = F.mse_loss(values.squeeze(1), y)
        entropy = dist.entropy().mean()
        if fault == "f01":
            loss = policy_loss + 0.5 * value_loss + args.ent * entropy
        else:
            loss = policy_loss + 0.5 * value_loss - args.ent * entropy
        optimizer.zero_grad()
        loss.backward()
        grad_norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()

        if updates % 25 == 0:
            msg = (f"steps: {done_steps}, mean score: {np.mean(workers.scores) if workers.scores else float('nan'):.1f}, "
                   f"policy loss: {policy_loss.item():.4f}, value loss: {value_loss.item():.3f}, entropy: {entropy.item():.3f}, "
                   f"grad norm: {grad_norm:.3f}")
            if updates % 50 == 0:
                msg += f", eval: {evaluate(net, args.seed, fault):.1f}"
            print(msg, flush=True)


if __name__ == "__main__":
    main()
