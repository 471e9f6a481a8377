"""A2C whose last step is continued with the value of the observation before it.

Stable-Baselines3, issue 183 and pull request 185: the values of the last pass through the policy are handed to the
estimator, and that pass was made before the last step. `--healthy` asks the critic about the observation after it.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch as th
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


class RolloutBuffer:
    def __init__(self, size, n_envs, n_obs, gamma, gae_lambda):
        self.gamma, self.gae_lambda = gamma, gae_lambda
        self.observations = np.zeros((size, n_envs, n_obs), dtype=np.float32)
        self.actions = np.zeros((size, n_envs), dtype=np.int64)
        self.rewards, self.values, self.episode_starts, self.advantages = (
            np.zeros((size, n_envs), dtype=np.float32) for _ in range(4)
        )

    def add(self, pos, obs, action, reward, episode_start, value):
        self.observations[pos], self.actions[pos] = obs, action
        self.rewards[pos], self.episode_starts[pos], self.values[pos] = reward, episode_start, value

    def compute_returns_and_advantage(self, last_values, dones):
        last_gae_lam = 0
        for step in reversed(range(len(self.rewards))):
            if step == len(self.rewards) - 1:
                next_non_terminal, next_values = 1.0 - dones, last_values
            else:
                next_non_terminal, next_values = 1.0 - self.episode_starts[step + 1], self.values[step + 1]
            delta = self.rewards[step] + self.gamma * next_values * next_non_terminal - self.values[step]
            last_gae_lam = delta + self.gamma * self.gae_lambda * next_non_terminal * last_gae_lam
            self.advantages[step] = last_gae_lam
        self.returns = self.advantages + self.values


class ActorCriticPolicy(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.policy_net = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.value_net = nn.Sequential(nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.action_head, self.value_head = nn.Linear(64, n_actions), nn.Linear(64, 1)

    def forward(self, obs):
        dist = th.distributions.Categorical(logits=self.action_head(self.policy_net(obs)))
        return dist, self.value_head(self.value_net(obs)).flatten()


def main(n_envs=8, n_steps=16, n_updates=6):
    th.manual_seed(args.seed)
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make("CartPole-v1") for _ in range(n_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    policy = ActorCriticPolicy(4, 2)
    optimizer = th.optim.RMSprop(policy.parameters(), lr=7e-4, alpha=0.99, eps=1e-5)
    last_obs, _ = envs.reset(seed=args.seed)
    last_starts = np.ones(n_envs, dtype=bool)
    for update in range(n_updates):
        buffer = RolloutBuffer(n_steps, n_envs, 4, gamma=0.99, gae_lambda=1.0)
        for pos in range(n_steps):
            with th.no_grad():
                dist, values = policy(th.as_tensor(last_obs))
                actions = dist.sample().numpy()
            new_obs, rewards, terminated, truncated, _ = envs.step(actions)
            dones = terminated | truncated
            buffer.add(pos, last_obs, actions, rewards, last_starts, values.numpy())
            last_obs, last_starts = new_obs, dones
        if args.healthy:
            with th.no_grad():
                _, values = policy(th.as_tensor(new_obs))
        buffer.compute_returns_and_advantage(values.numpy(), dones)

        observations = th.as_tensor(buffer.observations.reshape(-1, 4))
        actions = th.as_tensor(buffer.actions.flatten())
        advantages, returns = th.as_tensor(buffer.advantages.flatten()), th.as_tensor(buffer.returns.flatten())
        dist, values = policy(observations)
        policy_loss = -(advantages * dist.log_prob(actions)).mean()
        loss = policy_loss + 0.5 * nn.functional.mse_loss(returns, values) - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()
        print(f"update {update}: loss {loss.item():.3f}")
    envs.close()


if __name__ == "__main__":
    main()
