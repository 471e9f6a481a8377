"""
Soft actor-critic on Pendulum-v1.

Replay holds actions in [-1, 1]; they are stretched to torques just before env.step.
"""
import argparse
import copy
import math

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=4_500)
    p.add_argument("--fault", default="none")
    return p.parse_args()


OPTS = parse()
FAULT = OPTS.fault
torch.set_num_threads(1)


def mlp(*sizes):
    mods = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        mods += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*mods, nn.Linear(sizes[-2], sizes[-1]))


class SquashedActor(nn.Module):
    def __init__(self, n_obs, n_act, width=64):
        super().__init__()
        self.net = mlp(n_obs, width, width, 2 * n_act)

    def forward(self, obs, deterministic=False):
        mu, log_sigma = self.net(obs).chunk(2, dim=-1)
        log_sigma = log_sigma.clamp(-20, 2)
        normal = torch.distributions.Normal(mu, log_sigma.exp())
        if deterministic:
            u = mu
        elif FAULT == "f08":
            u = normal.sample()
        else:
            u = normal.rsample()
        logp = normal.log_prob(u).sum(-1)
        if FAULT != "f01":
            # log(1 - tanh(u)^2), in the form that does not overflow
            logp = logp - (2.0 * (math.log(2.0) - u - F.softplus(-2.0 * u))).sum(-1)
        return torch.tanh(u), logp


class Twin(nn.Module):
    def __init__(self, n_obs, n_act, width=64):
        super().__init__()
        self.q1 = mlp(n_obs + n_act, width, width, 1)
        self.q2 = mlp(n_obs + n_act, width, width, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class Replay:
    def __init__(self, n_obs, n_act, capacity):
        self.obs = torch.empty(capacity, n_obs)
        self.act = torch.empty(capacity, n_act)
        self.rew = torch.empty(capacity)
        self.nxt = torch.empty(capacity, n_obs)
        self.end = torch.empty(capacity)
        self.capacity, self.count = capacity, 0

    def push(self, obs, act, rew, nxt, end):
        k = self.count % self.capacity
        self.obs[k] = torch.as_tensor(obs)
        self.act[k] = torch.as_tensor(act)
        self.rew[k] = float(rew)
        self.nxt[k] = torch.as_tensor(nxt)
        self.end[k] = float(end)
        self.count += 1

    def sample(self, n):
        filled = min(self.count, self.capacity)
        k = torch.randint(filled, (n,))
        k_act = torch.randint(filled, (n,)) if FAULT == "f14" else k
        return self.obs[k], self.act[k_act], self.rew[k], self.nxt[k], self.end[k]


class SAC:
    def __init__(self, n_obs, n_act):
        self.gamma, self.tau = 0.99, 0.01
        self.actor = SquashedActor(n_obs, n_act)
        self.critic = Twin(n_obs, n_act)
        self.critic_slow = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.target_entropy = float(n_act) if FAULT == "f04" else -float(n_act)
        self.opt_pi = optim.Adam(self.actor.parameters(), lr=1e-3)
        learnt = self.critic.q1.parameters() if FAULT == "f12" else self.critic.parameters()
        self.opt_q = optim.Adam(learnt, lr=1e-3)
        self.opt_alpha = optim.Adam([self.log_alpha], lr=1e-3)

    def update(self, obs, act, rew, nxt, end):
        alpha = self.log_alpha.exp().detach()

        with torch.no_grad():
            a2, lp2 = self.actor(nxt)
            t1, t2 = self.critic_slow(nxt, a2)
            worst = torch.max(t1, t2) if FAULT == "f02" else torch.min(t1, t2)
            soft = worst + alpha * lp2 if FAULT == "f05" else worst - alpha * lp2
            target = rew + self.gamma * (1.0 - end) * soft
        p1, p2 = self.critic(obs, act)
        q_loss = F.mse_loss(p1, target) + F.mse_loss(p2, target)
        if FAULT != "f10":
            self.opt_q.zero_grad()
        q_loss.backward()
        self.opt_q.step()

        a_new, lp = self.actor(obs)
        q1, q2 = self.critic(obs, a_new)
        q_new = torch.min(q1, q2)
        pi_loss = (alpha * lp - q_new).mean()
        if FAULT == "f06":
            pi_loss = (alpha * lp + q_new).mean()
        self.opt_pi.zero_grad()
        pi_loss.backward()
        self.opt_pi.step()

        gap = (lp + self.target_entropy).detach()
        alpha_loss = (self.log_alpha * gap).mean() if FAULT == "f03" else -(self.log_alpha * gap).mean()
        self.opt_alpha.zero_grad()
        alpha_loss.backward()
        self.opt_alpha.step()

        with torch.no_grad():
            for slow, fast in zip(self.critic_slow.parameters(), self.critic.parameters()):
                if FAULT == "f07":
                    slow.mul_(self.tau).add_(fast, alpha=1 - self.tau)
                else:
                    slow.mul_(1 - self.tau).add_(fast, alpha=self.tau)
        return q_loss.item(), pi_loss.item(), -lp.mean().item()


def test(agent, env, torque, games=3):
    scores = []
    for _ in range(games):
        o, _ = env.reset()
        score, stop = 0.0, False
        while not stop:
            with torch.no_grad():
                x = torch.as_tensor(o)
                if FAULT == "f15":
                    a = agent.actor.net(x).chunk(2, dim=-1)[1].tanh()
                else:
                    a, _ = agent.actor(x, deterministic=True)
            o, r, te, tr, _ = env.step(a.numpy() * torque)
            score += r
            stop = te or tr
        scores.append(score)
    return float(np.mean(scores))


def main():
    torch.manual_seed(OPTS.seed)
    rng = np.random.default_rng(OPTS.seed)
    env, test_env = gym.make("Pendulum-v1"), gym.make("Pendulum-v1")
    test_env.reset(seed=OPTS.seed + 4242)
    torque = env.action_space.high
    agent = SAC(3, 1)
    replay = Replay(3, 1, OPTS.steps + 1)

    obs, _ = env.reset(seed=OPTS.seed)
    score, last_rew, stats = 0.0, 0.0, (0.0, 0.0, 0.0)
    for t in range(1, OPTS.steps + 1):
        if t <= 400:
            act = rng.uniform(-1, 1, 1).astype(np.float32)
        else:
            with torch.no_grad():
                act = agent.actor(torch.as_tensor(obs))[0].numpy()
        nxt, rew, terminated, truncated, _ = env.step(act if FAULT == "f09" else act * torque)
        score += rew
        end = (terminated or truncated) if FAULT == "f13" else terminated
        replay.push(obs, act, last_rew if FAULT == "f11" else rew, nxt, end)
        last_rew = rew
        obs = nxt
        if terminated or truncated:
            print(f"t={t} episode={score:.1f} q_loss={stats[0]:.3f} pi_loss={stats[1]:.2f} "
                  f"entropy={stats[2]:.2f} alpha={agent.log_alpha.exp().item():.3f}", flush=True)
            score = 0.0
            obs, _ = env.reset()
        if t > 400:
            stats = agent.update(*replay.sample(128))
        if t % 2000 == 0:
            print(f"t={t} test={test(agent, test_env, torque):.1f}", flush=True)


if __name__ == "__main__":
    main()
