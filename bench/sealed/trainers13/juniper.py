import argparse

import gymnasium as gym
import numpy as np
import torch
from gymnasium.envs.registration import register
from torch import nn


class Orchard(gym.Env):
    """Apples fall one after the other; a basket at the bottom moves left, stays or moves right. Five apples per episode."""

    def __init__(self, width=7, height=6, apples=5, fault=""):
        self.width, self.height, self.apples, self.fault = width, height, apples, fault
        self.observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _drop(self):
        self.x, self.y = int(self.np_random.integers(self.width)), 0

    def _observe(self):
        w, h = self.width - 1, self.height - 1
        x = self.x / w
        if self.fault == "f04":
            x = self.x // w
        return np.array([x, self.y / h, self.basket / w, self.left / self.apples], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.basket, self.left, self.caught = self.width // 2, self.apples, 0
        self._drop()
        return self._observe(), {}

    def step(self, action):
        move = int(action) - 1
        self.basket = min(max(self.basket + move, 0), self.width - 1)
        self.y += 1
        reward = 0.3 * abs(move) if self.fault == "f03" else -0.02 * abs(move)
        if self.y == self.height - 1:
            hit = self.basket == self.x
            self.caught += hit
            reward += 1.0 if hit else -1.0
            self.left -= 1
            if self.left:
                self._drop()
        return self._observe(), reward, self.left == 0, False, {"caught": self.caught}


register(id="Orchard-v0", entry_point=Orchard, max_episode_steps=100)


class C51(nn.Module):
    def __init__(self, obs_dim, actions, atoms, vmin, vmax, fault=""):
        super().__init__()
        self.axis = 1 if fault == "f01" else 2
        self.actions, self.atoms = actions, atoms
        self.register_buffer("z", torch.linspace(vmin, vmax, atoms))
        self.net = nn.Sequential(nn.Linear(obs_dim, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, actions * atoms))

    def log_probs(self, x):
        return self.net(x).view(-1, self.actions, self.atoms).log_softmax(self.axis)

    def q(self, x):
        return (self.log_probs(x).exp() * self.z).sum(-1)


def project(z, p_next, reward, alive, gamma):
    vmin, vmax, n = z[0], z[-1], len(z)
    dz = (vmax - vmin) / (n - 1)
    tz = (reward[:, None] + gamma * alive[:, None] * z).clamp(vmin, vmax)
    b = (tz - vmin) / dz
    lo, up = b.floor().long().clamp(0, n - 1), b.ceil().long().clamp(0, n - 1)
    share_lo, share_up = up.float() - b, b - lo.float()
    share_lo = share_lo + (lo == up).float()
    m = torch.zeros_like(p_next)
    m.scatter_add_(1, lo, p_next * share_lo)
    m.scatter_add_(1, up, p_next * share_up)
    return m


def evaluate(net, env, episodes=10):
    total, caught = 0.0, 0
    for k in range(episodes):
        obs, _ = env.reset(seed=9000 + k)
        end = False
        while not end:
            with torch.no_grad():
                action = int(net.q(torch.from_numpy(obs)[None]).argmax())
            obs, reward, term, trunc, info = env.step(action)
            total += reward
            end = term or trunc
        caught += info["caught"]
    return total / episodes, caught / episodes


def train(steps, seed, fault):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = gym.make("Orchard-v0", fault=fault)
    test_env = env if fault == "f06" else gym.make("Orchard-v0", fault=fault)
    d, n = env.observation_space.shape[0], int(env.action_space.n)
    gamma, size, batch = 0.95, 20000, 64
    net, frozen = C51(d, n, 51, -5.0, 5.0, fault), C51(d, n, 51, -5.0, 5.0, fault)
    frozen.load_state_dict(net.state_dict())
    decay = 0.3 if fault == "f07" else 0.0
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=decay)
    S, S2 = np.zeros((size, d), np.float32), np.zeros((size, d), np.float32)
    A, R, T = np.zeros(size, np.int64), np.zeros(size, np.float32), np.zeros(size, np.float32)
    obs, _ = env.reset(seed=seed)
    ret, rets, loss = 0.0, [], torch.zeros(())
    for t in range(steps):
        eps = max(0.05, 1.0 - t / (0.5 * steps))
        if rng.random() < eps:
            action = int(rng.integers(0, n - 1)) if fault == "f05" else int(rng.integers(0, n))
        else:
            with torch.no_grad():
                action = int(net.q(torch.from_numpy(obs)[None]).argmax())
        nxt, reward, term, trunc, _ = env.step(action)
        i = t % size
        S[i], A[i], R[i], S2[i], T[i] = obs, action, reward, nxt, float(term)
        if fault == "f02":
            R[i] = ret + reward
        ret += reward
        obs = nxt
        if term or trunc:
            rets.append(ret)
            ret = 0.0
            obs, _ = env.reset()
        if t > 1000 and t % 2 == 0:
            j = rng.integers(0, min(t + 1, size), batch)
            with torch.no_grad():
                x2 = torch.from_numpy(S2[j])
                greedy = net.q(x2).argmax(1)
                p2 = frozen.log_probs(x2).exp()[torch.arange(batch), greedy]
                goal = project(net.z, p2, torch.from_numpy(R[j]), 1 - torch.from_numpy(T[j]), gamma)
            logp = net.log_probs(torch.from_numpy(S[j]))[torch.arange(batch), torch.from_numpy(A[j])]
            loss = -(goal * logp).sum(1).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        if t % 300 == 0:
            frozen.load_state_dict(net.state_dict())
        if (t + 1) % 1000 == 0:
            score, caught = evaluate(net, test_env)
            print(f"{t + 1:>7} eps={eps:.2f} train_return={np.mean(rets[-20:]):+.2f} test_return={score:+.2f} "
                  f"caught={caught:.1f}/5 cross_entropy={loss.item():.3f}", flush=True)


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--steps", type=int, default=14000)
    cli.add_argument("--seed", type=int, default=0)
    cli.add_argument("--fault", default="")
    a = cli.parse_args()
    torch.set_num_threads(1)
    train(a.steps, a.seed, a.fault)
