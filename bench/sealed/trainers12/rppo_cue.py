"""Recurrent PPO (GRU) on a corridor with a cue: the sign at the entrance says which door to take at the end."""
import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


class CueCorridor(gym.Env):
    """
    Observation: (sign left, sign right, position / length, at the junction).
    Actions: 0 walk on, 1 left door, 2 right door. A door works only at the junction.
    Who is still inside when the light goes out (time_limit) has lost.
    """

    def __init__(self, length=6, time_limit=12, fault=""):
        self.length, self.fault = length, fault
        self.time_limit = 5 if fault == "f06" else time_limit
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _obs(self):
        o = np.zeros(4, np.float32)
        if self.pos == 0 and self.t == 0:
            o[:2] = self.sign
        o[2] = self.pos / self.length
        o[3] = float(self.pos == self.length)
        return o

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pos, self.t = 0, 0
        self.sign = np.zeros(2, np.float32)
        self.cue = int(self.np_random.integers(2))
        if self.fault == "f04":
            first = self._obs()
            self.sign[self.cue] = 1.0
            return first, {}
        self.sign[self.cue] = 1.0
        return self._obs(), {}

    def step(self, action):
        self.t += 1
        reward, terminated = -0.02, False
        if self.pos < self.length:
            if action == 0:
                self.pos += 1
        elif action > 0:
            if self.fault == "f07":
                self.cue = int(self.np_random.integers(2))
            reward = 1.0 if action - 1 == self.cue else -1.0
            terminated = True
        if not terminated and self.t >= self.time_limit:
            reward, terminated = -1.0, True
        return self._obs(), reward, terminated, False, {}


class RecurrentActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.cell = nn.GRUCell(hidden, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def step(self, obs, h):
        h = self.cell(self.encoder(obs), h)
        return self.pi(h), self.v(h).squeeze(-1), h

    def unroll(self, obs, h, starts, keep=False):
        """obs: (T, B, D); starts: (T, B), one where a new episode begins."""
        logits, values = [], []
        for t in range(obs.shape[0]):
            if not keep:
                h = h * (1.0 - starts[t]).unsqueeze(-1)
            lo, va, h = self.step(obs[t], h)
            logits.append(lo)
            values.append(va)
        return torch.stack(logits), torch.stack(values)


def gae(rew, val, last_val, ends, last_end, gamma, lam, fault):
    """ends[t] is one where step t begins a new episode; last_end tells the same about the step after the rollout."""
    T = rew.shape[0]
    adv = torch.zeros_like(rew)
    acc = torch.zeros_like(last_val)
    order = range(T) if fault == "f05" else range(T - 1, -1, -1)
    for t in order:
        nxt_v = last_val if t == T - 1 else val[t + 1]
        alive = 1.0 - (last_end if t == T - 1 else ends[t + 1])
        acc = rew[t] + gamma * nxt_v * alive - val[t] + gamma * lam * alive * acc
        adv[t] = acc
    return adv


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=50_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", type=str, default="")
    ap.add_argument("--envs", type=int, default=16)
    ap.add_argument("--rollout", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--gamma", type=float, default=0.98)
    ap.add_argument("--lam", type=float, default=0.95)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--ent", type=float, default=0.02)
    args = ap.parse_args()
    fault = args.fault
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    envs = [CueCorridor(fault=fault) for _ in range(args.envs)]
    net = RecurrentActorCritic(4, 3)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    T, N = args.rollout, args.envs

    obs = torch.as_tensor(np.stack([e.reset(seed=args.seed * 1000 + i)[0] for i, e in enumerate(envs)]))
    start = torch.ones(N)
    h = torch.zeros(N, net.hidden)
    ep_ret, ep_len, done_rets = np.zeros(N), np.zeros(N, int), []
    steps, it = 0, 0
    while steps < args.steps:
        b_obs, b_act, b_logp = torch.zeros(T, N, 4), torch.zeros(T, N, dtype=torch.long), torch.zeros(T, N)
        b_rew, b_val, b_start = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)
        h0 = h.clone()
        for t in range(T):
            b_obs[t], b_start[t] = obs, start
            with torch.no_grad():
                if fault != "f01":
                    h = h * (1.0 - start).unsqueeze(-1)
                logits, v, h = net.step(obs, h)
                dist = torch.distributions.Categorical(logits=logits)
                act = dist.sample()
            b_act[t], b_logp[t], b_val[t] = act, dist.log_prob(act), v
            rows = []
            start = torch.zeros(N)
            for i, env in enumerate(envs):
                o, r, terminated, truncated, _ = env.step(int(act[i]))
                ep_ret[i] += r
                b_rew[t, i] = r
                if terminated or truncated:
                    done_rets.append(ep_ret[i])
                    ep_ret[i] = 0.0
                    start[i] = 1.0
                    o, _ = env.reset()
                rows.append(o)
            obs = torch.as_tensor(np.stack(rows))
        steps += T * N
        it += 1

        with torch.no_grad():
            last_v = net.step(obs, h * (1.0 - start).unsqueeze(-1))[1]
        adv = gae(b_rew, b_val, last_v, b_start, start, args.gamma, args.lam, fault)
        ret = adv + b_val
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)

        for _ in range(args.epochs):
            for cols in torch.randperm(N).chunk(2):
                rows = torch.arange(T)
                if fault == "f03":
                    rows = torch.randperm(T)
                init = torch.zeros_like(h0[cols]) if fault == "f02" else h0[cols]
                pick = lambda x: x[rows][:, cols]
                logits, values = net.unroll(pick(b_obs), init, pick(b_start), keep=fault == "f01")
                dist = torch.distributions.Categorical(logits=logits)
                ratio = (dist.log_prob(pick(b_act)) - pick(b_logp)).exp()
                a = pick(adv)
                pi_loss = -torch.min(ratio * a, ratio.clamp(1 - args.clip, 1 + args.clip) * a).mean()
                v_loss = (values - pick(ret)).pow(2).mean()
                entropy = dist.entropy().mean()
                loss = pi_loss + 0.5 * v_loss - args.ent * entropy
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
        if it % 10 == 0:
            last = done_rets[-200:] or [float("nan")]
            good = np.mean([x > 0 for x in last])
            print(f"update {it} steps {steps} ep_rew_mean {np.mean(last):.3f} correct {good:.2f} "
                  f"policy_loss {pi_loss.item():.4f} value_loss {v_loss.item():.4f} entropy {entropy.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
