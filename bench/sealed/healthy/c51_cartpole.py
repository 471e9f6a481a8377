"""Categorical DQN (C51), minimal."""
import argparse
import collections
import random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

V_MIN, V_MAX, ATOMS = 0.0, 60.0, 51
DELTA = (V_MAX - V_MIN) / (ATOMS - 1)
GAMMA = 0.98


class C51(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 128), nn.Linear(128, 2 * ATOMS)
        self.register_buffer("support", torch.linspace(V_MIN, V_MAX, ATOMS))

    def logits(self, x):
        return self.fc2(F.relu(self.fc1(x))).view(-1, 2, ATOMS)

    def q(self, x):
        return (self.logits(x).softmax(-1) * self.support).sum(-1)

    def act(self, s, eps):
        if random.random() < eps:
            return random.randint(0, 1)
        with torch.no_grad():
            return self.q(torch.from_numpy(s)[None]).argmax().item()


def project(target, r, s2, not_terminal):
    with torch.no_grad():
        probs = target.logits(s2).softmax(-1)
        best = (probs * target.support).sum(-1).argmax(-1)
        p = probs[torch.arange(len(best)), best]
        tz = (r + GAMMA * not_terminal * target.support[None]).clamp(V_MIN, V_MAX)
        b = (tz - V_MIN) / DELTA
        lo, hi = b.floor().long().clamp(0, ATOMS - 1), b.ceil().long().clamp(0, ATOMS - 1)
        m = torch.zeros_like(p)
        m.scatter_add_(1, lo, p * (hi.float() - b + (lo == hi).float()))
        m.scatter_add_(1, hi, p * (b - lo.float()))
        return m


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.make("CartPole-v1")
    net, target = C51(), C51()
    target.load_state_dict(net.state_dict())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    memory = collections.deque(maxlen=20000)
    scores, steps, n_epi = [], 0, 0
    while steps < 15000:
        s, _ = env.reset(seed=args.seed if n_epi == 0 else None)
        score, done = 0.0, False
        while not done:
            a = net.act(s, max(0.02, 0.5 - steps / 10000))
            s2, r, terminated, truncated, _ = env.step(a)
            memory.append((s, a, r, s2, 0.0 if terminated else 1.0))
            s, score, done = s2, score + r, terminated or truncated
            steps += 1
            if len(memory) > 1000 and steps % 2 == 0:
                mini = random.sample(memory, 64)
                S, A, R, S2, M = zip(*mini)
                S, S2 = torch.from_numpy(np.stack(S)), torch.from_numpy(np.stack(S2))
                A = torch.tensor(A)
                R, M = torch.tensor(R, dtype=torch.float32)[:, None], torch.tensor(M)[:, None]
                m = project(target, R, S2, M)
                logp = net.logits(S)[torch.arange(64), A].log_softmax(-1)
                loss = -(m * logp).sum(-1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if steps % 400 == 0:
                target.load_state_dict(net.state_dict())
        n_epi += 1
        scores.append(score)
        if n_epi % 20 == 0:
            print(f"n_episode :{n_epi}, score : {np.mean(scores[-20:]):.1f}, steps {steps}")
    env.close()


if __name__ == "__main__":
    main()
