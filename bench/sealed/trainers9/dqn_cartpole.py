import argparse
import collections
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


class DuelingNet(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=96):
        super().__init__()
        self.feature = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.advantage = nn.Linear(hidden, n_actions)
        self.value = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.feature(x)
        adv = self.advantage(h)
        return self.value(h) + adv - adv.mean(dim=1, keepdim=True)


class ReplayBuffer:
    def __init__(self, capacity, obs_dim):
        self.capacity = capacity
        self.obs = np.zeros((capacity, obs_dim), np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), np.float32)
        self.act = np.zeros(capacity, np.int64)
        self.rew = np.zeros(capacity, np.float32)
        self.discount = np.zeros(capacity, np.float32)  # what the bootstrap is multiplied with, 0 after a terminal state
        self.pos, self.size = 0, 0

    def push(self, obs, act, rew, next_obs, discount):
        i = self.pos
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.discount[i] = obs, act, rew, next_obs, discount
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, rng):
        idx = rng.integers(0, self.size, n)
        return [torch.from_numpy(a[idx]) for a in (self.obs, self.act, self.rew, self.next_obs, self.discount)]


class NStepCollector:
    """Turns single steps into n-step transitions."""

    def __init__(self, n, gamma, buffer, fault):
        self.n, self.gamma, self.buffer, self.fault = n, gamma, buffer, fault
        self.window = collections.deque()

    def _emit(self, next_obs, terminal):
        obs, act, _ = self.window[0]
        rew = sum(self.gamma ** k * r for k, (_, _, r) in enumerate(self.window))
        power = 1 if self.fault == "f01" else len(self.window)
        self.buffer.push(obs, act, rew, next_obs, 0.0 if terminal else self.gamma ** power)
        self.window.popleft()

    def add(self, obs, act, rew, next_obs, terminated, truncated):
        self.window.append((obs, act, rew))
        if self.fault == "f02":
            if len(self.window) == self.n:
                self._emit(next_obs, terminated)
            return
        if terminated or truncated:
            while self.window:
                self._emit(next_obs, terminated)
        elif len(self.window) == self.n:
            self._emit(next_obs, False)


class DQNAgent:
    def __init__(self, args, obs_dim, n_actions):
        self.args, self.n_actions = args, n_actions
        self.rng = np.random.default_rng(args.seed)
        self.online = DuelingNet(obs_dim, n_actions)
        self.target = DuelingNet(obs_dim, n_actions)
        self.target.load_state_dict(self.online.state_dict())
        learned = self.target if args.fault == "f05" else self.online
        self.optimizer = torch.optim.Adam(learned.parameters(), lr=args.lr)
        self.buffer = ReplayBuffer(args.buffer_size, obs_dim)
        self.collector = NStepCollector(args.n_step, args.gamma, self.buffer, args.fault)

    def epsilon(self, step):
        frac = step / (self.args.explore_fraction * self.args.steps)
        value = self.args.eps_start + (self.args.eps_end - self.args.eps_start) * frac
        return max(self.args.eps_start, value) if self.args.fault == "f04" else max(self.args.eps_end, value)

    def act(self, obs, eps=1.0):
        if self.rng.random() < eps:
            return int(self.rng.integers(self.n_actions))
        with torch.no_grad():
            return int(self.online(torch.as_tensor(obs).unsqueeze(0)).argmax(1))

    def learn(self):
        obs, act, rew, next_obs, discount = self.buffer.sample(self.args.batch_size, self.rng)
        with torch.no_grad():
            best = self.online(next_obs).argmax(1, keepdim=True)
            next_q = self.target(next_obs).gather(1, best).squeeze(1)
            y = rew + discount * next_q
        q = self.online(obs).gather(1, act.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, y)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.optimizer.step()
        tau = self.args.tau
        with torch.no_grad():
            for p, tp in zip(self.online.parameters(), self.target.parameters()):
                if self.args.fault == "f03":
                    tp.mul_(tau).add_(p, alpha=1.0 - tau)
                else:
                    tp.mul_(1.0 - tau).add_(p, alpha=tau)
        return loss.item(), q.mean().item()


def evaluate(agent, env, episodes, seed):
    out = []
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        done, total = False, 0.0
        while not done:
            action = agent.act(obs) if agent.args.fault == "f06" else agent.act(obs, eps=0.0)
            obs, r, terminated, truncated, _ = env.step(action)
            total += r
            done = terminated or truncated
        out.append(total)
    return np.mean(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser("double duelling n-step DQN")
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--steps", type=int, default=25000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.98)
    parser.add_argument("--n-step", type=int, default=3)
    parser.add_argument("--tau", type=float, default=0.01)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--buffer-size", type=int, default=30000)
    parser.add_argument("--learning-starts", type=int, default=1000)
    parser.add_argument("--train-every", type=int, default=2)
    parser.add_argument("--eps-start", type=float, default=1.0)
    parser.add_argument("--eps-end", type=float, default=0.04)
    parser.add_argument("--explore-fraction", type=float, default=0.25)
    parser.add_argument("--eval-every", type=int, default=2500)
    parser.add_argument("--fault", default=None)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    env, eval_env = gym.make(args.env), gym.make(args.env)
    agent = DQNAgent(args, env.observation_space.shape[0], int(env.action_space.n))
    obs, _ = env.reset(seed=args.seed)
    ep_ret, history, t0 = 0.0, [], time.time()
    loss = q_mean = float("nan")

    for step in range(1, args.steps + 1):
        action = agent.act(obs, agent.epsilon(step))
        next_obs, reward, terminated, truncated, _ = env.step(action)
        agent.collector.add(obs, action, reward, next_obs, terminated, truncated)
        ep_ret += reward
        obs = next_obs
        if terminated or truncated:
            history.append(ep_ret)
            ep_ret = 0.0
            obs, _ = env.reset()
        if step > args.learning_starts and step % args.train_every == 0:
            loss, q_mean = agent.learn()
        if step % 1000 == 0:
            print(f"{step:6d} eps={agent.epsilon(step):.2f} episodes={len(history)} return={np.mean(history[-10:]):.1f} loss={loss:.4f} q={q_mean:.2f} {time.time() - t0:.0f}s", flush=True)
        if step % args.eval_every == 0:
            print(f"{step:6d} evaluation: {evaluate(agent, eval_env, 3, 10_000 + step):.1f}", flush=True)
