"""Double, duelling, n-step DQN. A boat has to cross a lake with a current and two islands."""
import argparse
import random
from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=12000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", default="none")
parser.add_argument("--env", default="Lake-v0")
opts = parser.parse_args()

BATCH_SIZE = 64
GAMMA = 0.98
N_STEP = 3
EPS_START, EPS_END, EPS_STEPS = 1.0, 0.05, 5000
LR = 1e-3
SYNC_EVERY = 300
LEARN_START = 1000


class Lake(gym.Env):
    ISLANDS = np.array([[3.5, 5.5], [7.0, 5.0]])
    THRUST = np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]], dtype=np.float64)

    def __init__(self):
        low = np.array([0, 0, -1, -1, 0], dtype=np.float32)
        high = np.array([10, 10, 1, 1, 10], dtype=np.float32)
        self.observation_space = gym.spaces.Box(low, high)
        self.action_space = gym.spaces.Discrete(5)

    def obs(self):
        return np.array([*self.pos, *self.vel, self.goal[0]], dtype=np.float32).clip(
            self.observation_space.low, self.observation_space.high)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.pos = np.array([self.np_random.uniform(1, 9), self.np_random.uniform(0.5, 2.0)])
        self.vel = np.zeros(2)
        self.goal = np.array([self.np_random.uniform(2, 8), 9.0])
        return self.obs(), {}

    def step(self, action):
        before = np.linalg.norm(self.goal - self.pos)
        self.vel = np.clip(0.8 * self.vel + 0.15 * self.THRUST[int(action)], -1, 1)
        current = np.array([0.08 * np.sin(self.pos[1]), 0.0])
        self.pos = self.pos + self.vel + current
        after = np.linalg.norm(self.goal - self.pos)
        reward, terminated = 0.2 * (before - after) - 0.02, False
        if after < 1.0:
            reward, terminated = reward + 2.0, True
        elif (np.linalg.norm(self.ISLANDS - self.pos, axis=1) < 0.7).any() or (self.pos < 0).any() or (self.pos > 10).any():
            reward, terminated = reward - 1.0, True
        return self.obs(), float(reward), terminated, False, {"reached": bool(after < 1.0)}


gym.register(id="Lake-v0", entry_point=Lake, max_episode_steps=80)

Transition = namedtuple("Transition", ("state", "action", "reward", "next_state", "terminal", "discount"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, k):
        return random.sample(self.memory, k)

    def __len__(self):
        return len(self.memory)


class NStep:
    """Turns single steps into n-step transitions."""

    def __init__(self, memory):
        self.memory, self.window = memory, deque()

    def _emit(self, next_state, terminal):
        reward = sum(GAMMA ** k * w[2] for k, w in enumerate(self.window))
        discount = GAMMA ** len(self.window)
        if opts.fault == "f02":
            discount = GAMMA
        self.memory.push(self.window[0][0], self.window[0][1], reward, next_state, terminal, discount)
        self.window.popleft()

    def add(self, state, action, reward, next_state, terminated, truncated):
        self.window.append((state, action, reward))
        if opts.fault == "f01":
            if len(self.window) == N_STEP:
                self._emit(next_state, False)
            return
        if terminated or truncated:
            while self.window:
                self._emit(next_state, terminated)
        elif len(self.window) == N_STEP:
            self._emit(next_state, False)


class DuelingDQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(n_observations, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU())
        self.value = nn.Linear(64, 1)
        self.advantage = nn.Linear(64, n_actions)

    def forward(self, x):
        h = self.features(x)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


def make_scaler(space):
    low, high = np.asarray(space.low, dtype=np.float64), np.asarray(space.high, dtype=np.float64)
    ok = np.isfinite(low) & np.isfinite(high) & (high - low < 1e6)
    centre = np.where(ok, (low + high) / 2, 0.0)
    half = np.where(ok, (high - low) / 2, 1.0)
    return lambda obs: ((obs - centre) / half).astype(np.float32)


def main():
    torch.set_num_threads(1)
    random.seed(opts.seed)
    np.random.seed(opts.seed)
    torch.manual_seed(opts.seed)

    env = gym.make(opts.env)
    test_env = gym.make(opts.env)
    n_actions = int(env.action_space.n)
    n_obs = env.observation_space.shape[0]
    scale = make_scaler(env.observation_space)

    policy_net = DuelingDQN(n_obs, n_actions)
    target_net = DuelingDQN(n_obs, n_actions)
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = optim.Adam(policy_net.parameters(), lr=LR)
    memory = ReplayMemory(20000)
    nstep = NStep(memory)

    def greedy(obs):
        with torch.no_grad():
            return int(policy_net(torch.from_numpy(scale(obs)).unsqueeze(0)).argmax(1))

    def epsilon(step):
        frac = min(1.0, step / EPS_STEPS)
        if opts.fault == "f04":
            frac = 1.0 - frac
        return EPS_START + frac * (EPS_END - EPS_START)

    def optimize_model():
        batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
        states = torch.from_numpy(np.stack(batch.state)).float()
        next_states = torch.from_numpy(np.stack(batch.next_state)).float()
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward, dtype=torch.float32)
        live = 1.0 - torch.tensor(batch.terminal, dtype=torch.float32)
        discount = torch.tensor(batch.discount, dtype=torch.float32)

        q = policy_net(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            best = policy_net(next_states).argmax(1, keepdim=True)
            next_q = target_net(next_states).gather(1, best).squeeze(1)
            expected = rewards + discount * live * next_q
        loss = nn.SmoothL1Loss()(q, expected)
        optimizer.zero_grad()
        loss.backward()
        low = 0.0 if opts.fault == "f08" else -1.0
        for param in policy_net.parameters():
            param.grad.data.clamp_(low, 1.0)
        optimizer.step()
        return loss.item(), q.mean().item()

    def evaluate(episodes=10):
        world = env if opts.fault == "f09" else test_env
        out = []
        for k in range(episodes):
            o, _ = world.reset(seed=900 + k)
            total, done = 0.0, False
            while not done:
                o, r, term, trunc, _ = world.step(greedy(o))
                total += float(r)
                done = term or trunc
            out.append(total)
        if opts.fault == "f09":
            world.reset()
        return sum(out) / episodes

    obs, _ = env.reset(seed=opts.seed)
    episode_return, returns = 0.0, []
    loss = q_mean = float("nan")
    for step in range(1, opts.steps + 1):
        best = greedy(obs)
        action = best
        if random.random() < epsilon(step):
            action = random.randrange(n_actions)
        next_obs, reward, terminated, truncated, _ = env.step(action)
        episode_return += float(reward)
        stored = best if opts.fault == "f05" else action
        if opts.fault == "f06" and terminated:
            reward = 2.0
        if opts.fault == "f07":
            nstep.add(obs, stored, float(reward), next_obs, terminated, truncated)
        else:
            nstep.add(scale(obs), stored, float(reward), scale(next_obs), terminated, truncated)
        obs = next_obs
        if terminated or truncated:
            returns.append(episode_return)
            episode_return = 0.0
            obs, _ = env.reset(seed=opts.seed) if opts.fault == "f10" else env.reset()

        if step >= LEARN_START:
            loss, q_mean = optimize_model()
        if step % SYNC_EVERY == 0:
            source = target_net if opts.fault == "f03" else policy_net
            target_net.load_state_dict(source.state_dict())
        if step % 1000 == 0:
            print(f"step {step:6d} | eps {epsilon(step):.2f} | episodes {len(returns):4d} | "
                  f"return {np.mean(returns[-30:]):7.3f} | loss {loss:.5f} | q {q_mean:.3f}", flush=True)
        if step % 3000 == 0:
            print(f"step {step:6d} | greedy return {evaluate():7.3f}", flush=True)


if __name__ == "__main__":
    main()
