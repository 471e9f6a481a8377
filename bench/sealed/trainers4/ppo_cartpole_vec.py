"""PPO with a clipped objective on CartPole-v1, eight environments in a SyncVectorEnv."""
import argparse
import time
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--fault", default="none")
    p.add_argument("--steps", type=int, default=64_000)
    p.add_argument("--num-envs", type=int, default=8)
    p.add_argument("--horizon", type=int, default=128)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--minibatches", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--lam", type=float, default=0.95)
    p.add_argument("--clip", type=float, default=0.2)
    p.add_argument("--vf-coef", type=float, default=0.5)
    p.add_argument("--max-grad", type=float, default=0.5)
    return p.parse_args()


def init(layer, gain=np.sqrt(2)):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.actor = nn.Sequential(
            init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            init(nn.Linear(64, 64)), nn.Tanh(),
            init(nn.Linear(64, n_actions), 0.01),
        )
        self.critic = nn.Sequential(
            init(nn.Linear(obs_dim, 64)), nn.Tanh(),
            init(nn.Linear(64, 64)), nn.Tanh(),
            init(nn.Linear(64, 1), 1.0),
        )

    def dist(self, obs):
        return Categorical(logits=self.actor(obs))

    def value(self, obs):
        return self.critic(obs).squeeze(-1)


def evaluate(agent, episodes, seed):
    env = gym.make("CartPole-v1")
    scores = []
    for k in range(episodes):
        obs, _ = env.reset(seed=seed + k)
        over, score = False, 0.0
        while not over:
            with torch.no_grad():
                a = agent.actor(torch.as_tensor(obs)).argmax().item()
            obs, r, terminated, truncated, _ = env.step(a)
            score += r
            over = terminated or truncated
        scores.append(score)
    env.close()
    return float(np.mean(scores))


def main():
    args = parse()
    fault = args.fault
    torch.set_num_threads(1)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make("CartPole-v1") for _ in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    obs_dim = envs.single_observation_space.shape[0]
    agent = Agent(obs_dim, envs.single_action_space.n)
    opt = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)

    T, N = args.horizon, args.num_envs
    batch = T * N
    mb_size = batch // args.minibatches
    num_updates = max(1, args.steps // batch)
    ent_coef = 0.01
    if fault == "f09":
        ent_coef = 1.0

    obs_dtype = torch.float32
    if fault == "f02":
        obs_dtype = torch.int8
    obs_buf = torch.zeros(T, N, obs_dim, dtype=obs_dtype)
    act_buf = torch.zeros(T, N, dtype=torch.long)
    logp_buf = torch.zeros(T, N)
    rew_buf = torch.zeros(T, N)
    val_buf = torch.zeros(T + 1, N)
    done_buf = torch.zeros(T, N)
    cut_buf = torch.zeros(T, N)  # value of the state in which a time limit cut the episode

    obs, _ = envs.reset(seed=args.seed)
    running = np.zeros(N)
    finished = deque(maxlen=40)
    grad_steps = 0
    start = time.time()

    for update in range(num_updates):
        if fault == "f01":
            obs, _ = envs.reset(seed=args.seed)
        cut_buf.zero_()
        for t in range(T):
            o = torch.as_tensor(obs, dtype=torch.float32)
            with torch.no_grad():
                pi = agent.dist(o)
                a = pi.sample()
                logp_buf[t] = pi.log_prob(a)
                val_buf[t] = agent.value(o)
            obs_buf[t] = o
            act_buf[t] = a
            command = a
            if fault == "f03":
                command = pi.probs.argmax(-1)
            obs, rew, terminated, truncated, infos = envs.step(command.numpy())
            rew_buf[t] = torch.as_tensor(rew, dtype=torch.float32)
            over = np.logical_or(terminated, truncated)
            ended = truncated if fault == "f06" else over
            done_buf[t] = torch.as_tensor(ended, dtype=torch.float32)
            running += rew
            for i in np.nonzero(over)[0]:
                finished.append(running[i])
                running[i] = 0.0
                if truncated[i] and not terminated[i]:
                    last = torch.as_tensor(infos["final_obs"][i], dtype=torch.float32)
                    with torch.no_grad():
                        cut_buf[t, i] = agent.value(last)
        with torch.no_grad():
            val_buf[T] = agent.value(torch.as_tensor(obs, dtype=torch.float32))

        rewards = rew_buf
        if fault == "f04":
            rewards = (rew_buf - rew_buf.mean()) / (rew_buf.std() + 1e-8)
        adv = torch.zeros(T, N)
        gae = torch.zeros(N)
        for t in reversed(range(T)):
            alive = 1.0 - done_buf[t]
            next_value = alive * val_buf[t + 1] + cut_buf[t]
            delta = rewards[t] + args.gamma * next_value - val_buf[t]
            gae = delta + args.gamma * args.lam * alive * gae
            adv[t] = gae
        ret = adv + val_buf[:T]

        b_obs = obs_buf.reshape(batch, obs_dim).float()
        b_act = act_buf.reshape(batch)
        b_logp = logp_buf.reshape(batch)
        b_adv = adv.reshape(batch)
        b_ret = ret.reshape(batch)
        if fault == "f05":
            b_adv = adv.t().reshape(batch)

        for _ in range(args.epochs):
            perm = torch.randperm(batch)
            for lo in range(0, batch, mb_size):
                frac = 1.0 - update / num_updates
                if fault == "f10":
                    frac = max(0.0, 1.0 - grad_steps / num_updates)
                opt.param_groups[0]["lr"] = args.lr * frac
                mb = perm[lo:lo + mb_size]
                pi = agent.dist(b_obs[mb])
                logratio = pi.log_prob(b_act[mb]) - b_logp[mb]
                if fault == "f08":
                    logratio = b_logp[mb] - pi.log_prob(b_act[mb])
                ratio = logratio.exp()
                mb_adv = b_adv[mb]
                mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                loss_pi = torch.max(
                    -mb_adv * ratio,
                    -mb_adv * ratio.clamp(1 - args.clip, 1 + args.clip),
                ).mean()
                v = agent.value(b_obs[mb])
                if fault == "f07":
                    v = agent.critic(b_obs[mb])
                loss_v = 0.5 * (v - b_ret[mb]).pow(2).mean()
                loss = loss_pi + args.vf_coef * loss_v - ent_coef * pi.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad)
                opt.step()
                grad_steps += 1

        if (update + 1) % 6 == 0 and finished:
            print(f"steps {(update + 1) * batch:7d}  return {np.mean(finished):7.1f}  "
                  f"v {val_buf.mean():6.2f}  {time.time() - start:5.0f}s", flush=True)

    envs.close()
    print(f"eval return {evaluate(agent, 5, 10_000 + args.seed):.1f}")


if __name__ == "__main__":
    main()
