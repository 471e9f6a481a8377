"""PPO on Acrobot-v1 with a synchronous vector of environments."""
import argparse
import time
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch.distributions import Categorical


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--env-id", default="Acrobot-v1")
    p.add_argument("--steps", type=int, default=160_000, help="total environment steps")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--num-envs", type=int, default=16)
    p.add_argument("--num-steps", type=int, default=128)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--gae-lambda", type=float, default=0.95)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--minibatches", type=int, default=8)
    p.add_argument("--clip-coef", type=float, default=0.2)
    p.add_argument("--ent-coef", type=float, default=0.01)
    p.add_argument("--vf-coef", type=float, default=0.5)
    p.add_argument("--max-grad-norm", type=float, default=0.5)
    p.add_argument("--fault", default="none")
    return p.parse_args()


def layer_init(layer, std=np.sqrt(2), bias=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias)
    return layer


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        n_obs = int(np.prod(envs.single_observation_space.shape))
        n_act = int(envs.single_action_space.n)
        high = np.asarray(envs.single_observation_space.high, dtype=np.float32)
        self.register_buffer("scale", torch.as_tensor(np.where(np.isfinite(high), np.maximum(high / 3.0, 1.0), 1.0), dtype=torch.float32))
        self.critic = nn.Sequential(
            layer_init(nn.Linear(n_obs, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(n_obs, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, n_act), std=0.01),
        )

    def get_value(self, x):
        return self.critic(x / self.scale).squeeze(-1)

    def get_action_and_value(self, x, action=None):
        dist = Categorical(logits=self.actor(x / self.scale))
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.get_value(x)


if __name__ == "__main__":
    args = parse_args()
    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = SyncVectorEnv([lambda: gym.make(args.env_id) for _ in range(args.num_envs)], autoreset_mode=AutoresetMode.SAME_STEP)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)

    T, N = args.num_steps, args.num_envs
    batch_size = T * N
    mb_size = batch_size // args.minibatches
    num_updates = max(1, args.steps // batch_size)

    obs = torch.zeros((T, N) + envs.single_observation_space.shape)
    actions = torch.zeros((T, N), dtype=torch.long)
    logprobs = torch.zeros((T, N))
    rewards = torch.zeros((T, N))
    values = torch.zeros((T, N))
    next_values = torch.zeros((T, N))
    ends = torch.zeros((T, N))

    ep_return = np.zeros(N)
    recent = deque(maxlen=40)
    global_step, start = 0, time.time()
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.as_tensor(next_obs, dtype=torch.float32)

    for update in range(1, num_updates + 1):
        optimizer.param_groups[0]["lr"] = args.lr * (1.0 - 0.9 * (update - 1) / num_updates)

        for t in range(T):
            global_step += N
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            obs[t] = next_obs
            actions[t], logprobs[t], values[t] = action, logprob, value

            new_obs, reward, terminated, truncated, infos = envs.step(action.numpy())
            done = np.logical_or(terminated, truncated)
            rewards[t] = torch.as_tensor(reward, dtype=torch.float32)
            ends[t] = torch.as_tensor(done, dtype=torch.float32)
            next_obs = torch.as_tensor(new_obs, dtype=torch.float32)
            if args.fault == "f02":
                obs[t] = next_obs

            # the observation that followed, which is not the one returned where an episode ended
            followed = next_obs.clone()
            for i in np.flatnonzero(done):
                followed[i] = torch.as_tensor(infos["final_obs"][i], dtype=torch.float32)
            with torch.no_grad():
                bootstrap = agent.get_value(followed)
            if args.fault == "f01":
                next_values[t] = bootstrap * (1.0 - torch.as_tensor(done, dtype=torch.float32))
            else:
                next_values[t] = bootstrap * (1.0 - torch.as_tensor(terminated, dtype=torch.float32))

            ep_return += reward
            for i in np.flatnonzero(done):
                recent.append(ep_return[i])
                ep_return[i] = 0.0

        advantages = torch.zeros((T, N))
        running = torch.zeros(N)
        for t in reversed(range(T)):
            delta = rewards[t] + args.gamma * next_values[t] - values[t]
            running = delta + args.gamma * args.gae_lambda * (1.0 - ends[t]) * running
            advantages[t] = running
        returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_actions = actions.reshape(-1)
        b_logprobs = logprobs.reshape(-1)
        b_advantages = advantages.T.reshape(-1) if args.fault == "f06" else advantages.reshape(-1)
        b_returns = returns.reshape(-1)

        clipfracs = []
        for epoch in range(args.epochs):
            order = torch.randperm(batch_size)
            if args.fault == "f04":
                optimizer.zero_grad()
            for s in range(0, batch_size, mb_size):
                mb = order[s:s + mb_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                logratio = newlogprob - b_logprobs[mb]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean().item()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                adv = b_advantages[mb]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg1 = -adv * ratio
                pg2 = -adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                if args.fault == "f03":
                    pg_loss = torch.min(pg1, pg2).mean()
                else:
                    pg_loss = torch.max(pg1, pg2).mean()
                v_loss = 0.5 * ((newvalue - b_returns[mb]) ** 2).mean()
                entropy_loss = entropy.mean()
                if args.fault == "f05":
                    loss = pg_loss + args.ent_coef * entropy_loss + args.vf_coef * v_loss
                else:
                    loss = pg_loss - args.ent_coef * entropy_loss + args.vf_coef * v_loss

                if args.fault != "f04":
                    optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if update % 4 == 0 or update == num_updates:
            mean_ret = np.mean(recent) if recent else float("nan")
            print(f"step {global_step:7d} | return {mean_ret:8.2f} | v_loss {v_loss.item():8.3f} | entropy {entropy_loss.item():.3f} "
                  f"| kl {approx_kl:.4f} | clipfrac {np.mean(clipfracs):.3f} | sps {int(global_step / (time.time() - start))}", flush=True)
    envs.close()
