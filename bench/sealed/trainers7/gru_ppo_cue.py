"""Recurrent PPO for a task that needs memory: a noisy cue at the entrance of a corridor says where to turn at its end."""
import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.set_num_threads(1)


class CueCorridor(gym.Env):
    """Actions: 0 forward, 1 left, 2 right. Seen: the cue (the first three steps only), the way gone, the time gone."""

    LENGTH, LIMIT = 5, 20

    def __init__(self):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def look(self):
        cue = self.side + 0.5 * self.np_random.standard_normal() if self.t < 3 else 0.0
        return np.array([cue, self.x / self.LENGTH, self.t / self.LIMIT], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.side = 1 if self.np_random.random() < 0.5 else -1
        self.x = self.t = 0
        return self.look(), {}

    def step(self, action):
        self.t += 1
        reward, over = -0.02, False
        if self.x < self.LENGTH:
            if action == 0:
                self.x += 1
        elif action in (1, 2):
            over = True
            reward += 1.0 if (action == 1) == (self.side == -1) else -1.0
        return self.look(), reward, over, False, {}


def make_env():
    return gym.wrappers.TimeLimit(CueCorridor(), CueCorridor.LIMIT)


class RecurrentAgent(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Linear(obs_dim, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.pi.weight, 0.01)
        nn.init.zeros_(self.pi.bias)

    def zero(self, n):
        return torch.zeros(n, self.hidden)

    def step(self, obs, h):
        h = self.cell(torch.tanh(self.encoder(obs)), h)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h

    def unroll(self, obs, begins, h):
        """obs (T, B, D), begins (T, B): 1 where an episode begins, h the memory before the first step."""
        e = torch.tanh(self.encoder(obs))
        hs = []
        for t in range(obs.shape[0]):
            h = self.cell(e[t], h * (1 - begins[t]).unsqueeze(-1))
            hs.append(h)
        hs = torch.stack(hs)
        return Categorical(logits=self.pi(hs)), self.v(hs).squeeze(-1)


class Collector:
    def __init__(self, agent, n_envs, seed, fault):
        self.agent, self.n, self.fault = agent, n_envs, fault
        self.envs = [make_env() for _ in range(n_envs)]
        self.obs = np.zeros((n_envs, 3), dtype=np.int64 if fault == "f02" else np.float32)
        for i, env in enumerate(self.envs):
            self.obs[i] = env.reset(seed=seed * 1000 + i)[0]
        self.begin = np.ones(n_envs, np.float32)
        self.h = agent.zero(n_envs)
        self.score = np.zeros(n_envs)
        self.scores = []

    @torch.no_grad()
    def collect(self, T):
        out = {k: [] for k in ("obs", "begin", "act", "logp", "val", "rew", "end", "next_val")}
        h0 = self.h.clone()
        for _ in range(T):
            x = torch.as_tensor(self.obs, dtype=torch.float32).clone()
            begin = torch.as_tensor(self.begin).clone()
            if self.fault != "f01":
                self.h = self.h * (1 - begin).unsqueeze(-1)
            dist, value, self.h = self.agent.step(x, self.h)
            action = dist.sample()
            executed = dist.sample() if self.fault == "f05" else action
            rew, end = np.zeros(self.n, np.float32), np.zeros(self.n, np.float32)
            bootstrap = torch.zeros(self.n)
            for i, env in enumerate(self.envs):
                o, r, terminated, truncated, _ = env.step(int(executed[i]))
                rew[i] = r
                self.score[i] += r
                if terminated or truncated:
                    if not terminated:
                        bootstrap[i] = self.agent.step(torch.from_numpy(o)[None], self.h[i : i + 1])[1][0]
                    end[i] = 1.0
                    self.scores.append(self.score[i])
                    self.score[i] = 0.0
                    o, _ = env.reset()
                self.obs[i] = o
            out["obs"].append(x)
            out["begin"].append(begin)
            out["act"].append(action)
            out["logp"].append(dist.log_prob(action))
            out["val"].append(value)
            out["rew"].append(torch.from_numpy(rew))
            out["end"].append(torch.from_numpy(end))
            out["next_val"].append(bootstrap)
            self.begin = end
        last = self.agent.step(torch.as_tensor(self.obs, dtype=torch.float32), self.h)[1]
        batch = {k: torch.stack(v) for k, v in out.items()}
        follow = torch.cat([batch["val"][1:], last[None]])
        batch["next_val"] = torch.where(batch["end"] > 0, batch["next_val"], follow)
        batch["h0"] = h0
        return batch


def gae(batch, gamma, lam, fault):
    T = len(batch["rew"])
    adv = torch.zeros_like(batch["rew"])
    carry = torch.zeros_like(batch["rew"][0])
    for t in reversed(range(T)):
        if fault == "f03":
            go_on = 1 - batch["begin"][t]
        else:
            go_on = 1 - batch["end"][t]
        delta = batch["rew"][t] + gamma * batch["next_val"][t] - batch["val"][t]
        carry = delta + gamma * lam * go_on * carry
        adv[t] = carry
    return adv


def evaluate(agent, fault, episodes=50):
    envs = [make_env() for _ in range(episodes)]
    obs = np.stack([env.reset(seed=70_000 + i)[0] for i, env in enumerate(envs)])
    h, alive, scores = agent.zero(episodes), np.ones(episodes, bool), np.zeros(episodes)
    while alive.any():
        with torch.no_grad():
            dist, _, h_new = agent.step(torch.from_numpy(obs), h)
        if fault != "f04":
            h = h_new
        actions = dist.probs.argmax(-1)
        for i in np.flatnonzero(alive):
            obs[i], r, terminated, truncated, _ = envs[i].step(int(actions[i]))
            scores[i] += r
            alive[i] = not (terminated or truncated)
    return scores.mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default=None, choices=["f01", "f02", "f03", "f04", "f05", "f06"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=32_000)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    n_envs, T, epochs, groups = 16, 32, 4, 2
    gamma, lam, clip, vf, ent = 0.99, 0.95, 0.2, 0.5, 0.01
    agent = RecurrentAgent(3, 3)
    opt = torch.optim.Adam(agent.parameters(), lr=2e-3, eps=1e-5)
    collector = Collector(agent, n_envs, args.seed, args.fault)
    t0 = time.time()

    updates = max(1, args.steps // (n_envs * T))
    for update in range(1, updates + 1):
        b = collector.collect(T)
        adv = gae(b, gamma, lam, args.fault)
        if args.fault == "f06":
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            ret = adv + b["val"]
        else:
            ret = adv + b["val"]
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(epochs):
            for cols in torch.randperm(n_envs).chunk(groups):
                dist, value = agent.unroll(b["obs"][:, cols], b["begin"][:, cols], b["h0"][cols])
                ratio = torch.exp(dist.log_prob(b["act"][:, cols]) - b["logp"][:, cols])
                a = adv[:, cols]
                policy_loss = -torch.min(ratio * a, ratio.clamp(1 - clip, 1 + clip) * a).mean()
                value_loss = (value - ret[:, cols]).pow(2).mean()
                entropy = dist.entropy().mean()
                loss = policy_loss + vf * value_loss - ent * entropy
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        if update % 10 == 0:
            recent = collector.scores[-100:]
            print(f"{update * n_envs * T:7d} | score {np.mean(recent) if recent else 0:+.3f} | eval {evaluate(agent, args.fault):+.3f} | "
                  f"value loss {value_loss.item():.4f} | entropy {entropy.item():.3f}")
    print(f"final eval {evaluate(agent, args.fault, 200):+.3f} in {time.time() - t0:.0f}s")


if __name__ == "__main__":
    main()
