# PPO, single file, gymnasium vector environments
import argparse
import copy
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--env-id", type=str, default="CartPole-v1")
    p.add_argument("--steps", type=int, default=40960)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fault", type=str, default="")
    p.add_argument("--learning-rate", type=float, default=1e-3)
    p.add_argument("--num-envs", type=int, default=8)
    p.add_argument("--num-steps", type=int, default=64)
    p.add_argument("--gamma", type=float, default=0.98)
    p.add_argument("--gae-lambda", type=float, default=0.9)
    p.add_argument("--num-minibatches", type=int, default=4)
    p.add_argument("--update-epochs", type=int, default=8)
    p.add_argument("--clip-coef", type=float, default=0.2)
    p.add_argument("--ent-coef", type=float, default=0.01)
    p.add_argument("--vf-coef", type=float, default=0.5)
    p.add_argument("--max-grad-norm", type=float, default=0.5)
    return p.parse_args()


class Unit(gym.ObservationWrapper):
    def __init__(self, env, low, high):
        super().__init__(env)
        self.low, self.high = low, high

    def observation(self, obs):
        return np.clip(obs, self.low, self.high).astype(np.float32)


def make_env(env_id, fault):
    def thunk():
        env = gym.make(env_id)
        if fault == "f06":
            return Unit(env, 0.0, 1.0)
        return Unit(env, -10.0, 10.0)

    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, n_act):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, 64)), nn.Tanh(),
            layer_init(nn.Linear(64, n_act), std=0.01),
        )

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


def evaluate(agent, env_id, fault, episodes=5, seed=10_000):
    env = make_env(env_id, fault)()
    totals = []
    for i in range(episodes):
        obs, _ = env.reset(seed=seed + i)
        done, total = False, 0.0
        while not done:
            with torch.no_grad():
                a = agent.actor(torch.as_tensor(obs).unsqueeze(0)).argmax(-1).item()
            obs, r, term, trunc, _ = env.step(a)
            total += float(r)
            done = term or trunc
        totals.append(total)
    return float(np.mean(totals))


if __name__ == "__main__":
    args = parse_args()
    fault = args.fault
    if fault == "f04":
        args.ent_coef, args.vf_coef = args.vf_coef, args.ent_coef
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches
    num_updates = max(1, args.steps // batch_size)

    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = gym.vector.SyncVectorEnv(
        [make_env(args.env_id, fault) for _ in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    obs_shape = envs.single_observation_space.shape
    agent = Agent(int(np.prod(obs_shape)), int(envs.single_action_space.n))
    shown = copy.deepcopy(agent) if fault == "f07" else agent
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    obs = torch.zeros((args.num_steps, args.num_envs) + obs_shape)
    actions = torch.zeros((args.num_steps, args.num_envs), dtype=torch.long)
    logprobs = torch.zeros((args.num_steps, args.num_envs))
    rewards = torch.zeros((args.num_steps, args.num_envs))
    terms = torch.zeros((args.num_steps, args.num_envs))
    dones = torch.zeros((args.num_steps, args.num_envs))
    values = torch.zeros((args.num_steps, args.num_envs))
    nextvalues = torch.zeros((args.num_steps, args.num_envs))

    global_step, start = 0, time.time()
    next_obs, _ = envs.reset(seed=args.seed)
    next_obs = torch.as_tensor(next_obs)
    running = np.zeros(args.num_envs)
    recent = []

    for update in range(1, num_updates + 1):
        frac = 1.0 - (update - 1.0) / num_updates
        if fault == "f05":
            frac = max(0.0, 1.0 - global_step / num_updates)
        optimizer.param_groups[0]["lr"] = frac * args.learning_rate

        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                if fault == "f03":
                    logprob = agent.get_action_and_value(next_obs)[1]
            values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            raw, reward, terminated, truncated, infos = envs.step(action.numpy())
            done = np.logical_or(terminated, truncated)
            rewards[step] = torch.as_tensor(reward, dtype=torch.float32)
            terms[step] = torch.as_tensor(terminated, dtype=torch.float32)
            dones[step] = torch.as_tensor(done, dtype=torch.float32)
            successor = raw.copy()
            if "final_obs" in infos:
                for i in np.flatnonzero(infos["_final_obs"]):
                    successor[i] = infos["final_obs"][i]
            with torch.no_grad():
                nextvalues[step] = agent.get_value(torch.as_tensor(successor)).flatten()
            next_obs = torch.as_tensor(raw)
            running += reward
            for i in np.flatnonzero(done):
                recent.append(running[i])
                running[i] = 0.0

        with torch.no_grad():
            advantages = torch.zeros_like(rewards)
            last = torch.zeros(args.num_envs)
            for t in reversed(range(args.num_steps)):
                src = t
                if fault == "f01":
                    src = max(t - 1, 0)
                delta = rewards[t] + args.gamma * nextvalues[t] * (1 - terms[src]) - values[t]
                last = delta + args.gamma * args.gae_lambda * (1 - dones[src]) * last
                advantages[t] = last
            returns = advantages + values

        b_obs = obs.reshape((-1,) + obs_shape)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_adv = advantages.reshape(-1)
        b_returns = returns.reshape(-1)
        b_values = values.reshape(-1)

        b_inds = np.arange(batch_size)
        clipfracs = []
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for s in range(0, batch_size, minibatch_size):
                mb = b_inds[s:s + minibatch_size]
                mb_adv = b_adv[mb]
                if fault == "f02":
                    mb_adv = b_adv[s:s + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                logratio = newlogprob - b_logprobs[mb]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                    clipfracs.append(((ratio - 1.0).abs() > args.clip_coef).float().mean().item())
                mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                pg_loss = torch.max(
                    -mb_adv * ratio,
                    -mb_adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef),
                ).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                entropy_loss = entropy.mean()
                loss = pg_loss - args.ent_coef * entropy_loss + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if update % 8 == 0 or update == num_updates:
            ev = 1 - np.var((b_returns - b_values).numpy()) / (np.var(b_returns.numpy()) + 1e-9)
            score = evaluate(shown, args.env_id, fault)
            print(f"global_step={global_step} episodic_return={np.mean(recent[-20:]) if recent else float('nan'):.1f} "
                  f"eval_return={score:.1f} v_loss={v_loss.item():.3f} pg_loss={pg_loss.item():.4f} "
                  f"entropy={entropy_loss.item():.3f} approx_kl={approx_kl.item():.4f} clipfrac={np.mean(clipfracs):.3f} "
                  f"explained_variance={ev:.3f} SPS={int(global_step / (time.time() - start))}")
    envs.close()
