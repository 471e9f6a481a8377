import argparse
import math
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class DockEnv(gym.Env):
    """Bring a drifting vessel to rest at the origin. Two thrusters, force in [-2, 2] each."""

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-2.0, 2.0, (2,), np.float32)

    def _see(self):
        return np.concatenate([self.p * 5.0, self.v]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.p = self.np_random.uniform(-1.5, 1.5, 2)
        self.v = self.np_random.uniform(-0.5, 0.5, 2)
        return self._see(), {}

    def step(self, action):
        force = np.clip(np.asarray(action, dtype=np.float64), -2.0, 2.0)
        self.v = 0.97 * self.v + 0.1 * force
        self.p = self.p + 0.1 * self.v
        lost = bool(np.abs(self.p).max() > 2.5)
        reward = 1.0 - float(np.linalg.norm(self.p)) - 0.02 * float(force @ force)
        if lost:
            reward -= 10.0
        return self._see(), reward, lost, False, {}


gym.register("Dock-v0", entry_point=DockEnv, max_episode_steps=80)


@dataclass
class Config:
    num_envs: int = 8
    horizon: int = 128
    epochs: int = 8
    minibatches: int = 8
    gamma: float = 0.97
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 5e-4
    ent: float = 0.001
    vf: float = 0.5
    log_std: float = 0.0
    reward_scale: float = 0.1


class RunningNorm:
    def __init__(self, dim):
        self.mean, self.var, self.n = np.zeros(dim), np.ones(dim), 1e-4

    def update(self, x):
        m, v, n = x.mean(0), x.var(0), len(x)
        d, tot = m - self.mean, self.n + n
        self.mean = self.mean + d * n / tot
        self.var = (self.var * self.n + v * n + d**2 * self.n * n / tot) / tot
        self.n = tot

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim, log_std):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, act_dim))
        self.vf = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.log_std = nn.Parameter(torch.full((act_dim,), log_std))
        with torch.no_grad():
            self.pi[-1].weight.mul_(0.1)

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.vf(obs).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--fault", type=str, default="none")
    args = parser.parse_args()
    bug = args.fault
    cfg = Config()
    if bug == "f06":
        cfg.reward_scale = 100.0
    if bug == "f08":
        cfg.lr = 0.05
    if bug == "f09":
        cfg.log_std = -6.0

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    envs = gym.make_vec("Dock-v0", num_envs=cfg.num_envs, vectorization_mode="sync")
    obs_dim = envs.single_observation_space.shape[0]
    act_dim = envs.single_action_space.shape[0]
    low, high = envs.single_action_space.low, envs.single_action_space.high
    if bug == "f03":
        low = np.zeros_like(low)

    agent = Agent(obs_dim, act_dim, cfg.log_std)
    if bug == "f09":
        agent.log_std.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in agent.parameters() if p.requires_grad], lr=cfg.lr, eps=1e-5)
    norm = RunningNorm(obs_dim)

    raw, _ = envs.reset(seed=args.seed)
    norm.update(raw)
    obs = norm(raw)
    was_done = np.zeros(cfg.num_envs, dtype=bool)
    ep_return, history = np.zeros(cfg.num_envs), []
    batch = cfg.num_envs * cfg.horizon
    n_updates = max(1, math.ceil(args.steps / batch))

    for update in range(1, n_updates + 1):
        rows = {k: [] for k in ("obs", "act", "logp", "rew", "val", "term", "done", "valid")}
        for _ in range(cfg.horizon):
            with torch.no_grad():
                o = torch.from_numpy(obs)
                pi = agent.dist(o)
                action = pi.sample()
                logp = pi.log_prob(action).sum(-1)
                value = agent.value(o)
            sent = np.clip(action.numpy(), low, high)
            next_raw, reward, term, trunc, _ = envs.step(sent)
            done = term | trunc

            rows["obs"].append(raw.astype(np.float32) if bug == "f05" else obs)
            rows["act"].append(sent if bug == "f02" else action.numpy())
            rows["logp"].append(logp.numpy())
            rows["rew"].append(reward.astype(np.float32) * cfg.reward_scale)
            rows["val"].append(value.numpy())
            rows["term"].append(term.astype(np.float32))
            rows["done"].append(done.astype(np.float32))
            rows["valid"].append(~was_done)

            ep_return += np.where(was_done, 0.0, reward)
            for i in np.flatnonzero(done):
                history.append(ep_return[i])
                ep_return[i] = 0.0
            was_done = done
            raw = next_raw
            norm.update(raw)
            obs = norm(raw)

        data = {k: np.stack(x) for k, x in rows.items()}
        with torch.no_grad():
            last_value = agent.value(torch.from_numpy(obs)).numpy()
        if bug == "f07":
            last_value = np.zeros_like(last_value)
        values = np.concatenate([data["val"], last_value[None]])
        adv = np.zeros_like(data["rew"])
        gae = np.zeros(cfg.num_envs, dtype=np.float32)
        for t in range(cfg.horizon - 1, -1, -1):
            delta = data["rew"][t] + cfg.gamma * (1 - data["term"][t]) * values[t + 1] - values[t]
            gae = delta + cfg.gamma * cfg.lam * (1 - data["done"][t]) * gae
            adv[t] = gae
        target = adv + data["val"]

        keep = data["valid"].reshape(-1)
        if bug == "f01":
            keep = np.ones_like(keep)
        flat = lambda x: torch.as_tensor(x.reshape(batch, *x.shape[2:])[keep])
        b_obs, b_act, b_logp, b_adv, b_target = map(flat, (data["obs"], data["act"], data["logp"], adv, target))

        n = len(b_obs)
        for _ in range(cfg.epochs):
            for idx in torch.randperm(n).chunk(cfg.minibatches):
                pi = agent.dist(b_obs[idx])
                terms = pi.log_prob(b_act[idx])
                new_logp = terms.mean(-1) if bug == "f04" else terms.sum(-1)
                ratio = torch.exp(new_logp - b_logp[idx])
                a = b_adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                policy_loss = -torch.min(ratio * a, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * a).mean()
                value_loss = F.mse_loss(agent.value(b_obs[idx]), b_target[idx])
                entropy = pi.entropy().sum(-1).mean()
                if bug == "f10":
                    loss = policy_loss - cfg.vf * value_loss - cfg.ent * entropy
                else:
                    loss = policy_loss + cfg.vf * value_loss - cfg.ent * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()

        if update == 1 or update % 10 == 0 or update == n_updates:
            print(
                f"[{update:3d}/{n_updates}] env_steps={update * batch} "
                f"ep_return={np.mean(history[-40:]) if history else float('nan'):.2f} "
                f"vloss={value_loss.item():.4f} std={agent.log_std.exp().mean().item():.3f}"
            )
    envs.close()


if __name__ == "__main__":
    main()
