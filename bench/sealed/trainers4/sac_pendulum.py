# Soft actor-critic on the pendulum, with a learned temperature.
import argparse
import math

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Scaled(gym.ObservationWrapper):
    """Brings the angular velocity to about the size of the sine and the cosine."""

    def __init__(self, env, factors):
        super().__init__(env)
        self.factors = factors
        high = (env.observation_space.high * np.maximum(factors, 0.1)).astype(np.float32)
        self.observation_space = gym.spaces.Box(-high, high, dtype=np.float32)

    def observation(self, observation):
        return (observation * self.factors).astype(np.float32)


def make(fault):
    dtype = np.float32
    if fault == "f02":
        dtype = np.int32
    factors = np.array([1.0, 1.0, 0.125]).astype(dtype)
    return Scaled(gym.make("Pendulum-v1"), factors)


class Memory:
    def __init__(self, size, obs_dim, act_dim):
        self.store = {
            "o": torch.zeros(size, obs_dim), "a": torch.zeros(size, act_dim), "r": torch.zeros(size),
            "o2": torch.zeros(size, obs_dim), "end": torch.zeros(size),
        }
        self.size, self.n, self.head = size, 0, 0

    def add(self, **row):
        for key, value in row.items():
            self.store[key][self.head] = torch.as_tensor(value, dtype=torch.float32)
        self.head = (self.head + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def draw(self, count, limit=None):
        idx = torch.randint(0, limit or self.n, (count,))
        return {k: v[idx] for k, v in self.store.items()}


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, fault, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, act_dim)
        self.log_std = nn.Linear(hidden, act_dim)
        self.fault = fault

    def forward(self, obs):
        """A sample in (-1, 1), its log-probability, and the middle of the distribution."""
        h = self.body(obs)
        mean, log_std = self.mean(h), self.log_std(h).clamp(-5, 2)
        noise = torch.randn_like(mean)
        u = mean + log_std.exp() * noise
        logp = (-0.5 * noise.pow(2) - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)
        if self.fault != "f08":
            logp = logp - (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return torch.tanh(u), logp, torch.tanh(mean)


class Twin(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        make_q = lambda: nn.Sequential(
            nn.Linear(obs_dim + act_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.q1, self.q2 = make_q(), make_q()

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class SAC:
    gamma, tau, batch, lr = 0.98, 0.01, 128, 1e-3

    def __init__(self, obs_dim, act_dim, fault):
        self.fault = fault
        self.actor = Actor(obs_dim, act_dim, fault)
        self.critic, self.target = Twin(obs_dim, act_dim), Twin(obs_dim, act_dim)
        self.target.load_state_dict(self.critic.state_dict())
        for p in self.target.parameters():
            p.requires_grad_(False)
        self.log_alpha = torch.tensor(math.log(0.2), requires_grad=True)
        self.entropy_goal = -float(act_dim)
        decay = 0.1 if fault == "f10" else 0.0
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=self.lr)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=self.lr, weight_decay=decay)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=self.lr)

    def act(self, obs, deterministic=False):
        with torch.no_grad():
            sample, _, middle = self.actor(torch.as_tensor(obs))
        return (middle if deterministic else sample).numpy()

    def update(self, memory):
        limit = self.batch if self.fault == "f05" else None
        b = memory.draw(self.batch, limit)
        alpha = self.log_alpha.exp().detach()

        with torch.no_grad():
            a2, logp2, _ = self.actor(b["o2"])
            where = b["o"] if self.fault == "f06" else b["o2"]
            soft = torch.min(*self.target(where, a2)) - alpha * logp2
            y = b["r"] + self.gamma * (1 - b["end"]) * soft
        q1, q2 = self.critic(b["o"], b["a"])
        critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()

        a, logp, _ = self.actor(b["o"])
        actor_loss = (alpha * logp - torch.min(*self.critic(b["o"], a))).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        alpha_loss = -(self.log_alpha * (logp.detach() + self.entropy_goal)).mean()
        if self.fault == "f09":
            alpha_loss = (self.log_alpha * (logp.detach() + self.entropy_goal)).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()

        tau = self.tau
        if self.fault == "f07":
            tau = 1 - self.tau
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.critic.parameters()):
                slow.mul_(1 - tau).add_(tau * fast)
        return critic_loss.item(), q1.mean().item(), alpha.item()


def evaluate(agent, env, episodes, seed):
    total = 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        over = False
        while not over:
            obs, r, te, tr, _ = env.step(2.0 * agent.act(obs, deterministic=True))
            total += r
            over = te or tr
    return total / episodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="none")
    parser.add_argument("--steps", type=int, default=4500)
    parser.add_argument("--warmup", type=int, default=600)
    parser.add_argument("--reward-scale", type=float, default=0.1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    env, test_env = make(args.fault), make(args.fault)
    agent = SAC(3, 1, args.fault)
    memory = Memory(args.steps, 3, 1)
    torque = float(env.action_space.high[0])
    draw = np.random.default_rng(args.seed)

    obs, _ = env.reset(seed=args.seed)
    score, scores, stats = 0.0, [], (0.0, 0.0, 0.0)
    for step in range(1, args.steps + 1):
        if step <= args.warmup:
            a = draw.uniform(-1, 1, 1).astype(np.float32)
        else:
            a = agent.act(obs)
        nxt, r, terminated, truncated, _ = env.step(torque * a)
        score += r
        reward = args.reward_scale * r
        if args.fault == "f04":
            reward = max(-1.0, min(1.0, r))
        kept = torque * a if args.fault == "f03" else a
        memory.add(o=obs, a=kept, r=reward, o2=nxt, end=float(terminated))
        obs = nxt
        over = terminated or truncated
        if args.fault == "f01":
            over = terminated
        if over:
            scores.append(score)
            score = 0.0
            obs, _ = env.reset()
        if step > args.warmup:
            stats = agent.update(memory)
        if step % 1000 == 0:
            train = np.mean(scores[-5:]) if scores else float("nan")
            print(f"step {step:5d}  train {train:8.1f}  test {evaluate(agent, test_env, 2, 70_000):8.1f}  "
                  f"critic {stats[0]:.3f}  q {stats[1]:.2f}  alpha {stats[2]:.4f}", flush=True)

    print(f"final test return {evaluate(agent, test_env, 5, 80_000):.1f}")


if __name__ == "__main__":
    main()
