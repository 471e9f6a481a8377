"""n-step advantage actor-critic on a small delivery grid (lab code, one config, no framework)."""
import argparse
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gymnasium.spaces import Box, Discrete


@dataclass
class Config:
    steps: int = 60_000
    seed: int = 0
    fault: str = "none"
    n_envs: int = 8
    n_steps: int = 10
    gamma: float = 0.97
    lr: float = 1.5e-3
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 64
    size: int = 6
    time_limit: int = 40
    eval_every: int = 5_000
    eval_episodes: int = 20


class CourierGrid(gym.Env):
    """A courier fetches a parcel somewhere in the grid and brings it to the depot in the corner."""

    MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))

    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.n = cfg.size
        self.observation_space = Box(-1.0, 1.0, shape=(7,), dtype=np.float32)
        self.action_space = Discrete(4)
        self.moves = [np.array(m) for m in self.MOVES]
        if cfg.fault == "f03":
            self.moves[3] = self.moves[2]
        self._obs = np.zeros(7, dtype=np.float32)

    def _target(self):
        return self.depot if self.loaded else self.parcel

    def _distance(self):
        return int(np.abs(self.pos - self._target()).sum())

    def _observe(self):
        s = self.n - 1
        self._obs[0:2] = self.pos / s
        self._obs[2:4] = self.parcel / s
        self._obs[4:6] = (self._target() - self.pos) / s
        self._obs[6] = float(self.loaded)
        if self.cfg.fault == "f08":
            return self._obs
        return self._obs.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.depot = np.array([0, 0])
        self.pos = self.np_random.integers(0, self.n, size=2)
        self.parcel = self.np_random.integers(1, self.n, size=2)
        self.loaded = False
        self.t = 0
        return self._observe(), {}

    def step(self, action):
        before = self._distance()
        self.pos = np.clip(self.pos + self.moves[int(action)], 0, self.n - 1)
        after = self._distance()
        self.t += 1
        reward = -0.02 + 0.05 * (before - after)
        if self.cfg.fault == "f06":
            reward = -0.02 + 0.05 * abs(before - after)
        terminated = False
        if not self.loaded and np.array_equal(self.pos, self.parcel):
            self.loaded = True
            reward += 0.5
        elif self.loaded and np.array_equal(self.pos, self.depot):
            terminated = True
            reward += 1.0
        truncated = (not terminated) and self.t >= self.cfg.time_limit
        return self._observe(), reward, terminated, truncated, {}


class Net(nn.Module):
    def __init__(self, n_in, n_out, hidden, fault):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.pi = nn.Linear(hidden, n_out)
        self.v = nn.Linear(hidden, 1)
        self.fault = fault

    def forward(self, x):
        h = self.body(x)
        if self.fault == "f01":
            probs = F.softmax(self.pi(h), dim=0)
        else:
            probs = F.softmax(self.pi(h), dim=-1)
        return torch.distributions.Categorical(probs=probs), self.v(h).squeeze(-1)


@torch.no_grad()
def run_eval(net, env, cfg):
    results, ret = [], 0.0
    for k in range(cfg.eval_episodes):
        obs, _ = env.reset(seed=5000 + k)
        if cfg.fault != "f05":
            ret = 0.0
        over = False
        while not over:
            dist, _ = net(torch.as_tensor(obs).unsqueeze(0))
            obs, r, te, tr, _ = env.step(dist.sample().item())
            ret += r
            over = te or tr
        results.append(ret)
    return np.mean(results)


def train(cfg: Config):
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    envs = [CourierGrid(cfg) for _ in range(cfg.n_envs)]
    if cfg.fault == "f07":
        envs = [CourierGrid(cfg)] * cfg.n_envs
    eval_env = CourierGrid(cfg)
    net = Net(7, 4, cfg.hidden, cfg.fault)
    opt = torch.optim.RMSprop(net.parameters(), lr=cfg.lr, alpha=0.99, eps=1e-5)

    obs = [env.reset(seed=cfg.seed * 100 + i)[0] for i, env in enumerate(envs)]
    ep_ret = np.zeros(cfg.n_envs)
    window = deque(maxlen=50)
    step, next_eval = 0, 0

    while step < cfg.steps:
        if step >= next_eval:
            print(f"EVAL step {step} return {run_eval(net, eval_env, cfg):.3f}")
            next_eval += cfg.eval_every

        roll_obs, roll_act, roll_rew, roll_done, roll_term, roll_last = [], [], [], [], [], []
        for _ in range(cfg.n_steps):
            roll_obs.append(list(obs))
            with torch.no_grad():
                dist, _ = net(torch.as_tensor(np.stack(obs)))
                acts = dist.sample()
            rews, dones, terms, lasts, nxt = [], [], [], [], []
            for i, env in enumerate(envs):
                o, r, te, tr, _ = env.step(acts[i].item())
                lasts.append(o.copy())
                ep_ret[i] += r
                if te or tr:
                    window.append(ep_ret[i])
                    ep_ret[i] = 0.0
                    o, _ = env.reset()
                rews.append(r)
                terms.append(float(te))
                dones.append(float(te or tr))
                nxt.append(o)
            roll_act.append(acts)
            roll_rew.append(rews)
            roll_done.append(dones)
            roll_term.append(terms)
            roll_last.append(np.stack(lasts))
            obs = nxt
            step += cfg.n_envs

        obs_t = torch.as_tensor(np.array(roll_obs))                      # T, N, 7
        act_t = torch.stack(roll_act)                                    # T, N
        rew_t = torch.tensor(roll_rew, dtype=torch.float32)
        done_t = torch.tensor(roll_done)
        term_t = torch.tensor(roll_term)
        with torch.no_grad():
            _, v_next = net(torch.as_tensor(np.stack(roll_last)).flatten(0, 1))
            v_next = v_next.view(cfg.n_steps, cfg.n_envs)

        targets = torch.zeros_like(rew_t)
        run = v_next[-1]
        for t in reversed(range(cfg.n_steps)):
            if cfg.fault == "f02":
                run = rew_t[t] + cfg.gamma * run
            else:
                # where an episode is cut by its limit the value of its last state stands in
                run = torch.where(done_t[t].bool(), v_next[t] * (1 - term_t[t]), run)
                run = rew_t[t] + cfg.gamma * run
            targets[t] = run

        dist, value = net(obs_t.flatten(0, 1))
        flat_targets = targets.flatten()
        flat_act = act_t.flatten()
        if cfg.fault == "f04":
            flat_targets = targets.t().flatten()

        adv = flat_targets - value
        logp = dist.log_prob(flat_act)
        if cfg.fault == "f09":
            policy_loss = -(logp * adv).mean()
        else:
            policy_loss = -(logp * adv.detach()).mean()
        value_loss = adv.pow(2).mean()
        entropy = dist.entropy().mean()
        loss = policy_loss + cfg.vf_coef * value_loss - cfg.ent_coef * entropy
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), cfg.max_grad_norm)
        opt.step()

        if (step // (cfg.n_envs * cfg.n_steps)) % 100 == 0:
            print(f"step {step} return {np.mean(window) if window else float('nan'):.3f} pi {policy_loss.item():.4f} "
                  f"v {value_loss.item():.4f} H {entropy.item():.3f}")

    print(f"EVAL step {step} return {run_eval(net, eval_env, cfg):.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=Config.steps)
    ap.add_argument("--seed", type=int, default=Config.seed)
    ap.add_argument("--fault", type=str, default=Config.fault)
    ns = ap.parse_args()
    train(Config(steps=ns.steps, seed=ns.seed, fault=ns.fault))
