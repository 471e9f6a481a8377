# Twin delayed DDPG on the pendulum.
import argparse
import copy
import logging

import gymnasium as gym
import numpy as np
import torch as th
from torch.nn import functional as fn

log = logging.getLogger("td3")


def cli():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=8_000)
    parser.add_argument("--fault", default="none")
    return parser.parse_args()


def build(sizes, squash=False):
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(th.nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            layers.append(th.nn.ReLU())
    if squash:
        layers.append(th.nn.Tanh())
    return th.nn.Sequential(*layers)


class Twin(th.nn.Module):
    def __init__(self, n_obs, n_act, width=64):
        super().__init__()
        self.one = build([n_obs + n_act, width, width, 1])
        self.two = build([n_obs + n_act, width, width, 1])

    def forward(self, o, a):
        x = th.cat([o, a], dim=1)
        return self.one(x), self.two(x)


def polyak(src, dst, tau):
    with th.no_grad():
        for p, q in zip(src.parameters(), dst.parameters()):
            q.mul_(1 - tau).add_(tau * p)


def play(env, actor, limit, episodes, seed=None):
    scores = []
    for k in range(episodes):
        o, _ = env.reset(seed=None if seed is None else seed + k)
        total, end = 0.0, False
        while not end:
            with th.no_grad():
                a = limit * actor(th.as_tensor(o).unsqueeze(0)).numpy()[0]
            o, r, te, tr, _ = env.step(a)
            total += float(r)
            end = te or tr
        scores.append(total)
    return float(np.mean(scores))


def main():
    args = cli()
    bad = args.fault
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    th.set_num_threads(1)
    th.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    env, judge = gym.make("Pendulum-v1"), gym.make("Pendulum-v1")
    n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
    limit = float(env.action_space.high[0])

    gamma, batch, start, delay = 0.98, 100, 600, 2
    tau = 0.995 if bad == "f06" else 0.005
    explore = 0.15
    if bad == "f05":
        explore, start = 0.0, 1

    actor = build([n_obs, 64, 64, n_act], squash=True)
    critic = Twin(n_obs, n_act)
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    shown = copy.deepcopy(actor) if bad == "f08" else actor
    critic_opt = th.optim.Adam(critic.parameters(), lr=1e-3)
    if bad == "f07":
        actor_opt = th.optim.Adam(critic.parameters(), lr=1e-3)
    else:
        actor_opt = th.optim.Adam(actor.parameters(), lr=1e-3)

    store = {
        "o": th.zeros(args.steps, n_obs), "a": th.zeros(args.steps, n_act), "r": th.zeros(args.steps, 1),
        "n": th.zeros(args.steps, n_obs), "c": th.zeros(args.steps, 1),
    }

    o, _ = env.reset(seed=args.seed)
    score, scores = 0.0, []
    for k in range(args.steps):
        if k < start:
            u = rng.uniform(-1, 1, n_act).astype(np.float32)
        else:
            with th.no_grad():
                u = actor(th.as_tensor(o).unsqueeze(0)).numpy()[0]
            u = np.clip(u + explore * rng.standard_normal(n_act), -1, 1).astype(np.float32)
        n, r, te, tr, _ = env.step(limit * u)
        r = float(r)
        score += r

        stop = te or tr if bad == "f04" else te
        store["o"][k] = th.as_tensor(o)
        store["a"][k] = th.as_tensor(u if bad == "f01" else limit * u)
        store["r"][k] = (-r if bad == "f09" else r) * 0.1
        store["n"][k] = th.as_tensor(n)
        store["c"][k] = 0.0 if stop else 1.0

        o = n
        if te or (tr and bad != "f10"):
            scores.append(score)
            score = 0.0
            o, _ = env.reset()

        if k >= max(start, batch):
            i = th.as_tensor(rng.integers(0, k + 1, batch))
            bo, ba, br, bn, bc = (store[x][i] for x in "oarnc")
            with th.no_grad():
                jitter = (0.2 * th.randn_like(ba)).clamp(-0.5, 0.5)
                na = limit * (actor_t(bn) + jitter).clamp(-1, 1)
                q1, q2 = critic_t(bn, na)
                q = th.max(q1, q2) if bad == "f03" else th.min(q1, q2)
                y = br + gamma * bc * q
            p1, p2 = critic(bo, ba)
            c_loss = fn.mse_loss(p1, y) + fn.mse_loss(p2, y)
            critic_opt.zero_grad()
            c_loss.backward()
            critic_opt.step()

            if k % delay == 0:
                score_of = critic(bo, limit * actor(bo))[0].mean()
                a_loss = score_of if bad == "f02" else -score_of
                actor_opt.zero_grad()
                a_loss.backward()
                actor_opt.step()
                polyak(actor, actor_t, tau)
                polyak(critic, critic_t, tau)

        if (k + 1) % 1000 == 0:
            shown_score = play(judge, shown, limit, 2, seed=500)
            log.info("step %6d | train %8.1f | test %8.1f", k + 1, np.mean(scores[-5:]) if scores else np.nan, shown_score)


if __name__ == "__main__":
    main()
