"""n-step A2C with plain tensors as parameters (no nn.Module), a list of environments, decay of the weights, RMSprop."""
import argparse
import math
import gymnasium as gym
import numpy as np
import torch


def init(n_in, n_out, gen):
    return (torch.randn(n_in, n_out, generator=gen) / math.sqrt(n_in)).requires_grad_(), torch.zeros(n_out, requires_grad=True)


def forward(params, x):
    (w1, b1), (w2, b2), (wp, bp), (wv, bv) = params
    h = torch.tanh(x @ w1 + b1)
    h = torch.tanh(h @ w2 + b2)
    return h @ wp + bp, (h @ wv + bv)[..., 0]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--updates", type=int, default=1800)
    args = ap.parse_args()
    gen = torch.Generator().manual_seed(args.seed)
    envs = [gym.make("CartPole-v1") for _ in range(8)]
    obs = np.stack([e.reset(seed=args.seed * 1000 + i)[0] for i, e in enumerate(envs)])
    params = [init(4, 64, gen), init(64, 64, gen), init(64, 2, gen), init(64, 1, gen)]
    with torch.no_grad():
        params[2][0].mul_(0.1)
    flat = [p for pair in params for p in pair]
    opt = torch.optim.RMSprop(flat, lr=1e-3, alpha=0.99, eps=1e-5, weight_decay=1e-5)
    gamma, n = 0.97, 5
    lengths, recent = np.zeros(8), []
    for update in range(args.updates):
        xs, acts, rews, ends, boots = [], [], [], [], []
        for _ in range(n):
            x = torch.from_numpy(obs)
            with torch.no_grad():
                logits, _ = forward(params, x)
                a = torch.multinomial(logits.softmax(-1), 1, generator=gen)[:, 0]
            r, end, boot = torch.zeros(8), torch.zeros(8), torch.zeros(8)
            new = []
            for i, e in enumerate(envs):
                o, rew, terminated, truncated, _ = e.step(int(a[i]))
                r[i] = rew
                lengths[i] += 1
                if terminated or truncated:
                    end[i] = 1
                    if not terminated:  # cut by the clock: go on with the value of the state that was reached
                        with torch.no_grad():
                            boot[i] = forward(params, torch.from_numpy(o)[None])[1][0]
                    recent.append(lengths[i])
                    lengths[i] = 0
                    o, _ = e.reset()
                new.append(o)
            xs.append(x); acts.append(a); rews.append(r); ends.append(end); boots.append(boot)
            obs = np.stack(new)
        with torch.no_grad():
            g = forward(params, torch.from_numpy(obs))[1]
        targets = []
        for t in reversed(range(n)):
            g = rews[t] + gamma * torch.where(ends[t] > 0, boots[t], g)
            targets.insert(0, g)
        x, a, y = torch.cat(xs), torch.cat(acts), torch.cat(targets)
        logits, v = forward(params, x)
        logp = logits.log_softmax(-1)
        adv = (y - v).detach()
        pg = -(logp[torch.arange(len(a)), a] * adv).mean()
        vf = (y - v).pow(2).mean()
        ent = -(logp.exp() * logp).sum(-1).mean()
        loss = pg + 0.25 * vf - 0.01 * ent
        grads = torch.autograd.grad(loss, flat)
        norm = torch.sqrt(sum((q ** 2).sum() for q in grads))
        scale = min(1.0, 0.5 / (norm.item() + 1e-6))
        for p, q in zip(flat, grads):
            p.grad = q * scale
        opt.step()
        if update % 250 == 249:
            print(f"update {update + 1} return {np.mean(recent[-30:]):.1f} entropy {ent.item():.3f}")


if __name__ == "__main__":
    main()
