"""PPO on Acrobot-v1 with Gymnasium's SyncVectorEnv. One flat script."""
import argparse
import copy
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--env-id", type=str, default="Acrobot-v1")
parser.add_argument("--steps", type=int, default=62_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--fault", type=str, default="none")
parser.add_argument("--num-envs", type=int, default=8)
parser.add_argument("--num-steps", type=int, default=128)
parser.add_argument("--lr", type=float, default=5e-4)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--minibatches", type=int, default=4)
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--ent-coef", type=float, default=0.01)
parser.add_argument("--vf-coef", type=float, default=0.5)
parser.add_argument("--max-grad-norm", type=float, default=0.5)
opts = parser.parse_args()


def layer(n_in, n_out, std=np.sqrt(2)):
    lin = nn.Linear(n_in, n_out)
    nn.init.orthogonal_(lin.weight, std)
    nn.init.zeros_(lin.bias)
    return lin


class Agent(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.critic = nn.Sequential(
            layer(obs_dim, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
        self.actor = nn.Sequential(
            layer(obs_dim, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, n_actions, 0.01))

    def value(self, x):
        return self.critic(x)

    def dist(self, x):
        return Categorical(logits=self.actor(x))


@torch.no_grad()
def evaluate(model, episodes=5):
    env = gym.make(opts.env_id)
    scores = []
    for k in range(episodes):
        o, _ = env.reset(seed=10_000 + 100 * opts.seed + k)
        over, score = False, 0.0
        while not over:
            a = model.actor(torch.as_tensor(o, dtype=torch.float32)).argmax().item()
            o, r, term, trunc, _ = env.step(a)
            score += float(r)
            over = term or trunc
        scores.append(score)
    env.close()
    return float(np.mean(scores))


if __name__ == "__main__":
    torch.set_num_threads(1)
    np.random.seed(opts.seed)
    torch.manual_seed(opts.seed)

    envs = SyncVectorEnv([lambda: gym.make(opts.env_id) for _ in range(opts.num_envs)],
                         autoreset_mode=AutoresetMode.SAME_STEP)
    obs_dim = int(np.prod(envs.single_observation_space.shape))
    agent = Agent(obs_dim, int(envs.single_action_space.n))
    eval_agent = agent
    if opts.fault == "f08":
        eval_agent = copy.deepcopy(agent)
    optimizer = torch.optim.Adam(agent.parameters(), lr=opts.lr, eps=1e-5)

    T, N = opts.num_steps, opts.num_envs
    obs_dtype = torch.float32
    if opts.fault == "f07":
        obs_dtype = torch.int64
    obs_buf = torch.zeros((T, N, obs_dim), dtype=obs_dtype)
    next_obs_buf = torch.zeros((T, N, obs_dim), dtype=obs_dtype)
    act_buf = torch.zeros((T, N), dtype=torch.long)
    logp_buf = torch.zeros((T, N))
    rew_buf = torch.zeros((T, N))
    term_buf = torch.zeros((T, N))
    done_buf = torch.zeros((T, N))

    obs, _ = envs.reset(seed=opts.seed)
    obs = torch.as_tensor(obs, dtype=torch.float32)
    last_term, last_done = torch.zeros(N), torch.zeros(N)
    running = np.zeros(N)
    recent = []
    batch_size = T * N
    iterations = max(1, opts.steps // batch_size)
    start = time.time()

    for it in range(1, iterations + 1):
        for group in optimizer.param_groups:
            group["lr"] = opts.lr * (1.0 - (it - 1) / iterations)

        if opts.fault == "f10":
            fresh, _ = envs.reset(seed=opts.seed)
            obs = torch.as_tensor(fresh, dtype=torch.float32)
            running[:] = 0

        for t in range(T):
            with torch.no_grad():
                dist = agent.dist(obs)
                action = dist.sample()
                if opts.fault == "f05":
                    action = dist.logits.argmax(-1)
                logp = dist.log_prob(action)
            nxt, reward, term, trunc, info = envs.step(action.numpy())
            true_next = nxt.copy()
            if "final_obs" in info:
                for i in np.where(info["_final_obs"])[0]:
                    true_next[i] = info["final_obs"][i]

            obs_buf[t] = obs
            act_buf[t] = action
            logp_buf[t] = logp
            rew_buf[t] = torch.as_tensor(reward, dtype=torch.float32)
            if opts.fault == "f09":
                rew_buf[t] = -rew_buf[t]
            next_obs_buf[t] = torch.as_tensor(true_next, dtype=torch.float32)
            if opts.fault == "f01":
                term_buf[t], done_buf[t] = last_term, last_done
            else:
                term_buf[t] = torch.as_tensor(term, dtype=torch.float32)
                done_buf[t] = torch.as_tensor(term | trunc, dtype=torch.float32)
            last_term = torch.as_tensor(term, dtype=torch.float32)
            last_done = torch.as_tensor(term | trunc, dtype=torch.float32)

            running += reward
            for i in np.where(term | trunc)[0]:
                recent.append(running[i])
                running[i] = 0.0
            obs = torch.as_tensor(nxt, dtype=torch.float32)

        with torch.no_grad():
            values = agent.value(obs_buf.float()).squeeze(-1)
            next_values = agent.value(next_obs_buf.float()).squeeze(-1)
            deltas = rew_buf + opts.gamma * (1 - term_buf) * next_values - values
            adv_buf = torch.zeros((T, N))
            running_adv = torch.zeros(N)
            for t in reversed(range(T)):
                running_adv = deltas[t] + opts.gamma * opts.gae_lambda * (1 - done_buf[t]) * running_adv
                adv_buf[t] = running_adv
            ret_buf = adv_buf + values

        b_obs = obs_buf.float().reshape(-1, obs_dim)
        if opts.fault == "f03":
            b_obs = obs_buf.float().transpose(0, 1).reshape(-1, obs_dim)
        b_act, b_logp = act_buf.reshape(-1), logp_buf.reshape(-1)
        b_adv, b_ret = adv_buf.reshape(-1), ret_buf.reshape(-1)

        if opts.fault == "f04":
            optimizer.zero_grad()
        for _ in range(opts.epochs):
            for idx in torch.randperm(batch_size).chunk(opts.minibatches):
                dist = agent.dist(b_obs[idx])
                new_logp = dist.log_prob(b_act[idx])
                log_ratio = new_logp - b_logp[idx]
                if opts.fault == "f02":
                    log_ratio = b_logp[idx] - new_logp
                ratio = log_ratio.exp()
                adv = b_adv[idx]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg_loss = -torch.min(ratio * adv, ratio.clamp(1 - opts.clip, 1 + opts.clip) * adv).mean()
                new_value = agent.value(b_obs[idx])
                if opts.fault == "f06":
                    v_loss = 0.5 * ((new_value - b_ret[idx]) ** 2).mean()
                else:
                    v_loss = 0.5 * F.mse_loss(new_value.squeeze(-1), b_ret[idx])
                entropy = dist.entropy().mean()
                loss = pg_loss + opts.vf_coef * v_loss - opts.ent_coef * entropy

                if opts.fault != "f04":
                    optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), opts.max_grad_norm)
                optimizer.step()

        if it % 5 == 0 or it == iterations:
            mean = np.mean(recent[-40:]) if recent else float("nan")
            print(f"step {it * batch_size:7d}  episodes {len(recent):4d}  return {mean:8.2f}  "
                  f"pg {pg_loss.item():+.4f}  v {v_loss.item():.3f}  ent {entropy.item():.3f}  "
                  f"sps {int(it * batch_size / (time.time() - start))}", flush=True)
        if it % 20 == 0 or it == iterations:
            print(f"step {it * batch_size:7d}  eval_return {evaluate(eval_agent):8.2f}", flush=True)
    envs.close()
