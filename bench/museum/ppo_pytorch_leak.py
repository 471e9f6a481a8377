"""PPO on Monte-Carlo returns that flow from one episode into the one before.

PPO-PyTorch, issue 8. At first (`--stage 1`) nothing stops the sum at the end of an episode. The first repair (`--stage
2`) sets it to zero after the last step was added, one row too early in time. `--healthy` sets it to zero before.
"""

import argparse

import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--stage", type=int, choices=(1, 2), default=1)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


class Memory:
    def __init__(self):
        self.actions, self.states, self.logprobs, self.rewards, self.is_terminals = [], [], [], [], []

    def clear_memory(self):
        for kept in (self.actions, self.states, self.logprobs, self.rewards, self.is_terminals):
            del kept[:]


class ActorCritic(nn.Module):
    def __init__(self, state_dim, action_dim, n_latent_var):
        super().__init__()
        self.action_layer = nn.Sequential(
            nn.Linear(state_dim, n_latent_var), nn.Tanh(),
            nn.Linear(n_latent_var, n_latent_var), nn.Tanh(),
            nn.Linear(n_latent_var, action_dim), nn.Softmax(dim=-1),
        )  # fmt: skip
        self.value_layer = nn.Sequential(
            nn.Linear(state_dim, n_latent_var), nn.Tanh(),
            nn.Linear(n_latent_var, n_latent_var), nn.Tanh(),
            nn.Linear(n_latent_var, 1),
        )  # fmt: skip

    def act(self, state, memory):
        state = torch.from_numpy(state).float()
        dist = Categorical(self.action_layer(state))
        action = dist.sample()
        memory.states.append(state)
        memory.actions.append(action)
        memory.logprobs.append(dist.log_prob(action).detach())
        return action.item()

    def evaluate(self, state, action):
        dist = Categorical(self.action_layer(state))
        return dist.log_prob(action), torch.squeeze(self.value_layer(state)), dist.entropy()


class PPO:
    def __init__(self, state_dim, action_dim, n_latent_var=64, lr=0.002, gamma=0.99, k_epochs=4, eps_clip=0.2):
        self.gamma, self.k_epochs, self.eps_clip = gamma, k_epochs, eps_clip
        self.policy = ActorCritic(state_dim, action_dim, n_latent_var)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.policy_old = ActorCritic(state_dim, action_dim, n_latent_var)
        self.policy_old.load_state_dict(self.policy.state_dict())
        self.mse_loss = nn.MSELoss()

    def compute_returns(self, memory):
        rewards, discounted_reward = [], 0
        for reward, is_terminal in zip(reversed(memory.rewards), reversed(memory.is_terminals), strict=True):
            if is_terminal and args.healthy:
                discounted_reward = 0
            discounted_reward = reward + self.gamma * discounted_reward
            rewards.insert(0, discounted_reward)
            if is_terminal and args.stage == 2 and not args.healthy:
                discounted_reward = 0
        rewards = torch.tensor(rewards, dtype=torch.float32)
        return (rewards - rewards.mean()) / (rewards.std() + 1e-5)

    def update(self, memory):
        rewards = self.compute_returns(memory)
        old_states = torch.stack(memory.states).detach()
        old_actions, old_logprobs = torch.stack(memory.actions), torch.stack(memory.logprobs)
        for _ in range(self.k_epochs):
            logprobs, state_values, dist_entropy = self.policy.evaluate(old_states, old_actions)
            ratios = torch.exp(logprobs - old_logprobs)
            advantages = rewards - state_values.detach()
            surr1 = ratios * advantages
            surr2 = torch.clamp(ratios, 1 - self.eps_clip, 1 + self.eps_clip) * advantages
            loss = -torch.min(surr1, surr2) + 0.5 * self.mse_loss(state_values, rewards) - 0.01 * dist_entropy
            self.optimizer.zero_grad()
            loss.mean().backward()
            self.optimizer.step()
        self.policy_old.load_state_dict(self.policy.state_dict())


def main(update_timestep=400, max_updates=5):
    torch.manual_seed(args.seed)
    env = gym.make("CartPole-v1")
    memory, ppo = Memory(), PPO(4, env.action_space.n)
    timestep = updates = episodes = 0
    env.reset(seed=args.seed)
    while updates < max_updates:
        state, _ = env.reset()
        done = False
        while not done:
            action = ppo.policy_old.act(state, memory)
            state, reward, terminated, truncated, _ = env.step(action)
            done = terminated or truncated
            memory.rewards.append(reward)
            memory.is_terminals.append(done)
            timestep += 1
        episodes += 1
        if timestep >= update_timestep:  # whole episodes only
            ppo.update(memory)
            print(f"update {updates}: average length {timestep / episodes:.1f}")
            memory.clear_memory()
            timestep, episodes, updates = 0, 0, updates + 1
    env.close()


if __name__ == "__main__":
    main()
