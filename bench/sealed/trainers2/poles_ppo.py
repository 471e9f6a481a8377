"""PPO for CartPole. A plain list of environments, buffers as numpy arrays."""
import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=50_000)
parser.add_argument("--fault", default="none")
args = parser.parse_args()
F = args.fault

N, T = 4, 128
EPOCHS, MB = 4, 128
GAMMA, LAM = 0.99, 0.95
CLIP, ENT, VF = 0.2, 0.01, 0.5
LR = 8e-4

torch.set_num_threads(1)
torch.manual_seed(args.seed)
rng = np.random.default_rng(args.seed)

envs = [gym.make("CartPole-v1") for _ in range(N)]
D = envs[0].observation_space.shape[0]
A = int(envs[0].action_space.n)


def mlp(out, gain):
    net = nn.Sequential(nn.Linear(D, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out))
    for m in net:
        if isinstance(m, nn.Linear):
            nn.init.orthogonal_(m.weight, 2**0.5)
            nn.init.zeros_(m.bias)
    nn.init.orthogonal_(net[-1].weight, gain)
    return net


actor, critic = mlp(A, 0.01), mlp(1, 1.0)
if F == "f09":
    everything = list(actor.parameters())
else:
    everything = list(actor.parameters()) + list(critic.parameters())
opt = torch.optim.Adam(everything, lr=LR, eps=1e-5)

obs_buf = np.zeros((T, N, D), dtype=np.int64 if F == "f03" else np.float32)
act_buf = np.zeros((T, N), dtype=np.int64)
logp_buf = np.zeros((T, N), dtype=np.float32)
rew_buf = np.zeros((T, N), dtype=np.float32)
val_buf = np.zeros((T + 1, N), dtype=np.float32)
term_buf = np.zeros((T, N), dtype=np.float32)
end_buf = np.zeros((T, N), dtype=np.float32)
final_val = np.zeros((T, N), dtype=np.float32)

cur = np.stack([e.reset(seed=args.seed * 100 + i)[0] for i, e in enumerate(envs)]).astype(np.float32)
running = np.zeros(N)
finished = []
updates = args.steps // (N * T)
began = time.time()


@torch.no_grad()
def v(o):
    return critic(torch.as_tensor(o, dtype=torch.float32)).squeeze(-1).numpy()


for it in range(max(1, updates)):
    frac = 1.0 - it / max(1, updates)
    opt.param_groups[0]["lr"] = LR * frac

    final_val[:] = 0.0
    for t in range(T):
        with torch.no_grad():
            dist = Categorical(logits=actor(torch.from_numpy(cur)))
            a = dist.sample()
            logp = dist.log_prob(a)
        val_buf[t] = v(cur)
        if F != "f02":
            obs_buf[t] = cur
        act_buf[t] = a.numpy()
        logp_buf[t] = logp.numpy()
        nxt = np.empty_like(cur)
        for i, e in enumerate(envs):
            o, r, term, trunc, _ = e.step(int(a[i]))
            running[i] += r
            rew_buf[t, i] = r
            term_buf[t, i] = term
            end_buf[t, i] = term or trunc
            if trunc and not term:
                final_val[t, i] = v(o[None])[0]
            if term or trunc:
                finished.append(running[i])
                running[i] = 0.0
                if F != "f01":
                    o, _ = e.reset()
            nxt[i] = o
        cur = nxt
        if F == "f02":
            obs_buf[t] = cur
    val_buf[T] = v(cur)

    adv = np.zeros((T, N), dtype=np.float32)
    last = np.zeros(N, dtype=np.float32)
    for t in reversed(range(T)):
        if F == "f04":
            stop = end_buf[t - 1] if t > 0 else np.zeros(N, dtype=np.float32)
        else:
            stop = end_buf[t]
        follow = (1 - stop) * val_buf[t + 1] + final_val[t]
        delta = rew_buf[t] + GAMMA * follow - val_buf[t]
        last = delta + GAMMA * LAM * (1 - stop) * last
        adv[t] = last
    ret = adv + val_buf[:T]

    b_obs = torch.as_tensor(obs_buf.reshape(T * N, D), dtype=torch.float32)
    b_act = torch.from_numpy(act_buf.reshape(-1))
    b_logp = torch.from_numpy(logp_buf.reshape(-1))
    b_adv = torch.from_numpy(adv.reshape(-1))
    b_ret = torch.from_numpy(ret.reshape(-1))

    for _ in range(EPOCHS):
        order = rng.permutation(T * N)
        other = rng.permutation(T * N) if F == "f10" else order
        for k in range(0, T * N, MB):
            idx = order[k : k + MB]
            m_adv = b_adv[other[k : k + MB]]
            m_adv = (m_adv - m_adv.mean()) / (m_adv.std() + 1e-8)
            dist = Categorical(logits=actor(b_obs[idx]))
            new_logp = dist.log_prob(b_act[idx])
            old = new_logp.detach() if F == "f07" else b_logp[idx]
            ratio = (new_logp - old).exp()
            s1 = ratio * m_adv
            s2 = ratio.clamp(1 - CLIP, 1 + CLIP) * m_adv
            if F == "f05":
                pg = -torch.max(s1, s2).mean()
            else:
                pg = -torch.min(s1, s2).mean()
            pred = critic(b_obs[idx])
            if F != "f06":
                pred = pred.squeeze(-1)
            vl = (pred - b_ret[idx]).pow(2).mean()
            ent = dist.entropy().mean()
            if F == "f08":
                loss = pg + VF * vl + 0.05 * ent
            else:
                loss = pg + VF * vl - ENT * ent
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(everything, 0.5)
            opt.step()

    if it % 8 == 0 or it == updates - 1:
        tail = finished[-20:] or [float("nan")]
        print(f"steps {(it + 1) * N * T:>7d}  return {np.mean(tail):7.1f}  pg {pg.item():+.4f}  v {vl.item():8.3f}  H {ent.item():.3f}")
print(f"done in {time.time() - began:.1f}s, last 20 episodes: {np.mean(finished[-20:] or [0]):.1f}")
