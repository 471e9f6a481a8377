"""SAC whose log-probability keeps one number for each dimension of the action.

Tianshou, issue 40: `log_prob` is not summed over the dimensions, so targets of shape (batch, dimensions) meet values of
shape (batch, 1), and each value is pulled towards the mean of several targets. `--healthy` sums it.
"""

import argparse
import warnings

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
warnings.filterwarnings("ignore", message="Using a target size")


class ActorProb(nn.Module):
    def __init__(self, state_shape, action_shape, hidden=64):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(state_shape, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mu, self.sigma = nn.Linear(hidden, action_shape), nn.Linear(hidden, action_shape)

    def forward(self, s):
        logits = self.model(s)
        return self.mu(logits), self.sigma(logits).clamp(-20, 2).exp()


class Critic(nn.Module):
    def __init__(self, state_shape, action_shape, hidden=64):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(state_shape + action_shape, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1),
        )  # fmt: skip

    def forward(self, s, a):
        return self.model(torch.cat([s, a], dim=1))


class SACPolicy:
    def __init__(self, state_shape, action_shape, lr=1e-3, tau=0.005, gamma=0.99, alpha=0.2):
        self.tau, self.gamma, self.alpha = tau, gamma, alpha
        self.actor = ActorProb(state_shape, action_shape)
        self.critic1, self.critic1_old, self.critic2, self.critic2_old = (
            Critic(state_shape, action_shape) for _ in range(4)
        )
        self.critic1_old.load_state_dict(self.critic1.state_dict())
        self.critic2_old.load_state_dict(self.critic2.state_dict())
        self.actor_optim = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic1_optim = torch.optim.Adam(self.critic1.parameters(), lr=lr)
        self.critic2_optim = torch.optim.Adam(self.critic2.parameters(), lr=lr)

    def forward(self, obs):
        dist = Normal(*self.actor(obs))
        x = dist.rsample()
        y = torch.tanh(x)
        log_prob = dist.log_prob(x) - torch.log(1 - y.pow(2) + 1e-6)
        if args.healthy:
            log_prob = log_prob.sum(1, keepdim=True)
        return y, log_prob

    def learn(self, obs, act, rew, obs_next, done):
        with torch.no_grad():
            a_, log_prob_ = self.forward(obs_next)
            target_q = torch.min(self.critic1_old(obs_next, a_), self.critic2_old(obs_next, a_))
            target_q = rew[:, None] + self.gamma * (1.0 - done[:, None]) * (target_q - self.alpha * log_prob_)
        for critic, optim in ((self.critic1, self.critic1_optim), (self.critic2, self.critic2_optim)):
            critic_loss = F.mse_loss(critic(obs, act), target_q)
            optim.zero_grad()
            critic_loss.backward()
            optim.step()
        a, log_prob = self.forward(obs)
        actor_loss = (self.alpha * log_prob - torch.min(self.critic1(obs, a), self.critic2(obs, a))).mean()
        self.actor_optim.zero_grad()
        actor_loss.backward()
        self.actor_optim.step()
        with torch.no_grad():
            for old, new in ((self.critic1_old, self.critic1), (self.critic2_old, self.critic2)):
                for o, n in zip(old.parameters(), new.parameters(), strict=True):
                    o.copy_((1 - self.tau) * o + self.tau * n)
        return critic_loss.item()


def main(batch_size=128, start=300, total=500):
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make("Hopper-v5")
    policy = SACPolicy(env.observation_space.shape[0], env.action_space.shape[0])
    buffer, obs = [], env.reset(seed=args.seed)[0]
    for step in range(total):
        with torch.no_grad():
            act = policy.forward(torch.tensor(obs, dtype=torch.float32)[None])[0][0].numpy()
        obs_next, rew, terminated, truncated, _ = env.step(act)
        buffer.append((obs, act, rew, obs_next, terminated))
        obs = env.reset()[0] if terminated or truncated else obs_next
        if step >= start:
            batch = [buffer[i] for i in rng.choice(len(buffer), batch_size)]
            loss = policy.learn(*(torch.tensor(np.array(x), dtype=torch.float32) for x in zip(*batch, strict=True)))
    print(f"critic loss {loss:.3f}")
    env.close()


if __name__ == "__main__":
    main()
