"""TD3 on two coupled tanks: hold the level of the lower tank at a set point with a pump and a valve."""
import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--env", default="Tanks-v0")
parser.add_argument("--steps", type=int, default=10000)
parser.add_argument("--seed", default=0, type=int)
parser.add_argument("--fault", default="none")
parser.add_argument("--start_timesteps", default=1000, type=int)
parser.add_argument("--eval_freq", default=2000, type=int)
parser.add_argument("--expl_noise", default=0.1, type=float)
parser.add_argument("--batch_size", default=100, type=int)
parser.add_argument("--discount", default=0.97, type=float)
parser.add_argument("--tau", default=0.005, type=float)
parser.add_argument("--policy_noise", default=0.2)
parser.add_argument("--noise_clip", default=0.5)
parser.add_argument("--policy_freq", default=2, type=int)
opts = parser.parse_args()


class Tanks(gym.Env):
    """Action: pump 0..4, valve between the tanks 0..1. A tank that overflows ends the episode."""

    FULL = 6.0

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 7.0, (3,), np.float32)
        self.action_space = gym.spaces.Box(np.zeros(2, np.float32), np.array([4.0, 1.0], np.float32))

    def _obs(self):
        shown = self.first_target if opts.fault == "f06" else self.target
        return np.array([self.h[0], self.h[1], shown], dtype=np.float32).clip(0, 7)

    def _draw_target(self):
        return float(self.np_random.uniform(1.0, 4.5))

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.h = self.np_random.uniform(0.5, 4.0, size=2)
        self.target = self.first_target = self._draw_target()
        return self._obs(), {}

    def step(self, action):
        pump, valve = np.clip(np.asarray(action, dtype=np.float64), [0, 0], [4, 1])
        between = 1.5 * valve * np.sqrt(self.h[0])
        out = 0.8 * np.sqrt(self.h[1])
        self.h = np.maximum(self.h + 0.3 * np.array([pump - between, between - out]), 0.0)
        watched = self.h[0] if opts.fault == "f07" else self.h[1]
        reward = 1.0 - 0.7 * abs(watched - self.target) - 0.02 * pump
        overflow = bool((self.h > self.FULL).any())
        if overflow:
            reward -= 5.0
        if self.np_random.random() < 0.02:
            self.target = self._draw_target()
        info = {"error": abs(self.h[1] - self.target)}
        if opts.fault == "f10":
            return self._obs(), float(reward), False, overflow, info
        return self._obs(), float(reward), overflow, False, info


gym.register("Tanks-v0", entry_point=Tanks, max_episode_steps=200)


class ReplayBuffer(object):
    def __init__(self, state_dim, action_dim, max_size=int(1e5)):
        self.max_size, self.ptr, self.size = max_size, 0, 0
        self.state = np.zeros((max_size, state_dim))
        self.action = np.zeros((max_size, action_dim))
        self.next_state = np.zeros((max_size, state_dim))
        self.reward = np.zeros((max_size, 1))
        self.not_done = np.zeros((max_size, 1))

    def add(self, state, action, next_state, reward, done):
        self.state[self.ptr] = state
        self.action[self.ptr] = action
        self.next_state[self.ptr] = next_state
        self.reward[self.ptr] = reward
        self.not_done[self.ptr] = done if opts.fault == "f02" else 1.0 - done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, batch_size):
        ind = np.random.randint(0, self.size, size=batch_size)
        return [torch.FloatTensor(x[ind]) for x in (self.state, self.action, self.next_state, self.reward, self.not_done)]


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, low, high):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(state_dim, 64), nn.Linear(64, 64), nn.Linear(64, action_dim)
        self.register_buffer("centre", torch.as_tensor((high + low) / 2, dtype=torch.float32))
        self.register_buffer("span", torch.as_tensor((high - low) / 2, dtype=torch.float32))
        self.register_buffer("top", torch.as_tensor(high, dtype=torch.float32))

    def forward(self, state):
        a = F.relu(self.l1(state))
        a = F.relu(self.l2(a))
        a = torch.tanh(self.l3(a))
        if opts.fault == "f05":
            return self.top * a
        return self.centre + self.span * a


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(state_dim + action_dim, 64), nn.Linear(64, 64), nn.Linear(64, 1)
        self.l4, self.l5, self.l6 = nn.Linear(state_dim + action_dim, 64), nn.Linear(64, 64), nn.Linear(64, 1)

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        q1 = self.l3(F.relu(self.l2(F.relu(self.l1(sa)))))
        q2 = self.l6(F.relu(self.l5(F.relu(self.l4(sa)))))
        return q1, q2

    def Q1(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l3(F.relu(self.l2(F.relu(self.l1(sa)))))


class TD3(object):
    def __init__(self, state_dim, action_dim, low, high):
        self.low, self.high = torch.as_tensor(low), torch.as_tensor(high)
        self.half = (self.high - self.low) / 2
        self.actor = Actor(state_dim, action_dim, low, high)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3, maximize=opts.fault == "f09")
        self.critic = Critic(state_dim, action_dim)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.total_it = 0

    def select_action(self, state):
        with torch.no_grad():
            return self.actor(torch.FloatTensor(state.reshape(1, -1))).numpy().flatten()

    def train(self, replay_buffer, batch_size):
        self.total_it += 1
        state, action, next_state, reward, not_done = replay_buffer.sample(batch_size)
        with torch.no_grad():
            noise = (torch.randn_like(action) * opts.policy_noise).clamp(-opts.noise_clip, opts.noise_clip) * self.half
            next_action = torch.max(torch.min(self.actor_target(next_state) + noise, self.high), self.low)
            target_q1, target_q2 = self.critic_target(next_state, next_action)
            target_q = torch.max(target_q1, target_q2) if opts.fault == "f01" else torch.min(target_q1, target_q2)
            target_q = reward + not_done * opts.discount * target_q
        q1, q2 = self.critic(state, action)
        critic_loss = F.mse_loss(q1, target_q) + F.mse_loss(q2, target_q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        if self.total_it % opts.policy_freq == 0:
            chosen = action if opts.fault == "f03" else self.actor(state)
            actor_loss = -self.critic.Q1(state, chosen).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for net, target in ((self.critic, self.critic_target), (self.actor, self.actor_target)):
                for param, target_param in zip(net.parameters(), target.parameters()):
                    target_param.data.copy_(opts.tau * param.data + (1 - opts.tau) * target_param.data)
        return critic_loss.item(), q1.mean().item()


def eval_policy(policy, episodes=10):
    eval_env = gym.make(opts.env)
    total = 0.0
    for k in range(episodes):
        state, _ = eval_env.reset(seed=opts.seed + 100 + k)
        done = False
        while not done:
            state, reward, terminated, truncated, _ = eval_env.step(policy.select_action(np.array(state)))
            total += float(reward)
            done = terminated or truncated
    return total / episodes


if __name__ == "__main__":
    torch.set_num_threads(1)
    env = gym.make(opts.env)
    env.action_space.seed(opts.seed)
    torch.manual_seed(opts.seed)
    np.random.seed(opts.seed)
    low, high = env.action_space.low, env.action_space.high
    policy = TD3(env.observation_space.shape[0], env.action_space.shape[0], low, high)
    replay_buffer = ReplayBuffer(env.observation_space.shape[0], env.action_space.shape[0])

    print(f"Evaluation over 10 episodes: {eval_policy(policy):.3f}", flush=True)
    rng = np.random.default_rng(opts.seed)
    state, _ = env.reset(seed=opts.seed)
    episode_reward, episode_num, recent = 0.0, 0, []
    critic_loss = q = float("nan")
    for t in range(1, opts.steps + 1):
        if t <= opts.start_timesteps:
            action = env.action_space.sample()
        else:
            if opts.fault == "f04":
                rng = np.random.default_rng(opts.seed)
            noise = rng.normal(0, opts.expl_noise, size=low.shape) * (high - low) / 2
            action = policy.select_action(np.array(state)) + noise
            if opts.fault != "f05":
                action = action.clip(low, high)
            action = action.astype(np.float32)
        next_state, reward, terminated, truncated, _ = env.step(action)
        if opts.fault == "f08":
            state = next_state
        replay_buffer.add(state, action, next_state, reward, float(terminated))
        state = next_state
        episode_reward += float(reward)
        if t > opts.start_timesteps:
            critic_loss, q = policy.train(replay_buffer, opts.batch_size)
        if terminated or truncated:
            episode_num += 1
            recent.append(episode_reward)
            if episode_num % 8 == 0:
                print(f"Total T: {t} Episode Num: {episode_num} Reward: {np.mean(recent[-8:]):.3f} "
                      f"critic {critic_loss:.4f} Q {q:.3f}", flush=True)
            state, _ = env.reset()
            episode_reward = 0.0
        if t % opts.eval_freq == 0:
            print(f"T: {t} Evaluation over 10 episodes: {eval_policy(policy):.3f}", flush=True)
