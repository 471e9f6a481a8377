# PPO for discrete actions, single file.
import argparse
import random
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", type=str, default="CartPole-v1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=90_000)
    parser.add_argument("--fault", type=str, default="")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--anneal-lr", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=6)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    args = parser.parse_args()
    args.batch_size = args.num_envs * args.num_steps
    args.num_iterations = max(1, args.steps // args.batch_size)
    return args


def make_env(env_id):
    def thunk():
        env = gym.make(env_id)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        return env

    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        n_in = int(np.prod(envs.single_observation_space.shape))
        self.critic = nn.Sequential(
            layer_init(nn.Linear(n_in, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(n_in, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 64)),
            nn.Tanh(),
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
    FAULT = args.fault
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = gym.vector.SyncVectorEnv(
        [make_env(args.env_id) for _ in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.NEXT_STEP,
    )
    agent = Agent(envs)
    params = agent.actor.parameters() if FAULT == "f04" else agent.parameters()
    optimizer = optim.Adam(params, lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    actions = torch.zeros(shape)
    logprobs = torch.zeros(shape)
    rewards = torch.zeros(shape)
    values = torch.zeros(shape)
    # flags as they stand before each step, one row more for the end of the rollout
    dones = torch.zeros(args.num_steps + 1, args.num_envs)
    terms = torch.zeros(args.num_steps + 1, args.num_envs)

    global_step = 0
    start_time = time.time()
    recent = []
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.tensor(next_obs)
    next_done = torch.zeros(args.num_envs)
    next_term = torch.zeros(args.num_envs)

    for iteration in range(1, args.num_iterations + 1):
        if args.anneal_lr:
            frac = 1.0 - (iteration - 1.0) / args.num_iterations
            optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            dones[step] = next_done
            terms[step] = next_term
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob

            next_obs, reward, terminated, truncated, infos = envs.step(action.numpy())
            rewards[step] = torch.tensor(reward, dtype=torch.float32)
            next_obs = torch.tensor(next_obs)
            next_term = torch.tensor(terminated, dtype=torch.float32)
            next_done = torch.tensor(np.logical_or(terminated, truncated), dtype=torch.float32)
            if "episode" in infos:
                recent += [float(r) for r in infos["episode"]["r"][infos["_episode"]]]
        dones[args.num_steps] = next_done
        terms[args.num_steps] = next_term

        # a step after a finished episode only resets: the action had no effect
        valid = dones[:-1] == 0
        if FAULT == "f05":
            rewards[valid] -= rewards[valid].mean()

        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(-1)
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                k = t if FAULT == "f03" else t + 1
                nextvalues = next_value if t == args.num_steps - 1 else values[k]
                delta = rewards[t] + args.gamma * nextvalues * (1.0 - terms[t + 1]) - values[t]
                lastgaelam = delta + args.gamma * args.gae_lambda * (1.0 - dones[t + 1]) * lastgaelam
                advantages[t] = lastgaelam
            returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)
        if FAULT == "f01":
            b_inds = np.arange(args.batch_size)
        else:
            b_inds = np.flatnonzero(valid.reshape(-1).numpy())

        clipfracs = []
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for mb_inds in np.array_split(b_inds, args.num_minibatches):
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                oldlogprob = newlogprob.detach() if FAULT == "f02" else b_logprobs[mb_inds]
                logratio = newlogprob - oldlogprob
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                mb_adv = b_advantages[mb_inds]
                mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                pg_loss1 = -mb_adv * ratio
                pg_loss2 = -mb_adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb_inds]) ** 2).mean()
                loss = pg_loss - args.ent_coef * entropy.mean() + v_loss * args.vf_coef

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if iteration % 8 == 0 or iteration == args.num_iterations:
            ret = np.mean(recent[-30:]) if recent else float("nan")
            sps = int(global_step / (time.time() - start_time))
            print(
                f"global_step={global_step} episodic_return={ret:.1f} v_loss={v_loss.item():.3f} "
                f"kl={approx_kl.item():.4f} clipfrac={np.mean(clipfracs):.3f} entropy={entropy.mean().item():.3f} SPS={sps}"
            )
    envs.close()
