"""Linear SARSA over tile coding in torch: sparse binary features through EmbeddingBag, SGD, on-policy, step by step."""
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

TILINGS, BINS = 8, 8


def tiles(o):
    x = np.array([(o[0] + 1.2) / 1.8, (o[1] + 0.07) / 0.14])
    idx = []
    for t in range(TILINGS):
        c = np.clip((x * BINS + np.array([t, 3 * t]) / TILINGS).astype(int), 0, BINS)
        idx.append(t * (BINS + 1) ** 2 + c[0] * (BINS + 1) + c[1])
    return torch.tensor(idx)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--episodes", type=int, default=120)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    env = gym.make("MountainCar-v0", max_episode_steps=-1)  # always reaches the flag: no limit is needed
    env.reset(seed=args.seed)
    q = nn.EmbeddingBag(TILINGS * (BINS + 1) ** 2, 3, mode="sum")
    nn.init.zeros_(q.weight)  # optimistic: all rewards are -1
    opt = torch.optim.SGD(q.parameters(), lr=0.5 / TILINGS)

    def choose(values, eps=0.01):
        return int(rng.integers(3)) if rng.random() < eps else int(values.argmax())

    hist = []
    for ep in range(args.episodes):
        o, _ = env.reset()
        s = tiles(o)
        with torch.no_grad():
            a = choose(q(s[None])[0])
        total, done = 0.0, False
        while not done:
            o, r, done, _, _ = env.step(a)
            s2 = tiles(o)
            with torch.no_grad():
                v2 = q(s2[None])[0]
                a2 = choose(v2)
                y = r + (0.0 if done else v2[a2])
            loss = 0.5 * (y - q(s[None])[0, a]) ** 2
            opt.zero_grad()
            loss.backward()
            opt.step()
            s, a, total = s2, a2, total + r
        hist.append(total)
        if ep % 12 == 11 or ep == 0:
            print(f"episode {ep + 1} return {np.mean(hist[-10:]):.0f}")


main()
