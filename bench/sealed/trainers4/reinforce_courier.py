"""
REINFORCE with a learned baseline.

A courier walks on a small board, fetches a parcel and brings it to a door.
"""
from __future__ import annotations

import argparse
from collections import deque
from dataclasses import dataclass, field

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

SIDE = 6
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class CourierEnv(gym.Env):
    def __init__(self, fault: str, max_steps: int = 40):
        super().__init__()
        self.action_space = gym.spaces.Discrete(4)
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (5,), np.float32)
        self.max_steps = max_steps
        self.fault = fault
        self.moves = list(MOVES)
        if fault == "f03":
            self.moves[3] = (1, 0)
        self.clock = 0

    def _cell(self):
        return self.np_random.integers(0, SIDE, size=2)

    def _obs(self):
        goal = self.door if self.loaded else self.parcel
        if self.fault == "f02":
            goal = self.parcel
        rel = (goal - self.me) / (SIDE - 1)
        here = 2 * self.me / (SIDE - 1) - 1
        return np.array([rel[0], rel[1], here[0], here[1], float(self.loaded)], dtype=np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.me, self.parcel, self.door = self._cell(), self._cell(), self._cell()
        while (self.parcel == self.door).all():
            self.door = self._cell()
        self.loaded = False
        if self.fault != "f01":
            self.clock = 0
        return self._obs(), {}

    def step(self, action):
        self.me = np.clip(self.me + self.moves[action], 0, SIDE - 1)
        self.clock += 1
        reward, delivered = -0.03, False
        at_parcel = (self.me == self.parcel).all()
        if at_parcel and (not self.loaded or self.fault == "f04"):
            self.loaded = True
            reward += 0.5
        if self.loaded and (self.me == self.door).all():
            delivered = True
            reward += 1.0
        return self._obs(), reward, delivered, self.clock >= self.max_steps, {"delivered": delivered}


@dataclass
class Episode:
    obs: list = field(default_factory=list)
    act: list = field(default_factory=list)
    rew: list = field(default_factory=list)
    tail: float = 0.0  # what is still to come where the clock stopped the episode
    delivered: bool = False

    @property
    def score(self):
        return sum(self.rew)


def net(n_out):
    return nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n_out))


class Reinforce:
    def __init__(self, args):
        self.fault = args.fault
        self.gamma = 0.97
        self.actor, self.baseline = net(4), net(1)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=3e-3)
        self.base_opt = torch.optim.Adam(self.baseline.parameters(), lr=5e-3)
        self.entropy_weight = 0.01

    def pi(self, obs):
        scores = self.actor(obs)
        if self.fault == "f10":
            scores = torch.softmax(scores, dim=-1)
        return torch.distributions.Categorical(logits=scores)

    @torch.no_grad()
    def act(self, obs, greedy=False):
        d = self.pi(torch.as_tensor(obs))
        return int(d.probs.argmax()) if greedy else int(d.sample())

    @torch.no_grad()
    def guess(self, obs):
        return float(self.baseline(torch.as_tensor(obs)))

    def rewards_to_go(self, ep: Episode):
        g, out = ep.tail, []
        for r in reversed(ep.rew):
            g = r + self.gamma * g
            out.append(g)
        if self.fault != "f06":
            out.reverse()
        return out

    def learn(self, episodes):
        obs = torch.as_tensor(np.concatenate([np.stack(e.obs) for e in episodes]))
        act = torch.as_tensor(np.concatenate([e.act for e in episodes]))
        g = torch.tensor([x for e in episodes for x in self.rewards_to_go(e)], dtype=torch.float32)

        base_target = g
        if self.fault == "f07":
            base_target = (g - g.mean()) / (g.std() + 1e-8)
        with torch.no_grad():
            adv = g - self.baseline(obs).squeeze(-1)
        for _ in range(4):
            base_loss = nn.functional.mse_loss(self.baseline(obs).squeeze(-1), base_target)
            self.base_opt.zero_grad()
            base_loss.backward()
            self.base_opt.step()

        d = self.pi(obs)
        weight = adv / (adv.std() + 1e-8)
        loss = -(d.log_prob(act) * weight).mean()
        if self.fault == "f08":
            loss = (d.log_prob(act) * weight).mean()
        loss = loss - self.entropy_weight * d.entropy().mean()
        if self.fault != "f09":
            self.actor_opt.zero_grad()
        loss.backward()
        self.actor_opt.step()
        return float(d.entropy().mean())


def play_episode(env, agent, greedy=False, seed=None):
    ep = Episode()
    obs, _ = env.reset(seed=seed)
    while True:
        a = agent.act(obs, greedy)
        ep.obs.append(obs)
        ep.act.append(a)
        obs, r, terminated, truncated, info = env.step(a)
        ep.rew.append(r)
        if terminated or truncated:
            if not terminated:
                ep.tail = agent.guess(obs)
            ep.delivered = info["delivered"]
            return ep


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="none")
    ap.add_argument("--steps", type=int, default=60_000)
    ap.add_argument("--batch", type=int, default=500, help="steps per update")
    args = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env, test_env = CourierEnv(args.fault), CourierEnv(args.fault)
    env.reset(seed=args.seed)
    agent = Reinforce(args)

    store = deque(maxlen=150)
    recent = deque(maxlen=60)
    steps = fresh = updates = 0
    while steps < args.steps:
        ep = play_episode(env, agent)
        store.append(ep)
        recent.append((ep.score, ep.delivered))
        steps += len(ep.rew)
        fresh += len(ep.rew)
        if fresh < args.batch:
            continue
        entropy = agent.learn(store)
        fresh = 0
        updates += 1
        if args.fault != "f05":
            store.clear()
        if updates % 16 == 0:
            score, rate = np.mean(recent, axis=0)
            tests = [play_episode(test_env, agent, True, seed=9000 + k) for k in range(10)]
            print(f"{steps:6d} steps  score {score:6.3f}  delivered {rate:4.0%}  "
                  f"test {np.mean([t.score for t in tests]):6.3f}  entropy {entropy:.3f}", flush=True)
    print("done")


if __name__ == "__main__":
    main()
