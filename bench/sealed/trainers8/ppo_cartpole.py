# PPO for discrete actions, single file, several environments in one process.
import argparse
import copy
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
    p = argparse.ArgumentParser()
    p.add_argument("--env-id", type=str, default="CartPole-v1")
    p.add_argument("--steps", type=int, default=80_000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fault", type=str, default="none")
    p.add_argument("--num-envs", type=int, default=8)
    p.add_argument("--num-steps", type=int, default=128)
    p.add_argument("--learning-rate", type=float, default=1e-3)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--gae-lambda", type=float, default=0.95)
    p.add_argument("--num-minibatches", type=int, default=4)
    p.add_argument("--update-epochs", type=int, default=6)
    p.add_argument("--clip-coef", type=float, default=0.2)
    p.add_argument("--ent-coef", type=float, default=0.01)
    p.add_argument("--vf-coef", type=float, default=0.5)
    p.add_argument("--max-grad-norm", type=float, default=0.5)
    p.add_argument("--eval-every", type=int, default=10, help="in iterations")
    args = p.parse_args()
    args.batch_size = args.num_envs * args.num_steps
    args.minibatch_size = args.batch_size // args.num_minibatches
    args.num_iterations = max(1, args.steps // args.batch_size)
    return args


def make_env(env_id):
    def thunk():
        env = gym.make(env_id)
        return gym.wrappers.RecordEpisodeStatistics(env)

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


@torch.no_grad()
def evaluate(agent, env_id, seed, episodes=5):
    env = gym.make(env_id)
    returns = []
    for ep in range(episodes):
        obs, _ = env.reset(seed=seed + ep)
        total, done = 0.0, False
        while not done:
            logits = agent.actor(torch.as_tensor(obs, dtype=torch.float32).unsqueeze(0))
            obs, r, term, trunc, _ = env.step(int(logits.argmax(1)))
            total += float(r)
            done = term or trunc
        returns.append(total)
    env.close()
    return float(np.mean(returns))


if __name__ == "__main__":
    args = parse_args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = SyncVectorEnv([make_env(args.env_id) for _ in range(args.num_envs)], autoreset_mode=AutoresetMode.SAME_STEP)
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    eval_agent = agent
    if args.fault == "f07":
        eval_agent = copy.deepcopy(agent)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    if args.fault == "f09":
        obs = torch.zeros(shape + envs.single_observation_space.shape, dtype=torch.int32)
    actions = torch.zeros(shape, dtype=torch.long)
    logprobs = torch.zeros(shape)
    rewards = torch.zeros(shape)
    terms = torch.zeros(shape)
    dones = torch.zeros(shape)
    values = torch.zeros(shape)
    next_values = torch.zeros(shape)

    global_step = 0
    start_time = time.time()
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.as_tensor(next_obs, dtype=torch.float32)
    recent = []

    for iteration in range(1, args.num_iterations + 1):
        frac = 1.0 - (iteration - 1.0) / args.num_iterations
        if args.fault == "f02":
            frac = max(0.0, 1.0 - (iteration - 1.0) / max(1, args.num_iterations // args.num_envs))
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob

            new_obs, reward, terminated, truncated, infos = envs.step(action.numpy())
            done = np.logical_or(terminated, truncated)
            rewards[step] = torch.as_tensor(reward, dtype=torch.float32)
            terms[step] = torch.as_tensor(terminated, dtype=torch.float32)
            dones[step] = torch.as_tensor(done, dtype=torch.float32)

            real_next = new_obs.copy()
            if done.any():
                for i in np.flatnonzero(done):
                    if args.fault != "f05":
                        real_next[i] = infos["final_obs"][i]
                    recent.append(float(infos["final_info"]["episode"]["r"][i]))
            with torch.no_grad():
                next_values[step] = agent.get_value(torch.as_tensor(real_next, dtype=torch.float32)).flatten()
            next_obs = torch.as_tensor(new_obs, dtype=torch.float32)

        # advantages
        advantages = torch.zeros_like(rewards)
        lastgaelam = torch.zeros(args.num_envs)
        for t in reversed(range(args.num_steps)):
            nonterminal, cont = 1.0 - terms[t], 1.0 - dones[t]
            if args.fault == "f01":
                prev = max(t - 1, 0)
                nonterminal, cont = 1.0 - terms[prev], 1.0 - dones[prev]
            delta = rewards[t] + args.gamma * next_values[t] * nonterminal - values[t]
            lastgaelam = delta + args.gamma * args.gae_lambda * cont * lastgaelam
            advantages[t] = lastgaelam
        returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape).float()
        b_actions = actions.reshape(-1)
        b_logprobs = logprobs.reshape(-1)
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)

        b_inds = np.arange(args.batch_size)
        clipfracs = []
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, args.batch_size, args.minibatch_size):
                end = start + args.minibatch_size
                mb_inds = b_inds[start:end]

                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                mb_advantages = b_advantages[mb_inds]
                if args.fault == "f06":
                    mb_advantages = b_advantages[start:end]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)

                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                if args.fault == "f04":
                    pg_loss = torch.min(pg_loss1, pg_loss2).mean()
                else:
                    pg_loss = torch.max(pg_loss1, pg_loss2).mean()

                if args.fault != "f08":
                    newvalue = newvalue.view(-1)
                v_loss = 0.5 * ((newvalue - b_returns[mb_inds]) ** 2).mean()

                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + v_loss * args.vf_coef
                if args.fault == "f03":
                    loss = pg_loss + args.ent_coef * entropy_loss + v_loss * args.vf_coef

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if iteration % 5 == 0:
            y_pred, y_true = values.flatten().numpy(), b_returns.numpy()
            ev = 1 - np.var(y_true - y_pred) / (np.var(y_true) + 1e-8)
            print(
                f"global_step={global_step} episodic_return={np.mean(recent[-20:]) if recent else float('nan'):.1f} "
                f"kl={approx_kl.item():.4f} clipfrac={np.mean(clipfracs):.3f} entropy={entropy_loss.item():.3f} ev={ev:.3f}"
            )
        if iteration % args.eval_every == 0 or iteration == args.num_iterations:
            ret = evaluate(eval_agent, args.env_id, seed=10_000 + args.seed)
            print(f"eval at {global_step}: mean return {ret:.1f}")

    envs.close()
    print(f"SPS {int(global_step / (time.time() - start_time))}")
