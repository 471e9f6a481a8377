import argparse
import collections
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

FAULT = ""


def prep(obs):
    """Position, angle and the two velocities, each by its usual range."""
    return (obs / np.array([2.4, 2.0, 0.21, 2.0])).astype(np.float32)


class PrioritizedReplay:
    def __init__(self, capacity, obs_dim, alpha=0.5, rng=None):
        self.capacity, self.alpha, self.rng = capacity, alpha, rng
        self.obs = np.zeros((capacity, obs_dim), np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), np.float32)
        self.action = np.zeros(capacity, np.int64)
        self.reward = np.zeros(capacity, np.float32)
        self.discount = np.zeros(capacity, np.float32)
        self.priority = np.zeros(capacity, np.float64)
        self.next, self.size, self.top = 0, 0, 1.0

    def add(self, obs, action, reward, next_obs, discount):
        i = self.next
        self.obs[i], self.action[i], self.reward[i] = obs, action, reward
        self.next_obs[i], self.discount[i] = next_obs, discount
        self.priority[i] = self.top
        self.next = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, beta):
        cumulative = np.cumsum(self.priority[: self.size])
        draws = self.rng.random(n) * cumulative[-1]
        idx = np.minimum(np.searchsorted(cumulative, draws, side="right"), self.size - 1)
        prob = self.priority[idx] / cumulative[-1]
        weight = (self.size * prob) ** -beta
        weight = (weight / weight.max()).astype(np.float32)
        batch = (self.obs[idx], self.action[idx], self.reward[idx], self.next_obs[idx], self.discount[idx], weight)
        return idx, [torch.from_numpy(x) for x in batch]

    def update(self, idx, error):
        p = (np.abs(error) + 1e-3) ** self.alpha
        self.priority[idx] = p
        self.top = max(self.top, p.max())


class NStep:
    """Folds n single steps into one transition."""

    def __init__(self, n, gamma, sink):
        self.n, self.gamma, self.sink = n, gamma, sink
        self.window = collections.deque()

    def push(self, obs, action, reward, next_obs, terminated, done):
        self.window.append((obs, action, reward, next_obs, terminated))
        if len(self.window) == self.n:
            self._emit()
        if done and FAULT != "f04":
            while self.window:
                self._emit()

    def _emit(self):
        total = sum(self.gamma**k * step[2] for k, step in enumerate(self.window))
        obs, action = self.window[0][:2]
        next_obs, terminated = self.window[-1][3:]
        power = 1 if FAULT == "f01" else len(self.window)
        self.sink.add(obs, action, total, next_obs, 0.0 if terminated else self.gamma**power)
        self.window.popleft()


class DuelingNet(nn.Module):
    def __init__(self, obs_dim, n_actions, width=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.value = nn.Linear(width, 1)
        self.advantage = nn.Linear(width, n_actions)

    def forward(self, x):
        x = self.body(x)
        adv = self.advantage(x)
        return self.value(x) + adv - adv.mean(1, keepdim=True)


class Schedule:
    def __init__(self, start, end, duration):
        self.start, self.end, self.duration = start, end, duration

    def at(self, t):
        return self.start + (self.end - self.start) * min(1.0, t / self.duration)


class Agent:
    batch = 64
    learn_from = 1_000
    learn_every = 2
    sync_every = 200
    gamma = 0.99
    n = 3

    def __init__(self, obs_dim, n_actions, total, seed):
        self.rng = np.random.default_rng(seed)
        self.n_actions, self.total = n_actions, total
        self.online = DuelingNet(obs_dim, n_actions)
        self.target = self.online if FAULT == "f02" else copy.deepcopy(self.online)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=5e-4)
        self.memory = PrioritizedReplay(20_000, obs_dim, rng=self.rng)
        self.nstep = NStep(self.n, self.gamma, self.memory)
        self.epsilon = Schedule(1.0, 0.05, 0.3 * total)
        self.beta = Schedule(0.4, 1.0, total)
        self.steps = self.episodes = self.updates = 0
        self.loss = float("nan")

    def current_epsilon(self):
        return self.epsilon.at(self.episodes if FAULT == "f03" else self.steps)

    @torch.no_grad()
    def act(self, obs, greedy=False):
        if not greedy and self.rng.random() < self.current_epsilon():
            return int(self.rng.integers(self.n_actions))
        return int(self.online(torch.from_numpy(obs).unsqueeze(0)).argmax())

    def observe(self, obs, action, reward, next_obs, terminated, done):
        self.nstep.push(obs, action, reward, next_obs, terminated, done)
        self.steps += 1
        self.episodes += done
        if self.steps >= self.learn_from and self.steps % self.learn_every == 0:
            self.learn()

    def learn(self):
        idx, (obs, action, reward, next_obs, discount, weight) = self.memory.sample(
            self.batch, self.beta.at(self.steps)
        )
        with torch.no_grad():
            best = self.online(next_obs).argmax(1, keepdim=True)
            target = reward + discount * self.target(next_obs).gather(1, best).squeeze(1)
        q = self.online(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = (weight * F.smooth_l1_loss(q, target, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        self.memory.update(idx, (target - q).detach().numpy())
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target.load_state_dict(self.online.state_dict())
        self.loss, self.q = loss.item(), q.mean().item()


def evaluate(agent, episodes=5):
    env, total = gym.make("CartPole-v1"), 0.0
    for k in range(episodes):
        obs, _ = env.reset(seed=900 + k)
        over = False
        while not over:
            obs, r, terminated, truncated, _ = env.step(agent.act(prep(obs), greedy=True))
            total, over = total + r, terminated or truncated
    env.close()
    return total / episodes


def main():
    global FAULT
    parser = argparse.ArgumentParser(description="Double duelling DQN with prioritised n-step replay")
    parser.add_argument("--steps", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", default="")
    args = parser.parse_args()
    FAULT = args.fault
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    env = gym.make("CartPole-v1")
    agent = Agent(env.observation_space.shape[0], int(env.action_space.n), args.steps, args.seed)
    raw, _ = env.reset(seed=args.seed)
    obs, score, scores = prep(raw), 0.0, []
    for step in range(1, args.steps + 1):
        action = agent.act(obs)
        raw, reward, terminated, truncated, _ = env.step(action)
        score += reward
        next_obs = prep(raw)
        done = terminated or truncated
        agent.observe(obs, action, reward, raw if FAULT == "f05" else next_obs, terminated, done)
        obs = next_obs
        if done:
            scores.append(score)
            raw, _ = env.reset()
            obs, score = prep(raw), 0.0
        if step % 2_500 == 0:
            mean = np.mean(scores[-10:]) if scores else float("nan")
            print(f"step {step:6d}  episodes {agent.episodes:4d}  return {mean:7.1f}  eps {agent.current_epsilon():.2f}  "
                  f"loss {agent.loss:.4f}  q {getattr(agent, 'q', 0.0):.2f}", flush=True)
        if step % 5_000 == 0:
            print(f"step {step:6d}  evaluation {evaluate(agent):7.1f}", flush=True)
    env.close()


if __name__ == "__main__":
    main()
