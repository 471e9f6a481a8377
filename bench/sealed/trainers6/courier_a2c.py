# Course project: an advantage actor-critic (A2C) that learns to deliver parcels in a small town.
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium import spaces

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60000, help="environment steps over all copies")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="")
args = parser.parse_args()

SIZE = 5
MAX_STEPS = 50
N_ENVS = 8
N_STEPS = 16
GAMMA = 0.97
LR = 2e-3
ENTROPY = 0.01
VALUE_COEF = 0.5

MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class CourierEnv(gym.Env):
    """Walk to the parcel, then carry it to the house. Four moves, a step costs a little."""

    def __init__(self):
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(-1.0, 1.0, (7,), np.float32)

    def _get_obs(self):
        to_parcel = (self.parcel - self.pos) / (SIZE - 1)
        to_house = (self.house - self.pos) / (SIZE - 1)
        here = 2 * self.pos / (SIZE - 1) - 1
        if args.fault == "f03":
            to_house = (self.parcel - self.pos) / (SIZE - 1)
        return np.concatenate([here, to_parcel, to_house, [float(self.carrying)]]).astype(np.float32)

    def _distance(self):
        goal = self.house if self.carrying else self.parcel
        return np.abs(goal - self.pos).sum()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        if args.fault == "f02":
            rng = np.random.default_rng(0)
        cells = rng.choice(SIZE * SIZE, size=3, replace=False)
        self.pos, self.parcel, self.house = [np.array([c // SIZE, c % SIZE]) for c in cells]
        self.carrying = False
        self.t = 0
        return self._get_obs(), {}

    def step(self, action):
        before = self._distance()
        self.pos = np.clip(self.pos + np.array(MOVES[int(action)]), 0, SIZE - 1)
        self.t += 1
        progress = before - self._distance()
        if args.fault == "f10":
            progress = self._distance() - before
        reward = -0.02 + 0.05 * progress
        terminated = False
        if not self.carrying and (self.pos == self.parcel).all():
            self.carrying = True
            reward += 0.5
        elif self.carrying and (self.pos == self.house).all():
            reward += 1.0
            if args.fault != "f01":
                terminated = True
        if self.carrying:
            self.parcel = self.pos.copy()
        truncated = self.t >= MAX_STEPS and not terminated
        return self._get_obs(), reward, terminated, truncated, {}


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        if args.fault == "f04":
            n_actions = n_actions - 1
        self.body_pi = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.body_v = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi = nn.Linear(64, n_actions)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        return self.pi(self.body_pi(x)), self.v(self.body_v(x)).squeeze(-1)


def test(model, episodes=50):
    env = CourierEnv()
    total, delivered = [], 0
    for ep in range(episodes):
        obs, _ = env.reset(seed=5000 + ep)
        ret, over = 0.0, False
        while not over:
            with torch.no_grad():
                logits, _ = model(torch.as_tensor(obs).unsqueeze(0))
            action = torch.distributions.Categorical(logits=logits).sample().item()
            obs, r, terminated, truncated, _ = env.step(action)
            ret += r
            over = terminated or truncated
        delivered += int(terminated)
        total.append(ret)
    return np.mean(total), delivered / episodes


def main():
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    envs = [CourierEnv() for _ in range(N_ENVS)]
    obs = np.stack([env.reset(seed=args.seed * 100 + i)[0] for i, env in enumerate(envs)])
    model = ActorCritic(7, 4)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=LR, alpha=0.99, eps=1e-5)
    updates = max(1, args.steps // (N_ENVS * N_STEPS))
    if args.fault == "f08":
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)
    else:
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=updates)

    running = np.zeros(N_ENVS)
    history = []
    for update in range(updates):
        batch_obs, batch_act, batch_rew, batch_next, batch_term, batch_done = [], [], [], [], [], []
        for _ in range(N_STEPS):
            with torch.no_grad():
                logits, _ = model(torch.as_tensor(obs))
                action = torch.distributions.Categorical(logits=logits).sample()
            next_obs = np.zeros_like(obs)
            final_obs = np.zeros_like(obs)
            rew, term, done = np.zeros(N_ENVS, np.float32), np.zeros(N_ENVS, np.float32), np.zeros(N_ENVS, np.float32)
            for i, env in enumerate(envs):
                o, r, terminated, truncated, _ = env.step(action[i].item())
                final_obs[i] = o
                rew[i], term[i], done[i] = r, terminated, terminated or truncated
                running[i] += r
                if terminated or truncated:
                    history.append(running[i])
                    running[i] = 0.0
                    o, _ = env.reset()
                next_obs[i] = o
            if args.fault == "f09":
                batch_obs.append(torch.as_tensor(next_obs))
            else:
                batch_obs.append(torch.as_tensor(obs))
            batch_act.append(action)
            batch_rew.append(torch.as_tensor(rew))
            batch_next.append(torch.as_tensor(final_obs))
            batch_term.append(torch.as_tensor(term))
            batch_done.append(torch.as_tensor(done))
            obs = next_obs

        # n-step returns, from the end of the rollout backwards
        with torch.no_grad():
            _, v_next = model(torch.stack(batch_next))
        if args.fault == "f05":
            R = torch.zeros(N_ENVS)
        else:
            R = v_next[-1]
        targets = []
        for t in reversed(range(N_STEPS)):
            R = torch.where(batch_done[t] > 0, v_next[t], R)
            R = batch_rew[t] + GAMMA * (1 - batch_term[t]) * R
            targets.insert(0, R)
        targets = torch.stack(targets)

        logits, values = model(torch.stack(batch_obs))
        dist = torch.distributions.Categorical(logits=logits)
        logp = dist.log_prob(torch.stack(batch_act))
        advantage = targets - values
        if args.fault == "f06":
            actor_loss = -(logp * advantage).mean()
        else:
            actor_loss = -(logp * advantage.detach()).mean()
        critic_loss = F.mse_loss(values, targets)
        entropy = dist.entropy().mean()
        beta = 1.0 if args.fault == "f07" else ENTROPY
        loss = actor_loss + VALUE_COEF * critic_loss - beta * entropy

        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()

        if (update + 1) % 50 == 0:
            print("step", (update + 1) * N_ENVS * N_STEPS, "mean return", round(float(np.mean(history[-100:])), 3),
                  "critic", round(critic_loss.item(), 4), "entropy", round(entropy.item(), 3))

    mean, rate = test(model)
    print("test: return", round(float(mean), 3), "delivered", rate)


if __name__ == "__main__":
    main()
