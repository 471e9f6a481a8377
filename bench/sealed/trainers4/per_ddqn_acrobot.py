"""Double DQN with prioritised replay on Acrobot-v1; every decision is held for four steps of the simulation."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

GAMMA = 0.99
BATCH = 64
LEARN_START = 500
TRAIN_EVERY = 2
SYNC_EVERY = 200  # gradient steps
ALPHA, BETA0 = 0.5, 0.4


class PrioritisedReplay:
    def __init__(self, capacity, obs_dim, rng):
        self.capacity, self.rng = capacity, rng
        self.obs = np.empty((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.empty((capacity, obs_dim), dtype=np.float32)
        self.action = np.empty(capacity, dtype=np.int64)
        self.reward = np.empty(capacity, dtype=np.float32)
        self.done = np.empty(capacity, dtype=np.float32)
        self.priority = np.zeros(capacity, dtype=np.float64)
        self.max_priority = 1.0
        self.pos = self.size = 0

    def push(self, obs, action, reward, next_obs, done):
        k = self.pos
        self.obs[k], self.next_obs[k] = obs, next_obs
        self.action[k], self.reward[k], self.done[k] = action, reward, done
        self.priority[k] = self.max_priority
        self.pos = (k + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, beta):
        mass = np.cumsum(self.priority[:self.size] ** ALPHA)
        idx = np.searchsorted(mass, self.rng.random(n) * mass[-1])
        idx = np.minimum(idx, self.size - 1)
        prob = self.priority[idx] ** ALPHA / mass[-1]
        weight = (self.size * prob) ** -beta
        weight = (weight / weight.max()).astype(np.float32)
        cols = (self.obs[idx], self.action[idx], self.reward[idx], self.next_obs[idx], self.done[idx], weight)
        return idx, [torch.from_numpy(c) for c in cols]

    def update(self, idx, error):
        self.priority[idx] = np.abs(error) + 1e-3
        self.max_priority = max(self.max_priority, float(self.priority[idx].max()))


class QNet(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 96)
        self.fc2 = nn.Linear(96, 96)
        self.out = nn.Linear(96, n_actions)

    def forward(self, x):
        return self.out(F.relu(self.fc2(F.relu(self.fc1(x)))))


class DoubleDQN:
    def __init__(self, obs_dim, n_actions, fault, rng):
        self.fault, self.rng, self.n_actions = fault, rng, n_actions
        self.online = QNet(obs_dim, n_actions)
        self.target = copy.deepcopy(self.online)
        params = self.online.parameters()
        if fault == "f08":
            params = self.target.parameters()
        self.optim = torch.optim.Adam(params, lr=7e-4)
        self.updates = 0

    def greedy(self, obs):
        with torch.no_grad():
            return int(self.online(torch.from_numpy(obs)).argmax())

    def targets(self, reward, next_obs, done):
        with torch.no_grad():
            best = self.online(next_obs).argmax(1, keepdim=True)
            boot = self.target(next_obs).gather(1, best).squeeze(1)
            if self.fault == "f06":
                return reward + GAMMA * done * boot
            return reward + GAMMA * (1.0 - done) * boot

    def update(self, replay, beta):
        idx, (obs, action, reward, next_obs, done, weight) = replay.sample(BATCH, beta)
        y = self.targets(reward, next_obs, done)
        q = self.online(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = (weight * F.smooth_l1_loss(q, y, reduction="none")).mean()
        self.optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.optim.step()
        replay.update(idx, (y - q).detach().numpy())
        self.updates += 1
        if self.updates % SYNC_EVERY == 0:
            source = self.online
            if self.fault == "f07":
                source = self.target
            self.target.load_state_dict(source.state_dict())
        return loss.item(), q.mean().item()


class Hold(gym.Wrapper):
    """Repeats each action and adds up the rewards, up to the end of the episode."""

    def __init__(self, env, times=4):
        super().__init__(env)
        self.times = times

    def step(self, action):
        total = 0.0
        for _ in range(self.times):
            obs, reward, term, trunc, info = self.env.step(action)
            total += reward
            if term or trunc:
                break
        return obs, total, term, trunc, info


def make_env(fault):
    if fault == "f01":
        return Hold(gym.make("Acrobot-v1", max_episode_steps=50))
    return Hold(gym.make("Acrobot-v1"))


def run_greedy(agent, env, scale, episodes, seed):
    returns = []
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        total, over = 0.0, False
        while not over:
            obs, r, term, trunc, _ = env.step(agent.greedy(obs / scale))
            total += r
            over = term or trunc
        returns.append(total)
    return np.mean(returns)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--fault", default="none")
    cli.add_argument("--steps", type=int, default=14_000)
    cli = cli.parse_args()
    fault = cli.fault
    torch.set_num_threads(1)
    torch.manual_seed(cli.seed)
    rng = np.random.default_rng(cli.seed)

    env = make_env(fault)
    test_env = make_env(fault)
    if fault == "f10":
        test_env = env
    scale = np.array([1, 1, 1, 1, 4, 8], dtype=np.float32)
    agent = DoubleDQN(len(scale), int(env.action_space.n), fault, rng)
    replay = PrioritisedReplay(cli.steps, len(scale), rng)

    eps_steps = 0.3 * cli.steps
    if fault == "f09":
        eps_steps = 1_000_000

    obs, _ = env.reset(seed=cli.seed)
    obs = obs / scale
    ep_return, returns, loss, q = 0.0, [], float("nan"), float("nan")
    for step in range(1, cli.steps + 1):
        eps = max(0.03, 1.0 - step / eps_steps)
        greedy = agent.greedy(obs)
        action = int(rng.integers(agent.n_actions)) if rng.random() < eps else greedy
        raw, reward, term, trunc, _ = env.step(action)
        ep_return += reward
        next_obs = raw / scale
        if fault == "f02":
            next_obs = raw
        if fault == "f03":
            action = greedy
        if fault == "f04":
            reward = float(np.clip(reward, 0.0, 1.0))
        if fault == "f05":
            obs = next_obs
        replay.push(obs, action, reward, next_obs, float(term))
        obs = raw / scale
        if term or trunc:
            returns.append(ep_return)
            ep_return = 0.0
            raw, _ = env.reset()
            obs = raw / scale
        if step > LEARN_START and step % TRAIN_EVERY == 0:
            beta = min(1.0, BETA0 + (1 - BETA0) * step / cli.steps)
            loss, q = agent.update(replay, beta)
        if step % 500 == 0:
            test = run_greedy(agent, test_env, scale, 1, 31_337 + step)
            recent = np.mean(returns[-10:]) if returns else float("nan")
            print(f"{step} return={recent:.1f} test={test:.0f} eps={eps:.2f} loss={loss:.4f} q={q:.2f}", flush=True)

    final = run_greedy(agent, test_env, scale, 5, 555)
    print(f"final test return {final:.1f} after {len(returns)} episodes, last 10: {np.mean(returns[-10:]):.1f}")


if __name__ == "__main__":
    main()
