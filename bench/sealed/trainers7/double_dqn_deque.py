import argparse
import random
import time
from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)

Transition = namedtuple("Transition", "state action reward next_state terminal")

SCALE = np.array([100.0, 30.0], dtype=np.float32)


def preprocess(state):
    return np.asarray(state, dtype=np.float32) / SCALE


class Docking(gym.Env):
    """A barge has to come to rest at the quay. Seen are the distance in cm and the speed in cm/s.

    actions: 0 thrust back, 1 drift, 2 thrust forward
    """

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = self.np_random.uniform(-80.0, 80.0)
        self.v = self.np_random.uniform(-8.0, 8.0)
        return np.array([self.x, self.v], np.float32), {}

    def step(self, action):
        self.v += 2.0 * (int(action) - 1) + 0.3 * self.np_random.standard_normal()
        self.x += self.v
        docked = abs(self.x) < 8.0 and abs(self.v) < 4.0
        lost = abs(self.x) > 100.0
        reward = -0.05 - 0.02 * (action != 1)
        if docked:
            reward += 2.0
        elif lost:
            reward -= 2.0
        return np.array([self.x, self.v], np.float32), reward, docked or lost, False, {}


def make_env():
    return gym.wrappers.TimeLimit(Docking(), 60)


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return Transition(*zip(*random.sample(self.memory, n)))

    def __len__(self):
        return len(self.memory)


class QNet(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc1 = nn.Linear(n_in, 64)
        self.fc2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, n_out)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.out(x)


class DQNAgent:
    def __init__(self, n_in, n_actions, fault):
        self.fault = fault
        self.n_actions = n_actions
        self.gamma = 0.97
        self.batch_size = 64
        self.lr = 1e-3
        self.eps, self.eps_min, self.eps_steps = 1.0, 0.04, 5000
        self.eps_decay = 0.99
        self.q = QNet(n_in, n_actions)
        self.q_target = QNet(n_in, n_actions)
        self.q_target.load_state_dict(self.q.state_dict())
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=self.lr)
        self.memory = ReplayMemory(8000)

    def decay(self):
        if self.fault == "f03":
            self.eps = max(self.eps_min, self.eps * self.eps_decay)
        else:
            self.eps = max(self.eps_min, self.eps - (1.0 - self.eps_min) / self.eps_steps)

    def act(self, state, greedy=False):
        if not greedy and random.random() < self.eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            return int(self.q(torch.from_numpy(preprocess(state)).unsqueeze(0)).argmax(1).item())

    def learn(self):
        batch = self.memory.sample(self.batch_size)
        states = torch.from_numpy(preprocess(np.stack(batch.state)))
        next_states = np.stack(batch.next_state)
        if self.fault != "f05":
            next_states = preprocess(next_states)
        next_states = torch.from_numpy(next_states)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards = torch.tensor(batch.reward, dtype=torch.float32)
        terminal = torch.tensor(batch.terminal, dtype=torch.float32)

        q_sa = self.q(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            if self.fault == "f01":
                best = self.q_target(next_states).argmax(1, keepdim=True)
                next_q = self.q(next_states).gather(1, best).squeeze(1)
            else:
                best = self.q(next_states).argmax(1, keepdim=True)
                next_q = self.q_target(next_states).gather(1, best).squeeze(1)
            target = rewards + self.gamma * (1 - terminal) * next_q

        loss = F.smooth_l1_loss(q_sa, target)
        if self.fault == "f06":
            self.optimizer = torch.optim.Adam(self.q.parameters(), lr=self.lr)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optimizer.step()
        return loss.item(), q_sa.mean().item()

    def sync(self):
        self.q_target.load_state_dict(self.q.state_dict())


def evaluate(agent, env, episodes=10):
    scores = []
    for i in range(episodes):
        s, _ = env.reset(seed=777 + i)
        score, done = 0.0, False
        while not done:
            s, r, te, tr, _ = env.step(agent.act(s, greedy=True))
            score += r
            done = te or tr
        scores.append(score)
    return np.mean(scores)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--fault", default="", choices=["", "f01", "f02", "f03", "f04", "f05", "f06"])
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--steps", type=int, default=10000)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    env = make_env()
    test_env = make_env()
    agent = DQNAgent(env.observation_space.shape[0], env.action_space.n, args.fault)

    t0 = time.time()
    scores = deque(maxlen=30)
    losses = deque(maxlen=500)
    qs = deque(maxlen=500)
    score = 0.0
    state, _ = env.reset(seed=args.seed)
    for step in range(1, args.steps + 1):
        action = agent.act(state)
        next_state, reward, terminated, truncated, _ = env.step(action)
        done = terminated or truncated
        if args.fault == "f04":
            if not done:
                agent.memory.push(state, action, reward, next_state, terminated)
        else:
            agent.memory.push(state, action, reward, next_state, terminated)
        score += reward
        state = next_state
        agent.decay()
        if done:
            scores.append(score)
            score = 0.0
            if args.fault == "f02":
                env.reset()
            else:
                state, _ = env.reset()
        if len(agent.memory) > 500 and step % 2 == 0:
            loss, q = agent.learn()
            losses.append(loss)
            qs.append(q)
        if step % 300 == 0:
            agent.sync()
        if step % 1000 == 0:
            print("step %6d | train %6.2f | eval %6.2f | loss %.4f | q %.2f | eps %.3f" % (
                step, np.mean(scores) if scores else 0, evaluate(agent, test_env),
                np.mean(losses) if losses else 0, np.mean(qs) if qs else 0, agent.eps))
    print("final eval %.2f in %.0fs" % (evaluate(agent, test_env, 40), time.time() - t0))


if __name__ == "__main__":
    main()
