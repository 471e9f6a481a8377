"""PPO for CartPole with a vector of environments, everything in one file."""
import argparse
import random
import time
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch.distributions.categorical import Categorical

torch.set_num_threads(1)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=50_000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fault", type=str, default="")
    p.add_argument("--learning-rate", type=float, default=1e-3)
    p.add_argument("--num-envs", type=int, default=4)
    p.add_argument("--num-steps", type=int, default=128)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--gae-lambda", type=float, default=0.95)
    p.add_argument("--num-minibatches", type=int, default=4)
    p.add_argument("--update-epochs", type=int, default=4)
    p.add_argument("--clip-coef", type=float, default=0.2)
    p.add_argument("--ent-coef", type=float, default=0.01)
    p.add_argument("--vf-coef", type=float, default=0.5)
    p.add_argument("--max-grad-norm", type=float, default=0.5)
    return p.parse_args()


def make_env(fault):
    def thunk():
        env = gym.make("CartPole-v1")
        scale = np.array([2.4, 3.0, 0.21, 3.0], dtype=np.float32)
        if fault == "f05":
            scale = env.observation_space.high
        space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        return gym.wrappers.TransformObservation(env, lambda o: (o / scale).astype(np.float32), space)

    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        n = int(np.prod(envs.single_observation_space.shape))
        self.critic = nn.Sequential(
            layer_init(nn.Linear(n, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(n, 64)), nn.Tanh(),
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
    args = parse_args()
    fault = args.fault
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches
    num_updates = max(1, args.steps // batch_size)

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = SyncVectorEnv([make_env(fault) for _ in range(args.num_envs)], autoreset_mode=AutoresetMode.SAME_STEP)
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    actions = torch.zeros(shape, dtype=torch.long)
    logprobs = torch.zeros(shape)
    rewards = torch.zeros(shape)
    dones = torch.zeros(shape)
    values = torch.zeros(shape)

    global_step = 0
    start_time = time.time()
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.as_tensor(next_obs)
    next_done = torch.zeros(args.num_envs)
    ep_return = np.zeros(args.num_envs)
    recent = deque(maxlen=20)

    for update in range(1, num_updates + 1):
        frac = 1.0 - (update - 1.0) / num_updates
        if fault == "f07":
            frac = max(0.0, 1.0 - (update - 1.0) * args.num_envs / num_updates)
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            dones[step] = next_done

            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob

            next_obs, reward, term, trunc, infos = envs.step(action.numpy())
            ep_return += reward
            reward = torch.as_tensor(reward, dtype=torch.float32)
            done = np.logical_or(term, trunc)
            for i in np.nonzero(done)[0]:
                if trunc[i] and not term[i]:
                    last = torch.as_tensor(infos["final_obs"][i], dtype=torch.float32)
                    with torch.no_grad():
                        reward[i] += args.gamma * agent.get_value(last).item()
                recent.append(ep_return[i])
                if fault != "f06":
                    ep_return[i] = 0.0
            rewards[step] = reward
            next_obs = torch.as_tensor(next_obs)
            next_done = torch.as_tensor(done, dtype=torch.float32)
            if fault == "f04":
                obs[step] = next_obs

        with torch.no_grad():
            next_value = agent.get_value(next_obs).flatten()
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                if t == args.num_steps - 1:
                    nonterminal = 1.0 - next_done
                    nextvalues = next_value
                else:
                    nonterminal = 1.0 - dones[t + 1]
                    nextvalues = values[t + 1]
                if fault == "f01":
                    nonterminal = 1.0 - dones[t]
                delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
            returns = advantages + values
            if fault == "f03":
                returns = advantages

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)
        b_values = values.reshape(-1)

        clipfracs = []
        b_inds = np.arange(batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb = b_inds[start:start + minibatch_size]
                if fault == "f02":
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb])
                else:
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                logratio = newlogprob - b_logprobs[mb]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                mb_adv = b_advantages[mb]
                mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                pg_loss1 = -mb_adv * ratio
                pg_loss2 = -mb_adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + args.vf_coef * v_loss

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        var_y = b_returns.var().item()
        explained = float("nan") if var_y == 0 else 1 - (b_returns - b_values).var().item() / var_y
        if update % 8 == 0 or update == num_updates:
            print(
                f"global_step={global_step} episodic_return={np.mean(recent) if recent else float('nan'):.1f} "
                f"value_loss={v_loss.item():.4f} policy_loss={pg_loss.item():.4f} entropy={entropy_loss.item():.4f} "
                f"approx_kl={approx_kl.item():.5f} clipfrac={np.mean(clipfracs):.3f} explained_variance={explained:.3f} "
                f"SPS={int(global_step / (time.time() - start_time))}", flush=True,
            )
    envs.close()
