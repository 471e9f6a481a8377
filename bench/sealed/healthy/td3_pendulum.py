import argparse
import copy
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(state_dim, 128), nn.Linear(128, 128), nn.Linear(128, action_dim)
        self.max_action = max_action

    def forward(self, state):
        a = F.relu(self.l1(state))
        a = F.relu(self.l2(a))
        return self.max_action * torch.tanh(self.l3(a))


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(state_dim + action_dim, 128), nn.Linear(128, 128), nn.Linear(128, 1)
        self.l4, self.l5, self.l6 = nn.Linear(state_dim + action_dim, 128), nn.Linear(128, 128), nn.Linear(128, 1)

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l3(F.relu(self.l2(F.relu(self.l1(sa))))), self.l6(F.relu(self.l5(F.relu(self.l4(sa)))))

    def Q1(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.l3(F.relu(self.l2(F.relu(self.l1(sa)))))


class TD3:
    def __init__(self, state_dim, action_dim, max_action, discount=0.98, tau=0.005, policy_noise=0.2, noise_clip=0.5, policy_freq=2):
        self.actor = Actor(state_dim, action_dim, max_action)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic = Critic(state_dim, action_dim)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.max_action, self.discount, self.tau = max_action, discount, tau
        self.policy_noise, self.noise_clip, self.policy_freq = policy_noise * max_action, noise_clip * max_action, policy_freq
        self.total_it = 0

    def select_action(self, state):
        return self.actor(torch.FloatTensor(state.reshape(1, -1))).detach().numpy().flatten()

    def train(self, batch):
        self.total_it += 1
        state, action, next_state, reward, not_done = batch
        with torch.no_grad():
            noise = (torch.randn_like(action) * self.policy_noise).clamp(-self.noise_clip, self.noise_clip)
            next_action = (self.actor_target(next_state) + noise).clamp(-self.max_action, self.max_action)
            q1, q2 = self.critic_target(next_state, next_action)
            target_Q = reward + not_done * self.discount * torch.min(q1, q2)
        current_Q1, current_Q2 = self.critic(state, action)
        critic_loss = F.mse_loss(current_Q1, target_Q) + F.mse_loss(current_Q2, target_Q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        if self.total_it % self.policy_freq == 0:
            actor_loss = -self.critic.Q1(state, self.actor(state)).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            for net, slow in ((self.critic, self.critic_target), (self.actor, self.actor_target)):
                for p, tp in zip(net.parameters(), slow.parameters()):
                    tp.data.copy_(self.tau * p.data + (1 - self.tau) * tp.data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--max_timesteps", default=7000, type=int)
    parser.add_argument("--start_timesteps", default=1000, type=int)
    args = parser.parse_args()
    env = gym.make("Pendulum-v1")
    env.action_space.seed(args.seed)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    max_action = float(env.action_space.high[0])
    policy = TD3(3, 1, max_action)
    mem = np.zeros((args.max_timesteps, 3 + 1 + 3 + 1 + 1), np.float32)
    state, _ = env.reset(seed=args.seed)
    episode_reward, returns = 0, []
    for t in range(args.max_timesteps):
        if t < args.start_timesteps:
            action = env.action_space.sample()
        else:
            action = (policy.select_action(state) + np.random.normal(0, max_action * 0.1, size=1)).clip(-max_action, max_action)
        next_state, reward, terminated, truncated, _ = env.step(action)
        mem[t] = np.concatenate([state, action, next_state, [reward], [1.0 - terminated]])
        state = next_state
        episode_reward += reward
        if t >= args.start_timesteps:
            rows = torch.from_numpy(mem[np.random.randint(0, t + 1, size=100)])
            policy.train(rows.split([3, 1, 3, 1, 1], 1))
        if terminated or truncated:
            returns.append(episode_reward)
            print(f"Total T: {t + 1} Episode Num: {len(returns)} Reward: {episode_reward:.1f}")
            state, _ = env.reset()
            episode_reward = 0
