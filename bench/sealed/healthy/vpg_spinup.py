"""Vanilla policy gradient in the manner of Spinning Up: buffer, GAE-lambda, several value iterations."""
import argparse
import numpy as np
import torch
import torch.nn as nn
from torch.distributions.categorical import Categorical
import gymnasium as gym


def mlp(sizes, activation=nn.Tanh, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


def discount_cumsum(x, discount):
    out = np.zeros_like(x)
    run = 0.0
    for i in reversed(range(len(x))):
        run = x[i] + discount * run
        out[i] = run
    return out


class VPGBuffer:
    def __init__(self, obs_dim, size, gamma=0.99, lam=0.97):
        self.obs_buf = np.zeros((size, obs_dim), dtype=np.float32)
        self.act_buf = np.zeros(size, dtype=np.int64)
        self.adv_buf = np.zeros(size, dtype=np.float32)
        self.rew_buf = np.zeros(size, dtype=np.float32)
        self.ret_buf = np.zeros(size, dtype=np.float32)
        self.val_buf = np.zeros(size, dtype=np.float32)
        self.gamma, self.lam = gamma, lam
        self.ptr, self.path_start_idx, self.max_size = 0, 0, size

    def store(self, obs, act, rew, val):
        self.obs_buf[self.ptr] = obs
        self.act_buf[self.ptr] = act
        self.rew_buf[self.ptr] = rew
        self.val_buf[self.ptr] = val
        self.ptr += 1

    def finish_path(self, last_val=0.0):
        path_slice = slice(self.path_start_idx, self.ptr)
        rews = np.append(self.rew_buf[path_slice], last_val)
        vals = np.append(self.val_buf[path_slice], last_val)
        deltas = rews[:-1] + self.gamma * vals[1:] - vals[:-1]
        self.adv_buf[path_slice] = discount_cumsum(deltas, self.gamma * self.lam)
        self.ret_buf[path_slice] = discount_cumsum(rews, self.gamma)[:-1]
        self.path_start_idx = self.ptr

    def get(self):
        assert self.ptr == self.max_size
        self.ptr, self.path_start_idx = 0, 0
        self.adv_buf = (self.adv_buf - self.adv_buf.mean()) / (self.adv_buf.std() + 1e-8)
        data = dict(obs=self.obs_buf, act=self.act_buf, ret=self.ret_buf, adv=self.adv_buf)
        return {k: torch.as_tensor(v.copy()) for k, v in data.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=35)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    env = gym.make("CartPole-v1")
    pi = mlp([4, 64, 64, 2])
    v = mlp([4, 64, 64, 1])
    pi_optimizer = torch.optim.Adam(pi.parameters(), lr=8e-3)
    vf_optimizer = torch.optim.Adam(v.parameters(), lr=1e-3)
    buf = VPGBuffer(4, args.steps)

    def compute_loss_pi(data):
        logp = Categorical(logits=pi(data["obs"])).log_prob(data["act"])
        return -(logp * data["adv"]).mean()

    def compute_loss_v(data):
        return ((v(data["obs"]).squeeze(-1) - data["ret"]) ** 2).mean()

    o, _ = env.reset(seed=args.seed)
    ep_ret = 0
    for epoch in range(args.epochs):
        rets = []
        for t in range(args.steps):
            with torch.no_grad():
                ot = torch.as_tensor(o, dtype=torch.float32)
                a = Categorical(logits=pi(ot)).sample().item()
                val = v(ot).item()
            next_o, r, terminated, truncated, _ = env.step(a)
            ep_ret += r
            buf.store(o, a, r, val)
            o = next_o
            epoch_ended = t == args.steps - 1
            if terminated or truncated or epoch_ended:
                if terminated:
                    last_v = 0.0
                else:
                    with torch.no_grad():
                        last_v = v(torch.as_tensor(o, dtype=torch.float32)).item()
                buf.finish_path(last_v)
                if terminated or truncated:
                    rets.append(ep_ret)
                o, _ = env.reset()
                ep_ret = 0
        data = buf.get()
        pi_optimizer.zero_grad()
        loss_pi = compute_loss_pi(data)
        loss_pi.backward()
        pi_optimizer.step()
        for _ in range(60):
            vf_optimizer.zero_grad()
            loss_v = compute_loss_v(data)
            loss_v.backward()
            vf_optimizer.step()
        print(f"epoch {epoch} return {np.mean(rets) if rets else float('nan'):.1f} loss_v {loss_v.item():.2f}")


if __name__ == "__main__":
    main()
