# PPO, discrete actions, synchronous vector environment. One file, in the manner of CleanRL.
import argparse
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch.distributions.categorical import Categorical


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=70000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", type=str, default="none")
    parser.add_argument("--env-id", type=str, default="CartPole-v1")
    parser.add_argument("--learning-rate", type=float, default=7e-4)
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--reward-scale", type=float, default=0.05)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=8)
    parser.add_argument("--update-epochs", type=int, default=10)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    return parser.parse_args()


args = parse_args()


class EpisodeLimit(gym.Wrapper):
    """Cuts episodes after `limit` steps."""

    def __init__(self, env, limit):
        super().__init__(env)
        self.limit = limit
        self.count = 0

    def reset(self, **kwargs):
        if args.fault != "f08":
            self.count = 0
        return self.env.reset(**kwargs)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.count += 1
        if self.count >= self.limit:
            truncated = True
        return obs, reward, terminated, truncated, info


class ObsScale(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.scale = np.array([2.4, 3.0, 0.21, 3.0], dtype=np.float32)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)

    def observation(self, obs):
        if args.fault == "f07":
            return (obs / 255.0).astype(np.float32)
        return (obs / self.scale).astype(np.float32)


def make_env(env_id):
    def thunk():
        env = gym.make(env_id, max_episode_steps=-1)
        env = EpisodeLimit(env, 500)
        env = ObsScale(env)
        return env

    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        n_obs = int(np.prod(envs.single_observation_space.shape))
        self.critic = nn.Sequential(
            layer_init(nn.Linear(n_obs, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(n_obs, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, envs.single_action_space.n), std=0.01),
        )

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


if __name__ == "__main__":
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches
    num_updates = max(1, args.steps // batch_size)

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    envs = SyncVectorEnv([make_env(args.env_id) for _ in range(args.num_envs)], autoreset_mode=AutoresetMode.SAME_STEP)
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    obs = torch.zeros((args.num_steps, args.num_envs) + envs.single_observation_space.shape)
    actions = torch.zeros((args.num_steps, args.num_envs), dtype=torch.long)
    logprobs = torch.zeros((args.num_steps, args.num_envs))
    rewards = torch.zeros((args.num_steps, args.num_envs))
    values = torch.zeros((args.num_steps, args.num_envs))
    next_values = torch.zeros((args.num_steps, args.num_envs))
    terminations = torch.zeros((args.num_steps, args.num_envs))
    dones = torch.zeros((args.num_steps, args.num_envs))

    global_step = 0
    start_time = time.time()
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.Tensor(next_obs)
    ep_return = np.zeros(args.num_envs)
    finished = []

    for update in range(1, num_updates + 1):
        frac = 1.0 - (update - 1.0) / num_updates
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs

            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob

            if args.fault == "f09":
                action, _, _, _ = agent.get_action_and_value(next_obs)
            new_obs, reward, terminated, truncated, infos = envs.step(action.numpy())
            rewards[step] = torch.Tensor(reward) * args.reward_scale
            done = np.logical_or(terminated, truncated)
            terminations[step] = torch.Tensor(terminated)
            dones[step] = torch.Tensor(done)

            # what follows the step: where an episode ended, its own last observation
            following = new_obs.copy()
            for i in np.flatnonzero(done):
                following[i] = infos["final_obs"][i]
            with torch.no_grad():
                next_values[step] = agent.get_value(torch.Tensor(following)).flatten()

            ep_return += reward
            for i in np.flatnonzero(done):
                finished.append(ep_return[i])
                ep_return[i] = 0.0
            next_obs = torch.Tensor(new_obs)

        if args.fault == "f10":
            rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-5)

        with torch.no_grad():
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                nextnonterminal = 1.0 - terminations[t]
                cont = 1.0 - dones[t]
                if args.fault == "f01":
                    nextnonterminal = torch.ones(args.num_envs)
                    cont = torch.ones(args.num_envs)
                delta = rewards[t] + args.gamma * next_values[t] * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * cont * lastgaelam
            returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)
        if args.fault == "f02":
            b_advantages = advantages.transpose(0, 1).reshape(-1)
            b_returns = returns.transpose(0, 1).reshape(-1)

        b_inds = np.arange(batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb_inds = b_inds[start:start + minibatch_size]

                if args.fault == "f03":
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds])
                else:
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()

                mb_advantages = b_advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)

                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()

                if args.fault != "f06":
                    newvalue = newvalue.view(-1)
                v_loss = 0.5 * ((newvalue - b_returns[mb_inds]) ** 2).mean()

                entropy_loss = entropy.mean()
                if args.fault == "f05":
                    loss = pg_loss + args.ent_coef * entropy_loss + v_loss * args.vf_coef
                else:
                    loss = pg_loss - args.ent_coef * entropy_loss + v_loss * args.vf_coef

                if args.fault != "f04":
                    optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if update % 5 == 0 or update == num_updates:
            recent = np.mean(finished[-20:]) if finished else float("nan")
            sps = int(global_step / (time.time() - start_time))
            print(f"global_step={global_step}, episodic_return={recent:.1f}, v_loss={v_loss.item():.3f}, SPS={sps}")

    envs.close()
