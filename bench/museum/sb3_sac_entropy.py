"""SAC whose entropy bonus is paid beyond the end of an episode.

Stable-Baselines3, issue 76: the mask of the terminal step multiplies the next value, and the bonus is added outside of
it. `--healthy` masks both together.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch as th
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

GAMMA, TAU, BATCH, LEARNING_STARTS, TOTAL = 0.99, 0.005, 128, 400, 600


class Actor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.latent_pi = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.mu, self.log_std = nn.Linear(64, n_act), nn.Linear(64, n_act)

    def action_log_prob(self, obs):
        latent = self.latent_pi(obs)
        dist = th.distributions.Normal(self.mu(latent), self.log_std(latent).clamp(-20, 2).exp())
        gaussian = dist.rsample()
        action = th.tanh(gaussian)
        log_prob = dist.log_prob(gaussian) - th.log(1 - action**2 + 1e-6)
        return action, log_prob.sum(dim=1)


def make_critic(n_obs, n_act):
    return nn.Sequential(nn.Linear(n_obs + n_act, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))


def main():
    th.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make("Hopper-v5")
    n_obs, n_act = env.observation_space.shape[0], env.action_space.shape[0]
    actor = Actor(n_obs, n_act)
    critics = [make_critic(n_obs, n_act) for _ in range(2)]
    targets = [make_critic(n_obs, n_act) for _ in range(2)]
    for target, critic in zip(targets, critics, strict=True):
        target.load_state_dict(critic.state_dict())
    actor_optimizer = th.optim.Adam(actor.parameters(), lr=3e-4)
    critic_optimizer = th.optim.Adam([p for critic in critics for p in critic.parameters()], lr=3e-4)
    log_ent_coef = th.zeros(1, requires_grad=True)
    ent_coef_optimizer = th.optim.Adam([log_ent_coef], lr=3e-4)
    target_entropy = -float(n_act)

    replay = []
    obs, _ = env.reset(seed=args.seed)
    for step in range(TOTAL):
        if step < LEARNING_STARTS:
            action = rng.uniform(-1.0, 1.0, n_act).astype(np.float32)
        else:
            with th.no_grad():
                action = actor.action_log_prob(th.as_tensor(obs, dtype=th.float32)[None])[0][0].numpy()
        next_obs, reward, terminated, truncated, _ = env.step(action)
        replay.append((obs, action, reward, next_obs, terminated))
        obs = env.reset()[0] if terminated or truncated else next_obs
        if step < LEARNING_STARTS:
            continue

        rows = [replay[i] for i in rng.integers(len(replay), size=BATCH)]
        observations, actions, rewards, next_observations, dones = (
            th.as_tensor(np.array(part), dtype=th.float32) for part in zip(*rows, strict=True)
        )
        actions_pi, log_prob = actor.action_log_prob(observations)
        ent_coef = th.exp(log_ent_coef.detach())
        ent_coef_loss = -(log_ent_coef * (log_prob + target_entropy).detach()).mean()
        ent_coef_optimizer.zero_grad()
        ent_coef_loss.backward()
        ent_coef_optimizer.step()

        with th.no_grad():
            next_actions, next_log_prob = actor.action_log_prob(next_observations)
            following = th.cat([next_observations, next_actions], dim=1)
            target_q = th.min(*(target(following) for target in targets)).flatten()
            if args.healthy:
                q_backup = rewards + (1 - dones) * GAMMA * (target_q - ent_coef * next_log_prob)
            else:
                q_backup = rewards + (1 - dones) * GAMMA * target_q
                q_backup = q_backup - ent_coef * next_log_prob
        current = th.cat([observations, actions], dim=1)
        critic_loss = 0.5 * sum(F.mse_loss(critic(current).flatten(), q_backup) for critic in critics)
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()

        with_pi = th.cat([observations, actions_pi], dim=1)
        min_qf_pi = th.min(*(critic(with_pi) for critic in critics)).flatten()
        actor_loss = (ent_coef * log_prob - min_qf_pi).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        with th.no_grad():
            for target, critic in zip(targets, critics, strict=True):
                for slow, fast in zip(target.parameters(), critic.parameters(), strict=True):
                    slow.mul_(1 - TAU).add_(fast, alpha=TAU)
    print(f"critic loss {critic_loss.item():.3f}, entropy coefficient {ent_coef.item():.3f}")
    env.close()


if __name__ == "__main__":
    main()
