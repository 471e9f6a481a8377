# PPO, single file, vectorised classic control
import argparse
import copy
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
    parser.add_argument("--steps", type=int, default=120_000, help="total timesteps of the experiment")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="none")
    parser.add_argument("--env-id", type=str, default="CartPole-v1")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=4)
    parser.add_argument("--clip-coef", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--vf-coef", type=float, default=0.5)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    parser.add_argument("--eval-every", type=int, default=15)
    args = parser.parse_args()
    args.batch_size = args.num_envs * args.num_steps
    args.minibatch_size = args.batch_size // args.num_minibatches
    args.num_iterations = max(1, args.steps // args.batch_size)
    return args


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.constant_(layer.bias, bias_const)
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


def evaluate(agent, env_id, seed, episodes=5):
    env = gym.make(env_id)
    scores = []
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + 10_000 + k)
        total, over = 0.0, False
        while not over:
            with torch.no_grad():
                logits = agent.actor(torch.as_tensor(obs, dtype=torch.float32))
            obs, r, term, trunc, _ = env.step(int(logits.argmax()))
            total += float(r)
            over = term or trunc
        scores.append(total)
    env.close()
    return float(np.mean(scores))


if __name__ == "__main__":
    args = parse_args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make(args.env_id) for _ in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    agent = Agent(envs)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    eval_agent = copy.deepcopy(agent)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape)
    real_next_obs = torch.zeros_like(obs)
    actions = torch.zeros(shape)
    logprobs = torch.zeros(shape)
    rewards = torch.zeros(shape)
    terminals = torch.zeros(shape)
    dones = torch.zeros(shape)
    values = torch.zeros(shape)

    global_step = 0
    start_time = time.time()
    next_obs_np, _ = envs.reset(seed=args.seed)
    next_obs = torch.tensor(next_obs_np, dtype=torch.float32)
    running_return = np.zeros(args.num_envs)
    finished = []

    for iteration in range(1, args.num_iterations + 1):
        if args.fault == "f05":
            frac = max(0.0, 1.0 - global_step / (args.num_iterations * args.num_steps))
        else:
            frac = 1.0 - (iteration - 1.0) / args.num_iterations
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob

            next_obs_np, reward, terminations, truncations, infos = envs.step(action.numpy())
            done = np.logical_or(terminations, truncations)
            true_next = next_obs_np.copy()
            for i in np.flatnonzero(done):
                true_next[i] = infos["final_obs"][i]
            next_obs = torch.tensor(next_obs_np, dtype=torch.float32)
            if args.fault == "f04":
                obs[step] = next_obs
            real_next_obs[step] = torch.tensor(true_next, dtype=torch.float32)
            rewards[step] = torch.tensor(reward, dtype=torch.float32)
            terminals[step] = torch.tensor(terminations, dtype=torch.float32)
            dones[step] = torch.tensor(done, dtype=torch.float32)

            running_return += reward
            for i in np.flatnonzero(done):
                finished.append(running_return[i])
                running_return[i] = 0.0

        with torch.no_grad():
            next_values = agent.get_value(real_next_obs.reshape(-1, obs.shape[-1])).view(shape)
            advantages = torch.zeros_like(rewards)
            lastgaelam = torch.zeros(args.num_envs)
            for t in reversed(range(args.num_steps)):
                terminal, cut = terminals[t], dones[t]
                if args.fault == "f02":
                    terminal, cut = terminals[max(t - 1, 0)], dones[max(t - 1, 0)]
                delta = rewards[t] + args.gamma * next_values[t] * (1.0 - terminal) - values[t]
                lastgaelam = delta + args.gamma * args.gae_lambda * (1.0 - cut) * lastgaelam
                advantages[t] = lastgaelam
            returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)

        b_inds = np.arange(args.batch_size)
        clipfracs = []
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, args.batch_size, args.minibatch_size):
                mb_inds = b_inds[start:start + args.minibatch_size]
                if args.fault == "f03":
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds])
                else:
                    _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())

                mb_advantages = b_advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)

                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()

                if args.fault != "f01":
                    newvalue = newvalue.view(-1)
                v_loss = 0.5 * ((newvalue - b_returns[mb_inds]) ** 2).mean()

                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + v_loss * args.vf_coef

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if iteration % args.eval_every == 0 or iteration == args.num_iterations:
            if args.fault != "f06":
                eval_agent.load_state_dict(agent.state_dict())
            score = evaluate(eval_agent, args.env_id, args.seed)
            recent = float(np.mean(finished[-20:])) if finished else 0.0
            print(f"global_step={global_step}, episodic_return={recent:.1f}, eval_return={score:.1f}, "
                  f"approx_kl={approx_kl.item():.4f}, clipfrac={np.mean(clipfracs):.3f}, v_loss={v_loss.item():.3f}, "
                  f"SPS={int(global_step / (time.time() - start_time))}", flush=True)
    envs.close()
