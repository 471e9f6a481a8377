"""Synchronous n-step advantage actor-critic.

The forager walks over a small board, eats apples (+1, a new one grows elsewhere) and must not fall
into the pit (-1, the end).  A day is 50 moves.  One line of JSON per report goes to standard output.
"""
import argparse
import json

import gymnasium as gym
import numpy as np
import torch
from torch import nn

SIZE = 5
VIEW = 2 * SIZE - 1  # the forager sees the board around itself
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))


class ForagerEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (2 * VIEW * VIEW,), np.float32)
        self.action_space = gym.spaces.Discrete(4)

    def _free_cell(self, taken):
        while True:
            cell = tuple(int(v) for v in self.np_random.integers(0, SIZE, 2))
            if cell not in taken:
                return cell

    def _view(self):
        around = np.zeros((2, VIEW, VIEW), np.float32)
        for plane, thing in enumerate((self.apple, self.pit)):
            around[plane, thing[0] - self.me[0] + SIZE - 1, thing[1] - self.me[1] + SIZE - 1] = 1.0
        return around.ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.me = self._free_cell(())
        self.pit = self._free_cell((self.me,))
        self.apple = self._free_cell((self.me, self.pit))
        return self._view(), {}

    def step(self, action):
        dr, dc = MOVES[int(action)]
        self.me = (min(max(self.me[0] + dr, 0), SIZE - 1), min(max(self.me[1] + dc, 0), SIZE - 1))
        if self.me == self.pit:
            return self._view(), -1.0, True, False, {}
        reward = 0.0
        if self.me == self.apple:
            reward = 1.0
            self.apple = self._free_cell((self.me, self.pit))
        return self._view(), reward, False, False, {}


gym.register(id="AuthorForager-v0", entry_point=ForagerEnv, max_episode_steps=50)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2 * VIEW * VIEW, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.pi = nn.Linear(64, 4)
        self.v = nn.Linear(64, 1)
        nn.init.normal_(self.pi.weight, 0, 0.01)
        nn.init.zeros_(self.pi.bias)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h), self.v(h)[..., 0]


def log_policy(logits, fault):
    if fault == "f04":
        return torch.log_softmax(logits, dim=0)
    return torch.log_softmax(logits, dim=-1)


def tensor_of(obs, fault):
    x = torch.as_tensor(np.asarray(obs), dtype=torch.float32)
    if fault == "f08":
        x = x / 255.0
    return x


def play(net, episodes, seed, fault):
    env = gym.make("AuthorForager-v0")
    score, scores = 0.0, []
    for e in range(episodes):
        obs, _ = env.reset(seed=seed + e)
        if fault != "f06":
            score = 0.0
        done = False
        while not done:
            with torch.no_grad():
                logits, _ = net(tensor_of(obs, fault)[None])
            obs, r, term, trunc, _ = env.step(int(logits.argmax(-1)))
            score += r
            done = term or trunc
        scores.append(score)
    return sum(scores) / len(scores)


def train(seed, total_steps, fault, workers=16, n=8, gamma=0.95, lr=2e-3, beta=0.01):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    reward_scale = 0.001 if fault == "f05" else 1.0
    gen = torch.Generator().manual_seed(seed + 1)
    net = Net()
    opt = torch.optim.RMSprop(net.parameters(), lr=lr, alpha=0.99, eps=1e-5)
    if fault == "f09":
        envs = [gym.make("AuthorForager-v0")] * workers
    else:
        envs = [gym.make("AuthorForager-v0") for _ in range(workers)]
    obs = [env.reset(seed=10_000 * seed + k)[0] for k, env in enumerate(envs)]
    account = np.zeros(workers)
    history, t, report = [], 0, 0

    def tell(**row):
        print(json.dumps(row), flush=True)

    tell(step=0, eval_return=play(net, 20, 5_000_000 + seed * 100, fault))
    while t < total_steps:
        xs, acts, rews, ends, cuts, afters = [], [], [], [], [], []
        for _ in range(n):
            x = tensor_of(obs, fault)
            with torch.no_grad():
                logits, _ = net(x)
                probs = log_policy(logits, fault).exp()
            if fault == "f02":
                a = probs.argmax(-1)
            else:
                a = torch.multinomial(probs, 1, generator=gen)[:, 0]
            sent = torch.multinomial(probs, 1, generator=gen)[:, 0] if fault == "f10" else a
            r, end, cut, after = np.zeros(workers), np.zeros(workers), np.zeros(workers), []
            for k, env in enumerate(envs):
                o, rk, term, trunc, _ = env.step(int(sent[k]))
                account[k] += rk
                after.append(o)
                r[k], end[k], cut[k] = rk, term, term or trunc
                if term or trunc:
                    history.append(account[k])
                    account[k] = 0.0
                    o, _ = env.reset()
                obs[k] = o
            xs.append(x)
            acts.append(a)
            rews.append(torch.tensor(r, dtype=torch.float32) * reward_scale)
            ends.append(torch.tensor(end, dtype=torch.float32))
            cuts.append(torch.tensor(cut, dtype=torch.float32))
            afters.append(tensor_of(after, fault))
            t += workers

        # n-step returns: an end pays nothing more, a cut episode or the end of the segment the value of what came after
        with torch.no_grad():
            v_after = [net(a)[1] for a in afters]
        ret = v_after[-1]
        targets = [None] * n
        for i in reversed(range(n)):
            if fault == "f03":
                stop = ends[i - 1] if i > 0 else torch.zeros(workers)
                ret = rews[i] + gamma * (1 - stop) * torch.where(cuts[i] > 0, v_after[i], ret)
            else:
                ret = rews[i] + gamma * (1 - ends[i]) * torch.where(cuts[i] > 0, v_after[i], ret)
            targets[i] = ret
        X, A, G = torch.cat(xs), torch.cat(acts), torch.cat(targets)

        logits, v = net(X)
        logp_all = log_policy(logits, fault)
        logp = logp_all.gather(1, A[:, None])[:, 0]
        adv = G - v
        if fault != "f01":
            adv = adv.detach()
        actor_loss = -(logp * adv).mean()
        critic_loss = (G - v).pow(2).mean()
        entropy = -(logp_all.exp() * logp_all).sum(-1).mean()
        loss = actor_loss + 0.5 * critic_loss - beta * entropy
        if fault != "f07":
            opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        if fault == "f07":
            opt.zero_grad()
        opt.step()

        if t // 10_000 > report or t >= total_steps:
            report = t // 10_000
            tell(step=t, train_return=float(np.mean(history[-50:])) if history else None,
                 eval_return=play(net, 20, 5_000_000 + seed * 100, fault), actor_loss=actor_loss.item(),
                 critic_loss=critic_loss.item(), entropy=entropy.item(), grad_norm=float(norm))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=80000)
    p.add_argument("--fault", default="none")
    a = p.parse_args()
    train(a.seed, a.steps, a.fault)
