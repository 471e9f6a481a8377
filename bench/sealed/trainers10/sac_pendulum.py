"""Soft actor-critic with automatic temperature (research code)."""
import argparse
import copy
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    steps: int = 7_000
    seed: int = 0
    fault: str = "none"
    env_id: str = "Pendulum-v1"
    hidden: int = 64
    batch: int = 96
    gamma: float = 0.98
    tau: float = 0.01
    lr: float = 1e-3
    alpha_lr: float = 1e-3
    start: int = 500
    buffer: int = 50_000
    report: int = 1_000


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


class GaussianActor(nn.Module):
    """Actions live in [-1, 1] everywhere but at the environment's door."""

    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.net = mlp([n_obs, hidden, hidden, 2 * n_act])

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        return mu, log_std.clamp(-5, 2)

    def sample(self, obs, fault="none"):
        mu, log_std = self(obs)
        normal = torch.distributions.Normal(mu, log_std.exp())
        u = normal.rsample()
        logp = normal.log_prob(u).sum(-1)
        if fault != "f01":
            logp = logp - (2.0 * (np.log(2.0) - u - F.softplus(-2.0 * u))).sum(-1)
        return torch.tanh(u), logp


class Critic(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.net = mlp([n_obs + n_act, hidden, hidden, 1])

    def forward(self, obs, act):
        return self.net(torch.cat([obs, act], dim=-1)).squeeze(-1)


class Buffer:
    def __init__(self, size, n_obs, n_act):
        self.obs = torch.zeros(size, n_obs)
        self.act = torch.zeros(size, n_act)
        self.rew = torch.zeros(size)
        self.nxt = torch.zeros(size, n_obs)
        self.term = torch.zeros(size)
        self.size, self.i, self.n = size, 0, 0

    def put(self, obs, act, rew, nxt, term):
        i = self.i
        self.obs[i] = torch.as_tensor(obs)
        self.act[i] = torch.as_tensor(act)
        self.rew[i] = float(rew)
        self.nxt[i] = torch.as_tensor(nxt)
        self.term[i] = float(term)
        self.i = (i + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def batch(self, k):
        idx = torch.randint(0, self.n, (k,))
        return self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.term[idx]


class SAC:
    def __init__(self, cfg, n_obs, n_act):
        self.cfg = cfg
        self.actor = GaussianActor(n_obs, n_act, cfg.hidden)
        self.q1 = Critic(n_obs, n_act, cfg.hidden)
        self.q2 = Critic(n_obs, n_act, cfg.hidden)
        if cfg.fault == "f06":
            self.q1_targ, self.q2_targ = self.q1, self.q2
        else:
            self.q1_targ, self.q2_targ = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.target_entropy = float(n_act) if cfg.fault == "f03" else -float(n_act)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=cfg.lr)
        self.critic_opt = torch.optim.Adam([*self.q1.parameters(), *self.q2.parameters()], lr=cfg.lr)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=cfg.alpha_lr)

    @property
    def alpha(self):
        return self.log_alpha.exp().detach()

    def update(self, obs, act, rew, nxt, term):
        cfg = self.cfg
        with torch.no_grad():
            act2, logp2 = self.actor.sample(nxt, cfg.fault)
            pair = torch.stack([self.q1_targ(nxt, act2), self.q2_targ(nxt, act2)])
            q_next = pair.min(0).values
            y = rew + cfg.gamma * (1.0 - term) * (q_next - self.alpha * logp2)
        critic_loss = F.mse_loss(self.q1(obs, act), y) + F.mse_loss(self.q2(obs, act), y)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        pi, logp = self.actor.sample(obs, cfg.fault)
        q_pi = torch.minimum(self.q1(obs, pi), self.q2(obs, pi))
        if cfg.fault == "f05":
            actor_loss = (self.alpha * logp + q_pi).mean()
        else:
            actor_loss = (self.alpha * logp - q_pi).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        alpha_loss = -(self.log_alpha.exp() * (logp.detach() + self.target_entropy)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()

        with torch.no_grad():
            for net, targ in ((self.q1, self.q1_targ), (self.q2, self.q2_targ)):
                for p, p_targ in zip(net.parameters(), targ.parameters()):
                    p_targ.lerp_(p, cfg.tau)
        return {"critic": critic_loss.item(), "actor": actor_loss.item(), "alpha": self.alpha.item(),
                "logp": logp.mean().item(), "q": q_pi.mean().item()}


def train(cfg):
    torch.set_num_threads(1)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    env = gym.make(cfg.env_id)
    env.action_space.seed(cfg.seed)
    n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
    scale = torch.as_tensor(env.action_space.high)
    agent, buffer = SAC(cfg, n_obs, n_act), Buffer(cfg.buffer, n_obs, n_act)

    obs, _ = env.reset(seed=cfg.seed)
    ret, rets, info = 0.0, [], {}
    for step in range(1, cfg.steps + 1):
        if step <= cfg.start:
            act = torch.as_tensor(env.action_space.sample()) / scale
        else:
            with torch.no_grad():
                act, _ = agent.actor.sample(torch.as_tensor(obs))
        door = act if cfg.fault == "f02" else act * scale
        nxt, rew, terminated, truncated, _ = env.step(door.numpy())
        if cfg.fault == "f04":
            buffer.put(obs, door, rew, nxt, terminated)
        else:
            buffer.put(obs, act, rew, nxt, terminated)
        ret += float(rew)
        obs = nxt
        if terminated or truncated:
            rets.append(ret)
            ret = 0.0
            obs, _ = env.reset()
        if step > cfg.start:
            info = agent.update(*buffer.batch(cfg.batch))
        if step % cfg.report == 0:
            print(f"step {step:6d} :: return(5) {np.mean(rets[-5:]) if rets else float('nan'):9.2f} :: "
                  + " ".join(f"{k}={v:.3f}" for k, v in info.items()), flush=True)
    env.close()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=Config.steps)
    ap.add_argument("--seed", type=int, default=Config.seed)
    ap.add_argument("--fault", type=str, default=Config.fault)
    train(Config(**vars(ap.parse_args())))
