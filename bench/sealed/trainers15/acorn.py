"""PPO on Acrobot with a synchronous gymnasium vector."""
import argparse
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=70000)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--fault", type=str, default="")
p.add_argument("--num-envs", type=int, default=8)
p.add_argument("--num-steps", type=int, default=128)
p.add_argument("--lr", type=float, default=1e-3)
p.add_argument("--gamma", type=float, default=0.99)
p.add_argument("--lam", type=float, default=0.95)
p.add_argument("--clip", type=float, default=0.2)
p.add_argument("--ent", type=float, default=0.01)
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--minibatches", type=int, default=4)
args = p.parse_args()
FAULT = args.fault


def init(layer, gain=np.sqrt(2)):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.actor = nn.Sequential(init(nn.Linear(n_in, 64)), nn.Tanh(), init(nn.Linear(64, 64)), nn.Tanh(),
                                   init(nn.Linear(64, n_out), 0.01))
        self.critic = nn.Sequential(init(nn.Linear(n_in, 64)), nn.Tanh(), init(nn.Linear(64, 64)), nn.Tanh(),
                                    init(nn.Linear(64, 1), 1.0))

    def dist(self, x):
        out = self.actor(x)
        return Categorical(logits=out.softmax(-1)) if FAULT == "f01" else Categorical(logits=out)

    def value(self, x):
        return self.critic(x).squeeze(-1)


def to_tensor(batch):
    x = torch.as_tensor(batch, dtype=torch.float32)
    return x.reshape(x.shape[1], x.shape[0]).t() if FAULT == "f03" else x


def evaluate(agent, episodes=5):
    env = gym.make("Acrobot-v1")
    total = []
    for k in range(episodes):
        obs, _ = env.reset(seed=9000 + k)
        done, ret = False, 0.0
        while not done:
            with torch.no_grad():
                a = agent.dist(torch.as_tensor(obs, dtype=torch.float32)[None]).probs.argmax(-1).item()
            obs, r, term, trunc, _ = env.step(a)
            done = term or trunc
            ret += r
        total.append(ret)
    env.close()
    return float(np.mean(total))


if __name__ == "__main__":
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    N, T = args.num_envs, args.num_steps
    envs = gym.vector.SyncVectorEnv([lambda: gym.make("Acrobot-v1") for _ in range(N)],
                                    autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
    d = envs.single_observation_space.shape[0]
    agent = Agent(d, envs.single_action_space.n)
    opt = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    updates = max(1, args.steps // (N * T))
    anneal = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: max(0.0, 1.0 - k / updates))

    obs = torch.zeros(T, N, d)
    acts = torch.zeros(T, N, dtype=torch.long)
    logps = torch.zeros(T, N)
    rews = torch.zeros(T, N)
    dones = torch.zeros(T + 1, N)
    vals = torch.zeros(T + 1, N)

    raw, _ = envs.reset(seed=args.seed)
    nxt = to_tensor(raw)
    next_done = torch.zeros(N)
    ep_ret = np.zeros(N)
    finished = []
    start = time.time()
    for u in range(updates):
        for t in range(T):
            obs[t] = nxt
            dones[t] = next_done
            with torch.no_grad():
                pi = agent.dist(nxt)
                a = pi.sample()
                acts[t] = a
                logps[t] = pi.log_prob(a)
                vals[t] = agent.value(nxt)
            move = a.numpy()
            raw, r, term, trunc, info = envs.step(np.full(N, move[0]) if FAULT == "f04" else move)
            ep_ret += r
            r = r.astype(np.float32)
            for i in np.nonzero(trunc & ~term)[0]:
                with torch.no_grad():
                    last = torch.as_tensor(info["final_obs"][i], dtype=torch.float32)
                    r[i] += args.gamma * agent.value(last[None]).item()
            for i in np.nonzero(term | trunc)[0]:
                finished.append(ep_ret[i])
                ep_ret[i] = 0
            rews[t] = torch.as_tensor(r)
            nxt = to_tensor(raw)
            next_done = torch.as_tensor((term | trunc).astype(np.float32))
        dones[T] = next_done
        with torch.no_grad():
            vals[T] = agent.value(nxt)

        adv = torch.zeros(T, N)
        acc = torch.zeros(N)
        for t in reversed(range(T)):
            mask = 1.0 - (dones[t] if FAULT == "f02" else dones[t + 1])
            delta = rews[t] + args.gamma * vals[t + 1] * mask - vals[t]
            acc = delta + args.gamma * args.lam * mask * acc
            adv[t] = acc
        ret = adv + vals[:T]

        b_obs, b_act, b_logp = obs.reshape(-1, d), acts.reshape(-1), logps.reshape(-1)
        b_adv, b_ret = adv.reshape(-1), ret.reshape(-1)
        size = N * T // args.minibatches
        for _ in range(args.epochs):
            order = torch.randperm(N * T)
            for s in range(0, N * T, size):
                mb = order[s:s + size]
                pi = agent.dist(b_obs[mb])
                ratio = (pi.log_prob(b_act[mb]) - b_logp[mb]).exp()
                A = b_adv[mb]
                A = (A - A.mean()) / (A.std() + 1e-8)
                pg = -torch.min(ratio * A, ratio.clamp(1 - args.clip, 1 + args.clip) * A).mean()
                vf = 0.5 * (agent.value(b_obs[mb]) - b_ret[mb]).pow(2).mean()
                loss = pg + 0.5 * vf - args.ent * pi.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
                if FAULT == "f05":
                    anneal.step()
        if FAULT != "f05":
            anneal.step()
        if (u + 1) % 10 == 0:
            print(f"step {(u + 1) * N * T}  return {np.mean(finished[-20:]) if finished else float('nan'):.1f}  "
                  f"pg {pg.item():.4f}  vf {vf.item():.3f}  sps {int((u + 1) * N * T / (time.time() - start))}", flush=True)
    print(f"evaluation {evaluate(agent):.1f}")
