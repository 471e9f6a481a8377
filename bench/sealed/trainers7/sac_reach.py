"""Soft actor-critic in the manner of Spinning Up, on a puck that has to be pushed to a goal."""
import argparse
import itertools
import math
import time
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal
from torch.optim import Adam

torch.set_num_threads(1)

LOG_STD_MIN, LOG_STD_MAX = -5, 2


class PuckReach(gym.Env):
    """A puck on a table: position, velocity and the way to the goal are seen, two forces are chosen.

    The reward is minus the distance to the goal, minus a cost of force. Leaving the table ends the episode and
    costs 5.
    """

    def __init__(self, cost=0.05):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = gym.spaces.Box(-2.0, 2.0, (2,), np.float32)
        self.cost = cost

    def _obs(self):
        return np.concatenate([self.pos, self.vel, self.goal - self.pos]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = self.np_random.uniform(-0.8, 0.8, 2)
        self.goal = self.np_random.uniform(-0.8, 0.8, 2)
        self.vel = np.zeros(2)
        return self._obs(), {}

    def step(self, action):
        force = np.clip(np.asarray(action, dtype=np.float64), -2.0, 2.0)
        self.vel = 0.9 * self.vel + 0.1 * force
        self.pos = self.pos + 0.1 * self.vel
        dist = float(np.linalg.norm(self.goal - self.pos))
        off = bool(np.any(np.abs(self.pos) > 1.2))
        reward = -dist - self.cost * float(np.sum(force**2))
        if off:
            reward -= 5.0
        return self._obs(), reward, off, False, {}


def make(cost=0.05):
    return gym.wrappers.TimeLimit(PuckReach(cost), max_episode_steps=50)


def mlp(sizes, activation=nn.ReLU):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), activation()]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


class SquashedGaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden, act_limit):
        super().__init__()
        self.net = nn.Sequential(mlp([obs_dim, *hidden]), nn.ReLU())
        self.mu = nn.Linear(hidden[-1], act_dim)
        self.log_std = nn.Linear(hidden[-1], act_dim)
        self.act_limit = act_limit

    def forward(self, obs, deterministic=False, reparam=True):
        h = self.net(obs)
        mu, log_std = self.mu(h), self.log_std(h).clamp(LOG_STD_MIN, LOG_STD_MAX)
        dist = Normal(mu, log_std.exp())
        if deterministic:
            u = mu
        else:
            u = dist.rsample() if reparam else dist.sample()
        logp = dist.log_prob(u).sum(-1)
        logp = logp - (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return self.act_limit * torch.tanh(u), logp


class QFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.q = mlp([obs_dim + act_dim, *hidden, 1])

    def forward(self, obs, act):
        return self.q(torch.cat([obs, act], dim=-1)).squeeze(-1)


class ReplayBuffer:
    def __init__(self, obs_dim, act_dim, size):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.obs2 = np.zeros((size, obs_dim), np.float32)
        self.act = np.zeros((size, act_dim), np.float32)
        self.rew = np.zeros(size, np.float32)
        self.done = np.zeros(size, np.float32)
        self.ptr, self.size, self.max_size = 0, 0, size

    def store(self, obs, act, rew, obs2, done):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.obs2[i], self.done[i] = obs, act, rew, obs2, done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample_batch(self, n):
        idxs = np.random.randint(0, self.size, size=n)
        return [torch.from_numpy(x[idxs]) for x in (self.obs, self.act, self.rew, self.obs2, self.done)]


def sac(fault, seed, total_steps, gamma=0.97, polyak=0.99, lr=2e-3, batch_size=100, start_steps=500, update_after=500,
        replay_size=20_000, hidden=(64, 64)):
    torch.manual_seed(seed)
    np.random.seed(seed)
    env = make(-0.05 if fault == "f05" else 0.05)
    test_env = env if fault == "f06" else make()
    env.action_space.seed(seed)
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]
    act_limit = float(env.action_space.high[0])

    pi = SquashedGaussianActor(obs_dim, act_dim, hidden, act_limit)
    q1, q2 = QFunction(obs_dim, act_dim, hidden), QFunction(obs_dim, act_dim, hidden)
    q1_targ, q2_targ = deepcopy(q1), deepcopy(q2)
    for w in itertools.chain(q1_targ.parameters(), q2_targ.parameters()):
        w.requires_grad = False
    q_params = list(itertools.chain(q1.parameters(), q2.parameters()))
    log_alpha = torch.tensor(math.log(0.2), requires_grad=True)
    target_entropy = -float(obs_dim if fault == "f02" else act_dim)
    pi_opt, q_opt, alpha_opt = Adam(pi.parameters(), lr=lr), Adam(q_params, lr=lr), Adam([log_alpha], lr=lr)
    buffer = ReplayBuffer(obs_dim, act_dim, replay_size)

    def update():
        o, a, r, o2, d = buffer.sample_batch(batch_size)
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2 = pi(o2)
            q_next = torch.min(q1_targ(o2, a2), q2_targ(o2, a2))
            if fault != "f03":
                q_next = q_next - alpha * logp2
            backup = r + gamma * (1 - d) * q_next
        loss_q = F.mse_loss(q1(o, a), backup) + F.mse_loss(q2(o, a), backup)
        q_opt.zero_grad()
        loss_q.backward()
        q_opt.step()

        for w in q_params:
            w.requires_grad = False
        a_new, logp = pi(o, reparam=fault != "f01")
        loss_pi = (alpha * logp - torch.min(q1(o, a_new), q2(o, a_new))).mean()
        pi_opt.zero_grad()
        loss_pi.backward()
        pi_opt.step()
        for w in q_params:
            w.requires_grad = True

        loss_alpha = -(log_alpha * (logp.detach() + target_entropy)).mean()
        alpha_opt.zero_grad()
        loss_alpha.backward()
        alpha_opt.step()

        with torch.no_grad():
            for net, targ in ((q1, q1_targ), (q2, q2_targ)):
                for w, wt in zip(net.parameters(), targ.parameters()):
                    wt.mul_(polyak).add_((1 - polyak) * w)
        return loss_q.item(), logp.mean().item()

    def get_action(obs, deterministic=False):
        with torch.no_grad():
            return pi(torch.as_tensor(obs).unsqueeze(0), deterministic)[0][0].numpy()

    def test_agent(episodes=4):
        scores = []
        for k in range(episodes):
            o, _ = test_env.reset(seed=3000 + k)
            ret, over = 0.0, False
            while not over:
                o, r, te, tr, _ = test_env.step(get_action(o, True))
                ret += r
                over = te or tr
            scores.append(ret)
        return float(np.mean(scores))

    o, _ = env.reset(seed=seed)
    ep_ret, returns, stats = 0.0, [], (0.0, 0.0)
    for t in range(1, total_steps + 1):
        a = env.action_space.sample() if t <= start_steps else get_action(o)
        o2, r, terminated, truncated, _ = env.step(a)
        ep_ret += r
        d = (terminated or truncated) if fault == "f04" else terminated
        buffer.store(o, a, r, o2, float(d))
        o = o2
        if terminated or truncated:
            returns.append(ep_ret)
            ep_ret = 0.0
            o, _ = env.reset()
        if t > update_after:
            stats = update()
        if t % 325 == 0:
            print(f"{t:6d} train {np.mean(returns[-10:]):8.2f} test {test_agent():8.2f} loss_q {stats[0]:.4f} "
                  f"logp {stats[1]:+.2f} alpha {log_alpha.exp().item():.4f}")
    return test_agent(20)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default=None, choices=["f01", "f02", "f03", "f04", "f05", "f06"])
    parser.add_argument("--seed", "-s", type=int, default=0)
    parser.add_argument("--steps", type=int, default=2600)
    args = parser.parse_args()
    t0 = time.time()
    score = sac(args.fault, args.seed, args.steps)
    print(f"final eval {score:.2f} in {time.time() - t0:.0f}s")
