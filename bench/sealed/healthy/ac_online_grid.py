"""One-step actor-critic, online, one environment (Sutton & Barto 13.5 with networks). No time limit exists."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Rooms(gym.Env):
    """5x5 grid with a wall, -1 per step until the goal: a random walk always gets there."""
    WALL = {(2, 0), (2, 1), (2, 3), (2, 4)}

    def __init__(self):
        self.observation_space = gym.spaces.Discrete(25)
        self.action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.r, self.c = 0, int(self.np_random.integers(5))
        return self.r * 5 + self.c, {}

    def step(self, a):
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][a]
        r, c = min(4, max(0, self.r + dr)), min(4, max(0, self.c + dc))
        if (r, c) not in self.WALL:
            self.r, self.c = r, c
        done = (self.r, self.c) == (4, 4)
        return self.r * 5 + self.c, -1.0, done, False, {}


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(25, 64)
        self.fc2 = nn.Linear(64, 4)

    def forward(self, x):
        return F.softmax(self.fc2(F.relu(self.fc1(x))), dim=-1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(25, 64)
        self.fc2 = nn.Linear(64, 1)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def onehot(s):
    return F.one_hot(torch.tensor(s), 25).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=16000)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = Rooms()
    actor, critic = Actor(), Critic()
    actor_opt = torch.optim.Adam(actor.parameters(), lr=2e-4)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
    gamma = 0.98
    state, _ = env.reset(seed=args.seed)
    total, returns = 0.0, []
    for step in range(args.steps):
        s = onehot(state)
        dist = torch.distributions.Categorical(actor(s))
        action = dist.sample()
        next_state, reward, terminated, _, _ = env.step(action.item())
        total += reward
        with torch.no_grad():
            target = reward + gamma * critic(onehot(next_state)) * (1 - int(terminated))
        value = critic(s)
        td_error = (target - value).detach()
        critic_loss = F.mse_loss(value, target)
        actor_loss = -(dist.log_prob(action) * td_error) - 0.01 * dist.entropy()
        critic_opt.zero_grad()
        critic_loss.backward()
        critic_opt.step()
        actor_opt.zero_grad()
        actor_loss.sum().backward()
        actor_opt.step()
        state = next_state
        if terminated:
            returns.append(total)
            total = 0.0
            state, _ = env.reset()
        if step % 2000 == 1999:
            print(f"step {step + 1} episodes {len(returns)} mean return {np.mean(returns[-20:]):.1f}")


if __name__ == "__main__":
    main()
