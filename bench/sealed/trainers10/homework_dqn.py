# Assignment 3 -- deep Q-learning on a small moon lander.
# Parts: (a) dueling network (b) double Q targets (c) n-step returns (d) prioritised replay
import argparse
import collections
import copy
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=24000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", type=str, default="none")
    ap.add_argument("--n_step", type=int, default=3)
    ap.add_argument("--batch", type=int, default=64)
    return ap.parse_args()


class MoonLander(gym.Env):
    """One engine with two throttles; touch the ground slowly."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-20.0, 20.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.thrust = (0.0, 0.1, 0.22)

    def _get(self):
        return np.array([self.height / 5.0, self.speed], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(4.0, 9.0)
        self.speed = self.np_random.uniform(-0.6, 0.2)
        return self._get(), {}

    def step(self, action):
        self.speed += self.thrust[int(action)] - 0.1
        self.height += self.speed
        reward = -0.01
        if self.height <= 0.0:
            soft = self.speed > -0.35
            return self._get(), (1.0 if soft else -1.0), True, False, {}
        if self.height > 14.0:
            return self._get(), -1.0, True, False, {}
        return self._get(), reward, False, False, {}


def make_env():
    return gym.wrappers.TimeLimit(MoonLander(), 60)


class DuelingNet(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(n_in, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU())
        self.val = nn.Linear(96, 1)
        self.adv = nn.Linear(96, n_out)

    def forward(self, s):
        z = self.fc(s)
        a = self.adv(z)
        return self.val(z) + a - a.mean(dim=1, keepdim=True)


class PrioritizedMemory:
    """proportional prioritisation, flat array version"""

    def __init__(self, capacity, n_obs, alpha=0.5, fault="none"):
        self.capacity, self.alpha, self.fault = capacity, alpha, fault
        self.s = np.zeros((capacity, n_obs), np.float32)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.s2 = np.zeros((capacity, n_obs), np.float32)
        self.end = np.zeros(capacity, np.float32)
        self.disc = np.zeros(capacity, np.float32)
        self.prio = np.zeros(capacity, np.float64)
        self.max_prio = 1.0
        self.ptr, self.n = 0, 0

    def push(self, s, a, r, s2, end, disc):
        i = self.ptr
        self.s[i], self.a[i], self.r[i], self.s2[i], self.end[i], self.disc[i] = s, a, r, s2, end, disc
        self.prio[i] = self.max_prio
        self.ptr = (i + 1) % self.capacity
        self.n = min(self.n + 1, self.capacity)

    def sample(self, k, beta):
        scaled = self.prio[:self.n] ** self.alpha
        cum = np.cumsum(scaled)
        idx = np.searchsorted(cum, np.random.rand(k) * cum[-1])
        idx = np.minimum(idx, self.n - 1)
        prob = scaled[idx] / cum[-1]
        w = (self.n * prob) ** (-beta)
        w = w / w.max()
        t = torch.as_tensor
        return idx, t(w, dtype=torch.float32), (t(self.s[idx]), t(self.a[idx]), t(self.r[idx]),
                                                t(self.s2[idx]), t(self.end[idx]), t(self.disc[idx]))

    def set_priorities(self, idx, td):
        new = np.abs(td) + 1e-3
        if self.fault == "f03":
            idx = np.arange(len(td))
        self.prio[idx] = new
        self.max_prio = max(self.max_prio, float(new.max()))


def run_eval(env, net, episodes=5):
    out = []
    for _ in range(episodes):
        s, _ = env.reset()
        total = 0.0
        while True:
            with torch.no_grad():
                a = int(net(torch.as_tensor(s)[None]).argmax(1))
            s, r, term, trunc, _ = env.step(a)
            total += float(r)
            if term or trunc:
                break
        out.append(total)
    return float(np.mean(out))


def main():
    args = get_args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = make_env()
    if args.fault == "f06":
        test_env = env
    else:
        test_env = make_env()
    test_env.reset(seed=args.seed + 555)
    n_obs, n_act = env.observation_space.shape[0], env.action_space.n

    gamma = 0.96
    warmup, train_every, sync_every = 1000, 2, 250
    eps_start, eps_end, eps_frames = 1.0, 0.05, 6000

    net = DuelingNet(n_obs, n_act)
    target = copy.deepcopy(net)
    if args.fault == "f02":
        opt = torch.optim.Adam(target.parameters(), lr=1e-3)
    else:
        opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    memory = PrioritizedMemory(10000, n_obs, fault=args.fault)
    window = collections.deque()

    def flush_one(s2, end):
        ret, disc = 0.0, 1.0
        for (_, _, r) in window:
            ret += disc * r
            disc *= gamma
        s0, a0, _ = window.popleft()
        if args.fault == "f01":
            disc = gamma
        memory.push(s0, a0, ret, s2, float(end), disc)

    s, _ = env.reset(seed=args.seed)
    episode, ep_return, history, losses, grad_steps = 0, 0.0, [], [], 0
    for frame in range(1, args.steps + 1):
        if args.fault == "f05":
            eps = max(eps_end, eps_start - (eps_start - eps_end) * episode / eps_frames)
        else:
            eps = max(eps_end, eps_start - (eps_start - eps_end) * frame / eps_frames)
        if random.random() < eps:
            a = random.randrange(n_act)
        else:
            with torch.no_grad():
                a = int(net(torch.as_tensor(s)[None]).argmax(1))
        s2, r, term, trunc, _ = env.step(a)
        ep_return += float(r)
        window.append((s, a, float(r)))
        if len(window) == args.n_step:
            flush_one(s2, term)
        if term or trunc:
            while window:
                flush_one(s2, term)
            history.append(ep_return)
            ep_return, episode = 0.0, episode + 1
            s, _ = env.reset()
        else:
            s = s2

        if frame > warmup and frame % train_every == 0:
            beta = min(1.0, 0.4 + 0.6 * frame / args.steps)
            idx, w, (bs, ba, br, bs2, bend, bdisc) = memory.sample(args.batch, beta)
            with torch.no_grad():
                best = net(bs2).argmax(dim=1, keepdim=True)
                q2 = target(bs2).gather(1, best).squeeze(1)
                y = br + bdisc * (1.0 - bend) * q2
            q = net(bs).gather(1, ba[:, None]).squeeze(1)
            td = y - q
            loss = (w * nn.functional.smooth_l1_loss(q, y, reduction="none")).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 10.0)
            opt.step()
            memory.set_priorities(idx, td.detach().numpy())
            losses.append(loss.item())
            grad_steps += 1
            counter = episode if args.fault == "f04" else grad_steps
            if counter % sync_every == 0 and counter > 0:
                target.load_state_dict(net.state_dict())

        if frame % 500 == 0:
            ev = run_eval(test_env, net)
            print("frame %6d   episodes %4d   eps %.2f   train %6.2f   test %6.2f   loss %.4f" % (
                frame, episode, eps, np.mean(history[-50:]) if history else float("nan"), ev,
                np.mean(losses[-500:]) if losses else float("nan")), flush=True)


if __name__ == "__main__":
    main()
