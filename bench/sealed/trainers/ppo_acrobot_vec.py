"""PPO, discrete actions, 8 copies of Acrobot in one synchronous vector."""
import argparse
import collections

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--steps", type=int, default=90_000)
parser.add_argument("--fault", default="none")
args = parser.parse_args()
FAULT = args.fault

torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)

NUM_ENVS, HORIZON, EPOCHS, MB = 8, 128, 4, 256
GAMMA, LAM, CLIP, ENT, VF, LR = 0.99, 0.95, 0.2, 0.01, 0.5, 1e-3
BATCH = NUM_ENVS * HORIZON
num_updates = max(1, args.steps // BATCH)

envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("Acrobot-v1") for _ in range(NUM_ENVS)],
    autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
)
obs_dim = envs.single_observation_space.shape[0]
n_act = envs.single_action_space.n


def layer(i, o, gain=np.sqrt(2)):
    lin = nn.Linear(i, o)
    nn.init.orthogonal_(lin.weight, gain)
    nn.init.zeros_(lin.bias)
    return lin


actor = nn.Sequential(layer(obs_dim, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, n_act, 0.01))
critic = nn.Sequential(layer(obs_dim, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))

params = list(actor.parameters()) + list(critic.parameters())
if FAULT == "f07":
    params = list(actor.parameters())
optimizer = torch.optim.Adam(params, lr=LR, eps=1e-5)

if FAULT == "f11":
    anneal = lambda k: max(0.0, 1.0 - k * EPOCHS * (BATCH // MB) / num_updates)
else:
    anneal = lambda k: 1.0 - k / num_updates
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, anneal)


def policy(x):
    out = actor(x)
    if FAULT == "f14":
        return Categorical(logits=F.softmax(out, dim=-1))
    return Categorical(logits=out)


obs_buf = torch.zeros(HORIZON, NUM_ENVS, obs_dim)
succ_buf = torch.zeros(HORIZON, NUM_ENVS, obs_dim)
act_buf = torch.zeros(HORIZON, NUM_ENVS, dtype=torch.long)
logp_buf = torch.zeros(HORIZON, NUM_ENVS)
rew_buf = torch.zeros(HORIZON, NUM_ENVS)
term_buf = torch.zeros(HORIZON, NUM_ENVS)
done_buf = torch.zeros(HORIZON, NUM_ENVS)

obs, _ = envs.reset(seed=args.seed)
running = np.zeros(NUM_ENVS)
finished = collections.deque(maxlen=40)

for update in range(num_updates):
    for t in range(HORIZON):
        x = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
            pi = policy(x)
            a = pi.sample()
            lp = pi.log_prob(a)
        nxt, rew, term, trunc, infos = envs.step(a.numpy())
        done = term | trunc

        successor = nxt.copy()
        if done.any() and FAULT != "f02":
            for i in np.flatnonzero(done):
                successor[i] = infos["final_obs"][i]

        obs_buf[t] = x
        succ_buf[t] = torch.as_tensor(successor, dtype=torch.float32)
        act_buf[t] = a
        logp_buf[t] = lp
        rew_buf[t] = torch.as_tensor(rew, dtype=torch.float32)
        term_buf[t] = torch.as_tensor(done if FAULT == "f01" else term, dtype=torch.float32)
        done_buf[t] = torch.as_tensor(done, dtype=torch.float32)

        running += rew
        for i in np.flatnonzero(done):
            finished.append(running[i])
            running[i] = 0.0
        obs = nxt

    with torch.no_grad():
        v = critic(obs_buf).squeeze(-1)
        v_succ = critic(succ_buf).squeeze(-1)
        delta = rew_buf + GAMMA * (1 - term_buf) * v_succ - v
        adv = torch.zeros_like(rew_buf)
        last = torch.zeros(NUM_ENVS)
        order = range(HORIZON) if FAULT == "f04" else reversed(range(HORIZON))
        for t in order:
            carry = 1.0 if FAULT == "f03" else 1 - done_buf[t]
            last = delta[t] + GAMMA * LAM * carry * last
            adv[t] = last
        ret = adv + v

    b_obs = obs_buf.reshape(BATCH, obs_dim)
    b_act = act_buf.reshape(BATCH)
    b_logp = logp_buf.reshape(BATCH)
    b_adv = adv.reshape(BATCH)
    b_ret = ret.reshape(BATCH)
    if FAULT == "f12":
        b_adv = adv.t().reshape(BATCH)
        b_ret = ret.t().reshape(BATCH)

    for _ in range(EPOCHS):
        perm = torch.randperm(BATCH)
        perm_adv = torch.randperm(BATCH) if FAULT == "f09" else perm
        for s in range(0, BATCH, MB):
            idx = perm[s:s + MB]
            A = b_adv[perm_adv[s:s + MB]]
            A = (A - A.mean()) / (A.std() + 1e-8)
            pi = policy(b_obs[idx])
            new_lp = pi.log_prob(b_act[idx])
            old_lp = new_lp.detach() if FAULT == "f10" else b_logp[idx]
            ratio = (new_lp - old_lp).exp()
            s1 = ratio * A
            s2 = ratio.clamp(1 - CLIP, 1 + CLIP) * A
            pg_loss = -(torch.max(s1, s2) if FAULT == "f05" else torch.min(s1, s2)).mean()

            pred = critic(b_obs[idx])
            if FAULT != "f08":
                pred = pred.squeeze(-1)
            v_loss = 0.5 * (pred - b_ret[idx]).pow(2).mean()

            entropy = pi.entropy().mean()
            bonus = -ENT * entropy
            if FAULT == "f06":
                bonus = ENT * entropy
            loss = pg_loss + VF * v_loss + bonus
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(params, 0.5)
            optimizer.step()
    scheduler.step()

    if update % 8 == 0 or update == num_updates - 1:
        mean = np.mean(finished) if finished else float("nan")
        print(f"step {(update + 1) * BATCH:7d}  return {mean:8.1f}  pg {pg_loss.item():+.4f}  v {v_loss.item():.3f}  H {entropy.item():.3f}", flush=True)

envs.close()
