# A2C for a small repair shop: five queues, one mechanic.
# Each step the mechanic picks a queue that has work in it (or pauses) and a speed.
import argparse
import collections
import time

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class RepairShop(gym.Env):
    """MultiDiscrete([6, 2]): which queue (5 = pause), normal or rush.

    info["mask"] says which entries of the first head are possible."""

    N = 5
    CAP = 8
    ARRIVAL = np.array([0.16, 0.14, 0.18, 0.12, 0.12])
    SERVICE = np.array([0.9, 0.5, 0.7, 0.6, 0.8])
    WEIGHT = np.array([1.0, 4.0, 0.5, 6.0, 2.0])
    RUSH_COST = 0.2

    def __init__(self, limit=100):
        self.limit = limit
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.N + 1,), np.float32)
        self.action_space = gym.spaces.MultiDiscrete([self.N + 1, 2])

    def _look(self):
        obs = np.empty(self.N + 1, dtype=np.float32)
        obs[:self.N] = self.jobs / self.CAP
        obs[self.N] = self.jobs.sum() / (self.N * self.CAP)
        mask = obs > 0.0
        mask[self.N] = True
        return obs, {"mask": mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = self.np_random.integers(0, 4, self.N)
        self.t = 0
        return self._look()

    def step(self, action):
        q, rush = int(action[0]), int(action[1])
        cost = 0.0
        if q < self.N and self.jobs[q] > 0:
            p = self.SERVICE[q]
            if rush:
                p = min(1.0, p + 0.4)
                cost += self.RUSH_COST
            if self.np_random.random() < p:
                self.jobs[q] -= 1
        arrived = self.np_random.random(self.N) < self.ARRIVAL
        self.jobs = np.minimum(self.jobs + arrived, self.CAP)
        cost += float(self.WEIGHT @ self.jobs) / 10.0
        self.t += 1
        obs, info = self._look()
        return obs, -cost, False, self.t >= self.limit, info


class SharedNet(nn.Module):
    def __init__(self, n_in, n_queue, n_speed, width=96):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.queue_head = nn.Linear(width, n_queue)
        self.speed_head = nn.Linear(width, n_speed)
        self.value_head = nn.Linear(width, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.queue_head(h), self.speed_head(h), self.value_head(h).squeeze(-1)


def joint(queue_logits, speed_logits, mask):
    if mask is not None:
        queue_logits = queue_logits.masked_fill(~mask, -1e9)
    cat = torch.distributions.Categorical
    return cat(logits=queue_logits, validate_args=False), cat(logits=speed_logits, validate_args=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fault", type=str, default="none")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--rollout", type=int, default=10)
    parser.add_argument("--gamma", type=float, default=0.97)
    parser.add_argument("--lam", type=float, default=0.95)
    parser.add_argument("--lr", type=float, default=7e-4)
    parser.add_argument("--reward-scale", type=float, default=0.1)
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    shops = [RepairShop() for _ in range(args.workers)]
    net = SharedNet(RepairShop.N + 1, RepairShop.N + 1, 2)
    if args.fault == "f04":
        weights = [*net.trunk.parameters(), *net.queue_head.parameters(), *net.speed_head.parameters()]
    else:
        weights = list(net.parameters())
    optim = torch.optim.RMSprop(weights, lr=args.lr, alpha=0.99, eps=1e-5)

    first = [shop.reset(seed=args.seed * 100 + k) for k, shop in enumerate(shops)]
    x = np.stack([o for o, _ in first])
    m = np.stack([i["mask"] for _, i in first])
    running = np.zeros(args.workers)
    last_returns = collections.deque(maxlen=48)
    steps_done, n_update, t0 = 0, 0, time.time()

    while steps_done < args.steps:
        xs, ms, qs, ss, rs, ends, v_after = [], [], [], [], [], [], []
        for _ in range(args.rollout):
            xt, mt = torch.from_numpy(x), torch.from_numpy(m)
            with torch.no_grad():
                ql, sl, _ = net(xt)
                dq, ds = joint(ql, sl, mt)
                q, s = dq.sample(), ds.sample()
            xs.append(xt); ms.append(mt); qs.append(q); ss.append(s)
            act = torch.stack([q, s], dim=1).numpy()
            if args.fault == "f06":
                act[:, 0] = (act[:, 0] + 1) % (RepairShop.N + 1)

            nx, nm = np.empty_like(x), np.empty_like(m)
            r, over = np.zeros(args.workers, np.float32), np.zeros(args.workers, bool)
            final = {}
            for k, shop in enumerate(shops):
                o, rew, term, trunc, info = shop.step(act[k])
                running[k] += rew
                r[k], over[k] = rew, term or trunc
                if over[k]:
                    final[k] = (o, term)
                    last_returns.append(running[k])
                    running[k] = 0.0
                    o, info = shop.reset()
                nx[k], nm[k] = o, info["mask"]
            # value of what followed; at the end of an episode that is its last state, not the new one
            with torch.no_grad():
                after = net(torch.from_numpy(nx))[2]
                for k, (o, term) in final.items():
                    after[k] = 0.0 if term else net(torch.from_numpy(o)[None])[2][0]
            r = np.sign(r) if args.fault == "f05" else r * args.reward_scale
            rs.append(torch.from_numpy(r)); ends.append(torch.from_numpy(over).float()); v_after.append(after)
            x, m = nx, nm
            steps_done += args.workers

        X, M = torch.stack(xs), torch.stack(ms)
        Q, S = torch.stack(qs), torch.stack(ss)
        ql, sl, V = net(X)
        dq, ds = joint(ql, sl, None if args.fault == "f01" else M)
        logp = dq.log_prob(Q) + ds.log_prob(S)
        entropy = (dq.entropy() + ds.entropy()).mean()

        if args.fault == "f02":
            v_after[-1] = torch.zeros_like(v_after[-1])
        adv = torch.zeros(args.rollout, args.workers)
        acc = torch.zeros(args.workers)
        Vd = V.detach()
        for t in reversed(range(args.rollout)):
            delta = rs[t] + args.gamma * v_after[t] - Vd[t]
            acc = delta + args.gamma * args.lam * (1 - ends[t]) * acc
            adv[t] = acc
        target = adv + Vd

        weight = target - V if args.fault == "f03" else adv
        policy_loss = -(logp * weight).mean()
        value_loss = F.mse_loss(V, target)
        loss = policy_loss + 0.5 * value_loss - 0.005 * entropy

        optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optim.step()
        n_update += 1

        if n_update % 50 == 0:
            shown = np.mean(last_returns) if last_returns else float("nan")
            print("steps=%d return=%.1f policy_loss=%.4f value_loss=%.4f entropy=%.3f fps=%d"
                  % (steps_done, shown, policy_loss.item(), value_loss.item(), entropy.item(), steps_done / (time.time() - t0)), flush=True)


if __name__ == "__main__":
    main()
