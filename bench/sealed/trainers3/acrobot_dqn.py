"""Double, duelling, five-step DQN with prioritised replay on Acrobot-v1."""

import argparse
import collections
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F


class DuelingQ(torch.nn.Module):

    def __init__(self, nS, nA, width=64):
        super().__init__()
        self.l1 = torch.nn.Linear(nS, width)
        self.l2 = torch.nn.Linear(width, width)
        self.adv = torch.nn.Linear(width, nA)
        self.val = torch.nn.Linear(width, 1)

    def forward(self, s):
        h = F.relu(self.l2(F.relu(self.l1(s))))
        a = self.adv(h)
        return self.val(h) + a - a.mean(dim=1, keepdim=True)


class PrioritisedReplay:
    """Proportional prioritisation with a plain cumulative sum: small enough here."""

    def __init__(self, capacity, nS, rng, alpha=0.6, obs_dtype=np.float32, wrap=None):
        self.capacity, self.rng, self.alpha = capacity, rng, alpha
        self.wrap = wrap or capacity
        self.s = np.zeros((capacity, nS), obs_dtype)
        self.s2 = np.zeros((capacity, nS), obs_dtype)
        self.a = np.zeros(capacity, np.int64)
        self.r = np.zeros(capacity, np.float32)
        self.disc = np.zeros(capacity, np.float32)
        self.p = np.zeros(capacity, np.float64)
        self.head = self.size = 0
        self.p_max = 1.0

    def add(self, s, a, r, s2, disc):
        i = self.head
        self.s[i], self.a[i], self.r[i], self.s2[i], self.disc[i] = s, a, r, s2, disc
        self.p[i] = self.p_max ** self.alpha
        self.head = (i + 1) % self.wrap
        self.size = min(self.size + 1, self.wrap)

    def sample(self, k, beta):
        cum = np.cumsum(self.p[:self.size])
        u = (np.arange(k) + self.rng.random(k)) / k * cum[-1]
        idx = np.minimum(np.searchsorted(cum, u), self.size - 1)
        w = (self.size * self.p[idx] / cum[-1]) ** -beta
        t = torch.as_tensor
        return (idx, t(self.s[idx].astype(np.float32)), t(self.a[idx]), t(self.r[idx]),
                t(self.s2[idx].astype(np.float32)), t(self.disc[idx]), t((w / w.max()).astype(np.float32)))

    def update(self, idx, td):
        pr = np.abs(td) + 1e-3
        self.p[idx] = pr ** self.alpha
        self.p_max = max(self.p_max, float(pr.max()))


class DQN:
    n_step = 5
    gamma = 0.99
    batch = 64
    warmup = 1000
    train_every = 2
    sync_every = 150     # gradient steps
    lr = 1e-3

    def __init__(self, seed, fault):
        self.fault = fault
        self.seed = seed
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.env = gym.make("Acrobot-v1")
        self.test_env = gym.make("Acrobot-v1")
        self.nA = int(self.env.action_space.n)
        nS = self.env.observation_space.shape[0]
        self.q = DuelingQ(nS, self.nA)
        self.q_target = DuelingQ(nS, self.nA)
        self.q_target.load_state_dict(self.q.state_dict())
        learned = self.q_target if fault == "f08" else self.q
        self.optim = torch.optim.Adam(learned.parameters(), lr=self.lr)
        self.replay = PrioritisedReplay(20_000, nS, self.rng,
                                        obs_dtype=np.int8 if fault == "f05" else np.float32,
                                        wrap=self.batch if fault == "f02" else None)
        self.window = collections.deque()
        self.updates = 0

    # ---------------------------------------------------------------- acting
    def epsilon(self, t, total):
        horizon = max(1, int(0.3 * total))
        if self.fault == "f10":
            frac = t // total
        else:
            frac = min(1.0, t / horizon)
        return 1.0 + frac * (0.05 - 1.0)

    def greedy(self, s):
        with torch.no_grad():
            return int(self.q(torch.as_tensor(s, dtype=torch.float32).unsqueeze(0)).argmax(1))

    # ---------------------------------------------------------------- n-step transitions
    def flush(self, s2, terminated, everything):
        while self.window and (everything or len(self.window) >= self.n_step):
            ret = 0.0
            for k, (_, _, r) in enumerate(self.window):
                ret += self.gamma ** k * r
            power = 1 if self.fault == "f04" else len(self.window)
            disc = 0.0 if terminated else self.gamma ** power
            s, a, _ = self.window.popleft()
            self.replay.add(s, a, ret, s2, disc)

    # ---------------------------------------------------------------- learning
    def learn(self, beta):
        idx, s, a, r, s2, disc, w = self.replay.sample(self.batch, beta)
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = r + disc * self.q_target(s2).gather(1, best).squeeze(1)
        q = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        loss = (w * F.smooth_l1_loss(q, y, reduction="none")).mean()
        self.optim.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optim.step()
        self.replay.update(idx, (y - q).detach().numpy())
        self.updates += 1
        if self.updates % self.sync_every == 0 and self.fault != "f01":
            self.q_target.load_state_dict(self.q.state_dict())
        return loss.item(), q.mean().item()

    def test(self, n=5):
        scores = []
        for k in range(n):
            s, _ = self.test_env.reset(seed=60_000 + 100 * self.seed + k)
            score = 0.0
            for _ in range(100 if self.fault == "f06" else 500):
                s, r, term, trunc, _ = self.test_env.step(self.greedy(s))
                score += r
                if term or trunc:
                    break
            scores.append(score)
        return sum(scores) / n

    def run(self, total):
        print("t=0 test=%.1f" % self.test())
        s, _ = self.env.reset(seed=self.seed)
        score, scores = 0.0, collections.deque(maxlen=10)
        prev_a = 0
        loss = qm = float("nan")
        for t in range(1, total + 1):
            eps = self.epsilon(t, total)
            a = int(self.rng.integers(self.nA)) if self.rng.random() < eps else self.greedy(s)
            s2, r, terminated, truncated, _ = self.env.step(a)
            score += r
            if self.fault == "f03":
                r = float(np.clip(r, 0.0, 1.0))
            self.window.append((s, prev_a if self.fault == "f07" else a, r))
            prev_a = a
            self.flush(s2, terminated, everything=terminated or truncated)
            s = s2
            if truncated or (terminated and self.fault != "f09"):
                scores.append(score)
                score = 0.0
                s, _ = self.env.reset()
            if t > self.warmup and t % self.train_every == 0:
                loss, qm = self.learn(beta=0.4 + 0.6 * t / total)
            if t % 4000 == 0 or t == total:
                avg = sum(scores) / len(scores) if scores else float("nan")
                print("t=%d train=%.1f test=%.1f loss=%.4f q=%.2f eps=%.2f" % (t, avg, self.test(), loss, qm, eps))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=16000)
    parser.add_argument("--fault", type=str, default="none")
    options = parser.parse_args()
    torch.set_num_threads(1)
    DQN(options.seed, options.fault).run(options.steps)
