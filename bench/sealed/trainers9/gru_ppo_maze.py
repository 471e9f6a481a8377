"""Recurrent PPO: remember a lamp at the start of a corridor until the junction at its end."""
import argparse
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

FORWARD, LEFT, RIGHT = 0, 1, 2


class LampMaze(gym.Env):
    """Observation: lamp left, lamp right, in the corridor, at the junction. The lamp is lit in the first step only."""

    def __init__(self, fault="none", limit=24):
        self.fault, self.limit = fault, limit
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.side = LEFT

    def _obs(self, lit=False):
        o = np.zeros(4, np.float32)
        if lit:
            o[self.side - 1] = 1.0
        o[3 if self.place == self.length else 2] = 1.0
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.clock = 0, 0
        self.length = int(self.np_random.integers(2, 5))
        side = int(self.np_random.integers(LEFT, RIGHT + 1))
        if self.fault == "f03":
            obs = self._obs(lit=True)
            self.side = side
        else:
            self.side = side
            obs = self._obs(lit=True)
        return obs, {}

    def step(self, action):
        self.clock += 1
        reward, terminated = -0.02, False
        if self.place < self.length:
            if action == FORWARD:
                self.place += 1
            else:
                reward -= 0.05
        elif action == FORWARD:
            reward -= 0.05
        else:
            reward, terminated = (1.0 if action == self.side else -0.5), True
        return self._obs(), reward, terminated, self.clock >= self.limit and not terminated, {}


class RecurrentAgent(nn.Module):
    def __init__(self, n_in, n_actions, hidden=48):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Linear(n_in, 32)
        self.gru = nn.GRUCell(32, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def step(self, x, h):
        h = self.gru(torch.relu(self.embed(x)), h)
        return self.pi(h), self.v(h).squeeze(-1), h

    def unroll(self, xs, h, starts):
        """xs: [T, B, n_in]; starts: [T, B], 1 where a row is the first of its episode."""
        embedded = torch.relu(self.embed(xs))
        states = []
        for t in range(xs.shape[0]):
            h = self.gru(embedded[t], h * (1.0 - starts[t]).unsqueeze(-1))
            states.append(h)
        states = torch.stack(states)
        return self.pi(states), self.v(states).squeeze(-1)


def categorical(logits):
    return torch.distributions.Categorical(logits=logits, validate_args=False)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.envs = [LampMaze(args.fault) for _ in range(args.envs)]
        self.agent = RecurrentAgent(4 + 3 + 1, 3)
        self.opt = torch.optim.Adam(self.agent.parameters(), lr=args.lr)
        B = args.envs
        self.obs = torch.tensor(np.stack([e.reset(seed=args.seed * 997 + i)[0] for i, e in enumerate(self.envs)]))
        self.prev_action = torch.zeros(B, 3)
        self.prev_reward = torch.zeros(B)
        self.start = torch.ones(B)
        self.h = torch.zeros(B, self.agent.hidden)
        self.score = np.zeros(B)
        self.recent = deque(maxlen=200)

    def inputs(self, obs, prev_action, prev_reward):
        return torch.cat([obs, prev_action, prev_reward.unsqueeze(-1)], dim=-1)

    @torch.no_grad()
    def collect(self):
        a, B = self.args, self.args.envs
        keep = {k: [] for k in ("x", "start", "action", "logp", "value", "reward", "v_next", "over")}
        h0 = self.h.clone()
        for _ in range(a.length):
            x = self.inputs(self.obs, self.prev_action, self.prev_reward)
            h_in = self.h if a.fault == "f01" else self.h * (1.0 - self.start).unsqueeze(-1)
            logits, value, h = self.agent.step(x, h_in)
            dist = categorical(logits)
            action = dist.sample()

            landed = torch.zeros_like(self.obs)
            reward, term, trunc = torch.zeros(B), torch.zeros(B), torch.zeros(B)
            for i, env in enumerate(self.envs):
                o, r, te, tr, _ = env.step(int(action[i]))
                landed[i] = torch.from_numpy(o)
                reward[i], term[i], trunc[i] = r, float(te), float(tr)
                self.score[i] += r
            over = torch.maximum(term, trunc)
            onehot = nn.functional.one_hot(action, 3).float()
            v_next = self.agent.step(self.inputs(landed, onehot, reward), h)[1] * (1.0 - term)

            for k, v in dict(x=x, start=self.start, action=action, logp=dist.log_prob(action), value=value,
                             reward=self.prev_reward if a.fault == "f02" else reward, v_next=v_next, over=over).items():
                keep[k].append(v)

            for i in np.flatnonzero(over.numpy()):
                landed[i] = torch.from_numpy(self.envs[i].reset()[0])
                self.recent.append(self.score[i])
                self.score[i] = 0.0
            alive = 1.0 - over
            self.obs, self.h, self.start = landed, h, over
            self.prev_action, self.prev_reward = onehot * alive.unsqueeze(-1), reward * alive
        return {k: torch.stack(v) for k, v in keep.items()}, h0

    def advantages(self, d):
        a = self.args
        adv, acc = torch.zeros_like(d["reward"]), torch.zeros(a.envs)
        for t in reversed(range(a.length)):
            delta = d["reward"][t] + a.gamma * d["v_next"][t] - d["value"][t]
            if a.fault == "f04":
                acc = delta + a.gamma * a.lam * acc
            else:
                acc = delta + a.gamma * a.lam * (1.0 - d["over"][t]) * acc
            adv[t] = acc
        return adv

    def improve(self, d, h0):
        a = self.args
        adv = self.advantages(d)
        if a.fault == "f06":
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            target = adv + d["value"]
        else:
            target = adv + d["value"]
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        stats = {}
        for _ in range(a.epochs):
            for cols in torch.randperm(a.envs).chunk(a.chunks):
                logits, value = self.agent.unroll(d["x"][:, cols], h0[cols], d["start"][:, cols])
                dist = categorical(logits)
                logp = dist.log_prob(d["action"][:, cols])
                old = logp.detach() if a.fault == "f05" else d["logp"][:, cols]
                ratio = (logp - old).exp()
                g = adv[:, cols]
                pi_loss = -torch.minimum(ratio * g, ratio.clamp(1 - a.clip, 1 + a.clip) * g).mean()
                v_loss = (value - target[:, cols]).square().mean()
                ent = dist.entropy().mean()
                self.opt.zero_grad()
                (pi_loss + 0.5 * v_loss - a.ent * ent).backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
                self.opt.step()
                stats = dict(pi=pi_loss.item(), v=v_loss.item(), ent=ent.item())
        return stats

    def run(self):
        a = self.args
        per_iter = a.envs * a.length
        for it in range(1, max(1, a.steps // per_iter) + 1):
            stats = self.improve(*self.collect())
            if it % 5 == 0:
                print(f"{it * per_iter:>8} steps  return {np.mean(self.recent) if self.recent else float('nan'):6.3f}  "
                      + "  ".join(f"{k} {v:.4f}" for k, v in stats.items()), flush=True)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=120_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="none")
    ap.add_argument("--envs", type=int, default=32)
    ap.add_argument("--length", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--chunks", type=int, default=2)
    ap.add_argument("--gamma", type=float, default=0.98)
    ap.add_argument("--lam", type=float, default=0.95)
    ap.add_argument("--lr", type=float, default=1.5e-3)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--ent", type=float, default=0.01)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    Trainer(args).run()
