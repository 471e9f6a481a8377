import argparse, copy, time
import gymnasium as gym
import numpy as np
import torch as th
import torch.nn as nn
import torch.nn.functional as F

# TD3, Pendulum-v1. Actions are kept in [-1, 1] everywhere; only the environment gets torques.

ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=0)
ap.add_argument("--steps", type=int, default=7000)
ap.add_argument("--fault", default="none")


class Memory:
    def __init__(self, size, od, ad, seed):
        self.o, self.o2 = np.zeros((size, od), np.float32), np.zeros((size, od), np.float32)
        self.a = np.zeros((size, ad), np.float32)
        self.r, self.d = np.zeros((size, 1), np.float32), np.zeros((size, 1), np.float32)
        self.size, self.ptr, self.n = size, 0, 0
        self.rng = np.random.default_rng(seed)

    def push(self, o, a, r, o2, d):
        p = self.ptr
        self.o[p], self.a[p], self.r[p], self.o2[p], self.d[p] = o, a, r, o2, d
        self.ptr = (p + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def draw(self, k, full=False):
        i = self.rng.integers(0, self.size if full else self.n, k)
        return [th.from_numpy(x[i]) for x in (self.o, self.a, self.r, self.o2, self.d)]


def actor_net(od, ad):
    return nn.Sequential(nn.Linear(od, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, ad), nn.Tanh())


class Twin(nn.Module):
    def __init__(self, od, ad):
        super().__init__()
        make = lambda: nn.Sequential(nn.Linear(od + ad, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
        self.a, self.b = make(), make()

    def forward(self, o, u):
        x = th.cat([o, u], 1)
        return self.a(x), self.b(x)


def scale_obs(o):
    # cos, sin, angular velocity up to 8
    return np.asarray(o, np.float32) * np.array([1.0, 1.0, 0.125], np.float32)


def test(actor, env, seed, n=10):
    tot = 0.0
    for k in range(n):
        o, _ = env.reset(seed=40_000 + seed * 50 + k)
        fin = False
        while not fin:
            with th.no_grad():
                u = actor(th.from_numpy(scale_obs(o))).numpy()
            o, r, term, trunc, _ = env.step(2.0 * u)
            tot += float(r)
            fin = term or trunc
    return tot / n


def polyak(net, target, tau):
    with th.no_grad():
        for p, q in zip(net.parameters(), target.parameters()):
            q.mul_(1 - tau).add_(p, alpha=tau)


def run(seed, steps, fault):
    GAMMA, TAU, BATCH, START, SIGMA, SMOOTH, CUT, DELAY = 0.98, 0.01, 100, 1000, 0.1, 0.2, 0.5, 2
    if fault == "f03":
        SIGMA = 10.0
    if fault == "f08":
        TAU = 1 - TAU
    th.set_num_threads(1)
    th.manual_seed(seed); np.random.seed(seed)
    noise = np.random.default_rng(seed + 17)
    env = gym.make("Pendulum-v1", g=2.0) if fault == "f05" else gym.make("Pendulum-v1")
    test_env = gym.make("Pendulum-v1")
    actor, critic = actor_net(3, 1), Twin(3, 1)
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    opt_a = th.optim.Adam(actor.parameters(), lr=1e-3)
    opt_c = th.optim.Adam(critic.parameters(), lr=1e-3)
    mem = Memory(50_000, 3, 1, seed)
    o, _ = env.reset(seed=seed)
    ep, eps, t0 = 0.0, [], time.time()
    c_loss = a_loss = float("nan")
    print("steps,train_return,test_return,critic_loss,actor_loss,seconds")
    print(f"0,,{test(actor, test_env, seed):.1f},,,0")
    for t in range(1, steps + 1):
        if t <= START:
            u = noise.uniform(-1, 1, 1).astype(np.float32)
        else:
            with th.no_grad():
                u = actor(th.from_numpy(scale_obs(o))).numpy()
            u = np.clip(u + noise.normal(0, SIGMA, 1), 0 if fault == "f06" else -1, 1).astype(np.float32)
        torque = 2.0 * u
        o2, r, term, trunc, _ = env.step(torque)
        ep += float(r)
        if fault == "f10":
            r = -r
        ended = (term or trunc) if fault == "f01" else term
        mem.push(scale_obs(o), u, r, o2 if fault == "f09" else scale_obs(o2), float(ended))
        o = o2
        if term or trunc:
            eps.append(ep)
            ep = 0.0
            o, _ = env.reset()

        if t > START:
            bo, ba, br, bo2, bd = mem.draw(BATCH, full=fault == "f02")
            with th.no_grad():
                e = (th.randn_like(ba) * SMOOTH).clamp(-CUT, CUT)
                a2 = (actor_t(bo2) + e).clamp(-1, 1)
                qa, qb = critic_t(bo2, a2)
                y = br + GAMMA * (1 - bd) * th.min(qa, qb)
            pa, pb = critic(bo, ba)
            lc = F.mse_loss(pa, y) + F.mse_loss(pb, y)
            if fault != "f07":
                opt_c.zero_grad()
            lc.backward()
            opt_c.step()
            c_loss = lc.item()
            if t % DELAY == 0:
                la = -critic(bo, ba if fault == "f04" else actor(bo))[0].mean()
                opt_a.zero_grad()
                la.backward()
                opt_a.step()
                a_loss = la.item()
                polyak(actor, actor_t, TAU)
                polyak(critic, critic_t, TAU)
        if t % 2000 == 0 or t == steps:
            tr = f"{np.mean(eps[-5:]):.1f}" if eps else ""
            print(f"{t},{tr},{test(actor, test_env, seed):.1f},{c_loss:.4f},{a_loss:.4f},{time.time() - t0:.0f}", flush=True)


if __name__ == "__main__":
    z = ap.parse_args()
    run(z.seed, z.steps, z.fault)
