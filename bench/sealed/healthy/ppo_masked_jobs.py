"""PPO with masks for invalid actions: put 6 jobs into an order (a dict observation, rewards in hundredths)."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from gymnasium import spaces

K = 6


class Jobs(gym.Env):
    """Each step runs one job that has not run yet; it costs its weight times the hour at which it ends."""

    def __init__(self):
        self.observation_space = spaces.Dict({
            "jobs": spaces.Box(0.0, 10.0, (K, 2), np.float32), "mask": spaces.MultiBinary(K), "clock": spaces.Box(0, 100, (1,), np.float32)})
        self.action_space = spaces.Discrete(K)

    def _obs(self):
        return {"jobs": self.jobs.copy(), "mask": self.left.copy(), "clock": np.array([self.clock], np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = self.np_random.uniform(1, 10, (K, 2)).astype(np.float32)
        self.left, self.clock = np.ones(K, np.int8), 0.0
        return self._obs(), {}

    def step(self, a):
        if not self.left[a]:
            raise ValueError("this job has run")
        self.left[a] = 0
        self.clock += float(self.jobs[a, 0])
        reward = -0.0001 * self.jobs[a, 1] * self.clock
        return self._obs(), float(reward), not self.left.any(), False, {}


def flat(o):
    m = o["mask"].astype(np.float32)
    return np.concatenate([(o["jobs"] * m[:, None] / 10).ravel(), m, o["clock"] / 40]), m.astype(bool)


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(n, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, K))
        self.vf = nn.Sequential(nn.Linear(n, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))

    def dist(self, x, mask):
        return torch.distributions.Categorical(logits=self.pi(x).masked_fill(~mask, -1e8))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    env = Jobs()
    obs, _ = env.reset(seed=args.seed)
    x, m = flat(obs)
    net = Net(len(x))
    opt = torch.optim.Adam(net.parameters(), lr=7e-4)
    gamma, lam, T = 1.0, 0.95, 1200  # episodes have 6 steps: a rollout is exactly 200 of them
    score = []
    for it in range(45):
        X, M, A, LP, V, R, D = [], [], [], [], [], [], []
        total = 0.0
        score.clear()
        for _ in range(T):
            xt, mt = torch.from_numpy(x), torch.from_numpy(m)
            with torch.no_grad():
                d = net.dist(xt, mt)
                a = d.sample()
                v = net.vf(xt)[0]
            obs, r, term, _, _ = env.step(int(a))
            X.append(xt); M.append(mt); A.append(a); LP.append(d.log_prob(a)); V.append(v); R.append(r); D.append(float(term))
            total += r
            if term:
                score.append(total)
                total = 0.0
                obs, _ = env.reset()
            x, m = flat(obs)
        X, M, A, LP, V = (torch.stack(z) for z in (X, M, A, LP, V))
        adv, g = torch.zeros(T), 0.0
        for t in reversed(range(T)):
            nv = 0.0 if D[t] or t == T - 1 else V[t + 1]
            g = R[t] + gamma * nv - V[t] + gamma * lam * (1 - D[t]) * g
            adv[t] = g
        ret = adv + V
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(6):
            for i in torch.randperm(T).split(300):
                d = net.dist(X[i], M[i])
                ratio = torch.exp(d.log_prob(A[i]) - LP[i])
                loss_pi = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean()
                loss_v = ((net.vf(X[i]).squeeze(-1) - ret[i]) ** 2).mean()
                loss = loss_pi + 50.0 * loss_v - 0.003 * d.entropy().mean()  # values are about 0.1: their loss weighs more
                opt.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
        if it % 5 == 4 or it == 0:
            print(f"iteration {it + 1} return {np.mean(score):.4f} entropy {d.entropy().mean().item():.2f}")


if __name__ == "__main__":
    main()
