# PPO on CartPole, everything in one file, top to bottom.
import argparse
import copy
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--fault", default=None, choices=["f01", "f02", "f03", "f04", "f05", "f06"])
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=80_000)
args = parser.parse_args()
fault = args.fault

torch.set_num_threads(1)
np.random.seed(args.seed)
torch.manual_seed(args.seed)

NUM_ENVS, T = 8, 128
GAMMA, LAM = 0.99, 0.95
LR, CLIP, EPOCHS, MINIBATCHES = 1e-3, 0.2, 4, 4
ENT, VF, MAX_NORM = 0.005, 0.5, 0.5

mode = gym.vector.AutoresetMode.SAME_STEP
if fault == "f06":
    mode = gym.vector.AutoresetMode.NEXT_STEP
envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(NUM_ENVS)], autoreset_mode=mode)
eval_env = gym.make("CartPole-v1")
obs_dim = envs.single_observation_space.shape[0]
n_act = envs.single_action_space.n


def layer(i, o, gain):
    l = nn.Linear(i, o)
    nn.init.orthogonal_(l.weight, gain)
    nn.init.zeros_(l.bias)
    return l


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(layer(obs_dim, 64, 2**0.5), nn.Tanh(), layer(64, 64, 2**0.5), nn.Tanh(), layer(64, n_act, 0.01))
        self.critic = nn.Sequential(layer(obs_dim, 64, 2**0.5), nn.Tanh(), layer(64, 64, 2**0.5), nn.Tanh(), layer(64, 1, 1.0))

    def dist(self, x):
        return Categorical(logits=self.actor(x))

    def value(self, x):
        return self.critic(x).squeeze(-1)


agent = Agent()
eval_agent = copy.deepcopy(agent)
opt = torch.optim.Adam(agent.parameters(), lr=LR, eps=1e-5)


def evaluate(n=10):
    if fault != "f05":
        eval_agent.load_state_dict(agent.state_dict())
    total = 0.0
    for k in range(n):
        o, _ = eval_env.reset(seed=10_000 + k)
        over = False
        while not over:
            with torch.no_grad():
                a = eval_agent.actor(torch.as_tensor(o)).argmax().item()
            o, r, te, tr, _ = eval_env.step(a)
            total += r
            over = te or tr
    return total / n


b_obs = torch.zeros(T, NUM_ENVS, obs_dim)
b_next = torch.zeros(T, NUM_ENVS, obs_dim)
b_act = torch.zeros(T, NUM_ENVS, dtype=torch.long)
b_logp = torch.zeros(T, NUM_ENVS)
b_rew = torch.zeros(T, NUM_ENVS)
b_term = torch.zeros(T, NUM_ENVS)
b_end = torch.zeros(T, NUM_ENVS)

start = time.time()
obs, _ = envs.reset(seed=args.seed)
running = np.zeros(NUM_ENVS)
finished = []
iterations = max(1, args.steps // (T * NUM_ENVS))

for it in range(iterations):
    frac = 1.0 - it / iterations
    for group in opt.param_groups:
        if fault == "f03":
            group["lr"] = group["lr"] * frac
        else:
            group["lr"] = LR * frac

    for t in range(T):
        x = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
            d = agent.dist(x)
            a = d.sample()
        next_obs, rew, term, trunc, infos = envs.step(a.numpy())
        ended = np.logical_or(term, trunc)
        cut = term if fault == "f01" else ended
        real_next = next_obs.copy()
        if "final_obs" in infos:
            for i in np.flatnonzero(cut):
                real_next[i] = infos["final_obs"][i]
        b_obs[t] = x
        b_next[t] = torch.as_tensor(real_next)
        b_act[t] = a
        b_logp[t] = d.log_prob(a)
        b_rew[t] = torch.as_tensor(rew, dtype=torch.float32)
        b_term[t] = torch.as_tensor(term, dtype=torch.float32)
        b_end[t] = torch.as_tensor(cut, dtype=torch.float32)
        running += rew
        for i in np.flatnonzero(ended):
            finished.append(running[i])
            running[i] = 0.0
        obs = next_obs

    with torch.no_grad():
        val = agent.value(b_obs)
        nval = agent.value(b_next)
    adv = torch.zeros(T, NUM_ENVS)
    gae = torch.zeros(NUM_ENVS)
    for t in reversed(range(T)):
        delta = b_rew[t] + GAMMA * nval[t] * (1 - b_term[t]) - val[t]
        gae = delta + GAMMA * LAM * (1 - b_end[t]) * gae
        adv[t] = gae
    ret = adv + val

    f_obs = b_obs.reshape(-1, obs_dim)
    f_act, f_logp, f_adv = b_act.reshape(-1), b_logp.reshape(-1).clone(), adv.reshape(-1)
    if fault == "f02":
        f_ret = ret.transpose(0, 1).reshape(-1)
    else:
        f_ret = ret.reshape(-1)

    size = T * NUM_ENVS
    for epoch in range(EPOCHS):
        if fault == "f04":
            with torch.no_grad():
                f_logp = agent.dist(f_obs).log_prob(f_act)
        perm = torch.randperm(size)
        for mb in perm.split(size // MINIBATCHES):
            d = agent.dist(f_obs[mb])
            ratio = (d.log_prob(f_act[mb]) - f_logp[mb]).exp()
            A = f_adv[mb]
            A = (A - A.mean()) / (A.std() + 1e-8)
            pg = -torch.min(ratio * A, ratio.clamp(1 - CLIP, 1 + CLIP) * A).mean()
            vl = 0.5 * (agent.value(f_obs[mb]) - f_ret[mb]).pow(2).mean()
            loss = pg + VF * vl - ENT * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), MAX_NORM)
            opt.step()

    if it % 10 == 9 or it == iterations - 1:
        print(f"it {it + 1}/{iterations} steps {(it + 1) * size} train {np.mean(finished[-50:] or [0]):.1f} "
              f"eval {evaluate():.1f} vloss {vl.item():.3f} lr {opt.param_groups[0]['lr']:.2e}")

print(f"final eval {evaluate(20):.1f} in {time.time() - start:.0f}s")
envs.close()
