"""
Recurrent PPO (GRU) for a corridor with a cue at its beginning that says where to turn at its end.

The vector environment resets itself on the step after the end of an episode, so one row between two
episodes is no transition: `valid` is 0 there, and it serves only as the last observation of the episode.
"""
import argparse
from types import SimpleNamespace as NS

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

cli = argparse.ArgumentParser()
cli.add_argument("--seed", type=int, default=0)
cli.add_argument("--steps", type=int, default=50_000)
cli.add_argument("--fault", default="none")
opt = cli.parse_args()
FAULT = opt.fault
torch.set_num_threads(1)

LENGTH = 5


class CueCorridor(gym.Env):
    """Actions: 0 walk on, 1 turn left, 2 turn right. Turning counts at the end only."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        return np.array([self.at / LENGTH, self.cue if self.fresh else 0.0, float(self.at == LENGTH)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.fresh = 0, True
        self.cue = float(self.np_random.choice([-1.0, 1.0]))
        return self._obs(), {}

    def step(self, action):
        self.fresh = False
        if self.at == LENGTH and action != 0:
            side = -1.0 if action == 1 else 1.0
            return self._obs(), (1.0 if side == self.cue else -1.0), True, False, {}
        if action == 0:
            self.at = min(LENGTH, self.at + 1)
        return self._obs(), -0.05, False, False, {}


gym.register("CueCorridor-v0", entry_point=CueCorridor, max_episode_steps=20)

N, T = 16, 64
HID = 32
hp = NS(gamma=0.99, lam=0.95, clip=0.2, ent=0.01, vf=0.5, lr=2e-3, epochs=4, groups=2)
if FAULT == "f13":
    hp.lr = 0.06


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(3, HID), nn.Tanh())
        self.cell = nn.GRUCell(HID, HID)
        self.actor = nn.Linear(HID, 3)
        self.critic = nn.Linear(HID, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def step(self, x, h):
        h = self.cell(self.embed(x), h)
        return self.actor(h), self.critic(h).squeeze(-1), h

    def unroll(self, xs, h, begins):
        """xs (T, n, 3), begins (T, n): 1 where an episode begins and the memory is empty."""
        e = self.embed(xs)
        out = []
        for t in range(xs.shape[0]):
            h = h * (1.0 - begins[t]).unsqueeze(-1)
            if FAULT == "f10":
                h = h.detach()
            h = self.cell(e[t], h)
            out.append(h)
        hs = torch.stack(out)
        return self.actor(hs), self.critic(hs).squeeze(-1)


def make():
    e = gym.make("CueCorridor-v0")
    if FAULT == "f12":
        e = gym.wrappers.TimeLimit(e, max_episode_steps=6)
    return e


torch.manual_seed(opt.seed)
np.random.seed(opt.seed)
vec = gym.vector.SyncVectorEnv([make] * N)
agent = Agent()
adam = torch.optim.Adam(agent.parameters(), lr=hp.lr, eps=1e-5)

x = torch.tensor(vec.reset(seed=opt.seed)[0])
h = torch.zeros(N, HID)
is_reset_row = torch.zeros(N)   # the coming row only resets
begins = torch.ones(N)          # the coming row is the first of an episode
tally, log = np.zeros(N), []

iters = max(1, opt.steps // (N * T))
for it in range(1, iters + 1):
    D = NS(**{name: [] for name in "x a lp v r term done valid begin".split()})
    h0 = h.clone()
    for _ in range(T):
        if FAULT != "f01":
            h = h * (1.0 - begins).unsqueeze(-1)
        with torch.no_grad():
            logits, v, h = agent.step(x, h)
            dist = torch.distributions.Categorical(logits=logits)
            a = logits.argmax(-1) if FAULT == "f11" else dist.sample()
            lp = dist.log_prob(a)
        x2, r, term, trunc, _ = vec.step(a.numpy())
        done = np.logical_or(term, trunc)

        tally += r
        for i in np.nonzero(done)[0]:
            log.append(tally[i])
            if FAULT != "f15":
                tally[i] = 0.0

        r = np.maximum(r, 0.0) if FAULT == "f14" else r
        D.x.append(x); D.a.append(a); D.lp.append(lp); D.v.append(v)
        D.r.append(torch.tensor(r, dtype=torch.float32))
        D.term.append(torch.tensor(term, dtype=torch.float32))
        D.done.append(torch.tensor(done, dtype=torch.float32))
        D.valid.append(torch.ones(N) if FAULT == "f04" else 1.0 - is_reset_row)
        D.begin.append(begins)

        begins, is_reset_row = is_reset_row, torch.tensor(done, dtype=torch.float32)
        x = torch.tensor(x2)

    with torch.no_grad():
        v_end = agent.step(x, h * (1.0 - begins).unsqueeze(-1))[1]
    D = NS(**{name: torch.stack(rows) for name, rows in vars(D).items()})

    # GAE: the value after an end of episode is that of the row in between, its last observation
    adv = torch.zeros(T, N)
    run = torch.zeros(N)
    for t in range(T - 1, -1, -1):
        v_next = v_end if t == T - 1 else D.v[t + 1]
        live, same = 1.0 - D.term[t], 1.0 - D.done[t]
        if FAULT == "f07":
            live, same = D.term[t], D.done[t]
        delta = D.r[t] + hp.gamma * live * v_next - D.v[t]
        run = (delta + hp.gamma * hp.lam * same * run) * D.valid[t]
        adv[t] = run
    goal = adv + D.v
    if FAULT == "f08":
        adv = -adv
    picked = adv[D.valid > 0]
    adv = (adv - picked.mean()) / (picked.std() + 1e-8)

    for _ in range(hp.epochs):
        for cols in torch.randperm(N).chunk(hp.groups):
            start = torch.zeros(len(cols), HID) if FAULT == "f03" else h0[cols]
            rows = torch.randperm(T) if FAULT == "f05" else torch.arange(T)
            pick = lambda z: z[rows][:, cols]
            m = pick(D.valid)
            mean = lambda z: z[m > 0].mean()
            logits, v = agent.unroll(pick(D.x), start, pick(D.begin))
            dist = torch.distributions.Categorical(logits=logits)
            ratio = (dist.log_prob(pick(D.a)) - pick(D.lp)).exp()
            if FAULT == "f06":
                bounded = ratio.clamp(hp.clip, 1 + hp.clip)
                gain = bounded * pick(adv)
            else:
                bounded = ratio.clamp(1 - hp.clip, 1 + hp.clip)
                gain = torch.min(ratio * pick(adv), bounded * pick(adv))
            aim = v.detach() + pick(goal - D.v) if FAULT == "f09" else pick(goal)
            loss_v = 0.5 * mean((v - aim) ** 2)
            H = mean(dist.entropy())
            loss = -mean(gain) + hp.vf * loss_v - hp.ent * H
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            adam.step()

    if it % 6 == 0 or it == iters:
        print(f"iter {it:3d} steps {it * N * T:6d} return {np.mean(log[-100:]) if log else float('nan'):+.3f} "
              f"value loss {loss_v.item():.4f} entropy {H.item():.3f}", flush=True)
vec.close()
