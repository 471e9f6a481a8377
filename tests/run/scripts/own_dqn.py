"""A DQN written by hand, evaluated in an environment of its own; it may be told to fail inside of its environment."""

import random
import sys

import gymnasium as gym
import numpy as np
import torch
from torch import nn

steps, fails_at, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])


class Fragile(gym.Wrapper):
    steps = 0

    def step(self, action):
        self.steps += 1
        if self.steps == fails_at:
            raise RuntimeError("the simulator broke")
        return super().step(action)


torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)
env, apart = Fragile(gym.make("CartPole-v1")), gym.make("CartPole-v1")
online, target = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=rate)
memory = []
env.action_space.seed(0)
apart.reset(seed=1)
seen, _ = env.reset(seed=0)
for step in range(steps):
    greedy = random.random() > 0.3
    action = int(online(torch.as_tensor(seen)).argmax()) if greedy else env.action_space.sample()
    after, reward, terminated, truncated, _ = env.step(action)
    memory.append((seen, action, reward, after, terminated))
    seen = env.reset()[0] if terminated or truncated else after
    if step >= 64 and step % 4 == 0:
        rows = zip(*random.sample(memory, 32), strict=True)
        before, actions, rewards, afters, ends = (torch.as_tensor(np.array(each)) for each in rows)
        with torch.no_grad():
            wanted = rewards.float() + 0.99 * (~ends) * target(afters).max(1).values
        loss = nn.functional.mse_loss(online(before).gather(1, actions[:, None])[:, 0], wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % 100 == 99:
        target.load_state_dict(online.state_dict())
        at, over = apart.reset()[0], False
        while not over:
            at, _, terminated, truncated, _ = apart.step(int(online(torch.as_tensor(at)).argmax()))
            over = terminated or truncated
print(sum(each.sum().item() for each in online.parameters()), random.random())
