"""A PPO in a single file, in the manner of CleanRL, watched.

    python examples/watch_cleanrl_ppo.py
    weaklink diagnose runs/cartpole

The five lines that do it are numbered.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics
from torch import nn
from torch.distributions import Categorical

import weaklink

parser = argparse.ArgumentParser()
parser.add_argument("--env-id", default="CartPole-v1")
parser.add_argument("--total-timesteps", type=int, default=50_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--num-envs", type=int, default=4)
parser.add_argument("--num-steps", type=int, default=128)
parser.add_argument("--update-epochs", type=int, default=4)
parser.add_argument("--minibatch-size", type=int, default=128)
parser.add_argument("--learning-rate", type=float, default=2.5e-4)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--clip-coef", type=float, default=0.2)
parser.add_argument("--ent-coef", type=float, default=0.01)
parser.add_argument("--vf-coef", type=float, default=0.5)
parser.add_argument("--folder", default="runs/cartpole")


class Agent(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.actor = nn.Sequential(
            nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, actions)
        )

    def get_action_and_value(self, observations, actions=None):
        policy = Categorical(logits=self.actor(observations))
        actions = policy.sample() if actions is None else actions
        return actions, policy.log_prob(actions), policy.entropy(), self.critic(observations)[:, 0]


def train(args):
    torch.manual_seed(args.seed)
    envs = SyncVectorEnv(
        [lambda: RecordEpisodeStatistics(gymnasium.make(args.env_id))] * args.num_envs,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    monitor = weaklink.Monitor(args.folder, config={"algorithm": "ppo", **vars(args)})  # 1

    shape = (args.num_steps, args.num_envs)
    observations = torch.zeros(*shape, *envs.single_observation_space.shape)
    actions, log_probs, rewards, dones, values = (torch.zeros(shape) for _ in range(5))
    observation = torch.as_tensor(envs.reset(seed=args.seed)[0])
    done = torch.zeros(args.num_envs)
    global_step = 0
    while global_step < args.total_timesteps:
        for step in range(args.num_steps):
            global_step += args.num_envs
            observations[step], dones[step] = observation, done
            with torch.no_grad():
                actions[step], log_probs[step], _, values[step] = agent.get_action_and_value(observation)
            after, reward, terminated, truncated, infos = envs.step(actions[step].long().numpy())
            observation, rewards[step] = torch.as_tensor(after), torch.as_tensor(reward)
            done = torch.as_tensor(np.logical_or(terminated, truncated), dtype=torch.float32)
            for place in np.flatnonzero(infos.get("_final_info", ())):
                episode = infos["final_info"]["episode"]
                monitor.episode(global_step, episode["r"][place], episode["l"][place])  # 2
        with torch.no_grad():
            last_value = agent.get_action_and_value(observation)[3]
        advantages = gae(rewards, values, dones, last_value, done, args)
        returns = advantages + values
        monitor.rollout(  # 3
            global_step, observations=observations, actions=actions, log_probs=log_probs, rewards=rewards,
            values=values, starts=dones, last_start=done, last_value=last_value, advantages=advantages, returns=returns,
            gamma=args.gamma, lam=args.gae_lambda, policy=agent, optimizers=optimizer, epochs=args.update_epochs,
            clip_range=args.clip_coef,
        )  # fmt: skip
        batch = [part.flatten(0, 1) for part in (observations, actions, log_probs, advantages, returns)]
        monitor.update(global_step, update(agent, optimizer, batch, args))  # 4
    envs.close()
    monitor.close()  # 5
    return monitor


def gae(rewards, values, dones, last_value, last_done, args):
    advantages, ahead = torch.zeros_like(rewards), 0.0
    for step in reversed(range(args.num_steps)):
        final = step == args.num_steps - 1
        goes_on = 1.0 - (last_done if final else dones[step + 1])
        following = last_value if final else values[step + 1]
        delta = rewards[step] + args.gamma * following * goes_on - values[step]
        advantages[step] = ahead = delta + args.gamma * args.gae_lambda * goes_on * ahead
    return advantages


def update(agent, optimizer, batch, args):
    kls, clipped = [], []
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(batch[0])).split(args.minibatch_size):
            observations, actions, old_log_probs, advantages, returns = (part[rows] for part in batch)
            _, log_probs, entropy, values = agent.get_action_and_value(observations, actions)
            log_ratio = log_probs - old_log_probs
            ratio = log_ratio.exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped_ratio = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            gain = torch.min(advantages * ratio, advantages * clipped_ratio).mean()
            value_loss = 0.5 * nn.functional.mse_loss(values, returns)
            loss = -gain - args.ent_coef * entropy.mean() + args.vf_coef * value_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            kls.append(((ratio - 1) - log_ratio).mean().item())
            clipped.append(((ratio - 1).abs() > args.clip_coef).float().mean().item())
    numbers = {"policy_loss": -gain.item(), "value_loss": value_loss.item(), "entropy": entropy.mean().item()}
    return {**numbers, "approx_kl": np.mean(kls), "clip_fraction": np.mean(clipped)}


if __name__ == "__main__":
    train(parser.parse_args())
