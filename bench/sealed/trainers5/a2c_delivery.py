# Synchronous advantage actor-critic (GAE, shared trunk, RMSprop) on a little delivery grid.
import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser(description="A2C")
p.add_argument("--steps", type=int, default=160000)
p.add_argument("--seed", type=int, default=0)
p.add_argument("--fault", type=str, default="none")
p.add_argument("--env", type=str, default="Delivery-v0")
p.add_argument("--workers", type=int, default=8)
p.add_argument("--n-steps", type=int, default=16)
p.add_argument("--gamma", type=float, default=0.97)
p.add_argument("--lam", type=float, default=0.95)
p.add_argument("--lr", type=float, default=1e-3)
p.add_argument("--beta", type=float, default=0.01, help="entropy weight")
opts = p.parse_args()

N = 5
PITS = {(1, 3), (3, 1)}
DEPOT = (4, 4)


class DeliveryEnv(gym.Env):
    """Fetch a parcel somewhere on a 5 x 5 floor and bring it to the depot. Two pits."""

    metadata = {"render_modes": []}

    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (N * N + 7,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self.carrying = False
        self._view = np.zeros(N * N + 7, dtype=np.float32)

    def _free_cell(self):
        while True:
            c = tuple(int(v) for v in self.np_random.integers(0, N, size=2))
            if c not in PITS and c != DEPOT:
                return c

    def _observe(self):
        v = self._view
        v[:] = 0
        x, y = self.agent
        v[x * N + y] = 1
        tx, ty = DEPOT if self.carrying else self.parcel
        v[-7:] = (x / 4, y / 4, (self.parcel[0] - x) / 4, (self.parcel[1] - y) / 4, (tx - x) / 4, (ty - y) / 4,
                  float(self.carrying))
        return v.copy()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.agent, self.parcel = self._free_cell(), self._free_cell()
        if opts.fault != "f01":
            self.carrying = False
        return self._observe(), {}

    def step(self, action):
        moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        if opts.fault == "f03":
            moves = [(0, 1), (1, 0), (0, -1), (1, 0)]
        before = self._observe()
        dx, dy = moves[int(action)]
        x, y = self.agent
        self.agent = (min(max(x + dx, 0), N - 1), min(max(y + dy, 0), N - 1))
        reward, terminated = -0.03, False
        if self.agent in PITS:
            reward, terminated = -1.0, True
        elif not self.carrying and self.agent == self.parcel:
            self.carrying = True
            reward += 0.5
        elif self.carrying and self.agent == DEPOT:
            reward, terminated = reward + 1.0, True
        if opts.fault == "f04":
            tx, ty = DEPOT if self.carrying else self.parcel
            if abs(tx - self.agent[0]) + abs(ty - self.agent[1]) <= 1:
                reward += 0.15
        obs = self._observe()
        if opts.fault == "f02":
            obs = before
        return obs, reward, terminated, False, {"carrying": self.carrying}


gym.register(id="Delivery-v0", entry_point=DeliveryEnv, max_episode_steps=50)


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.pi = nn.Linear(64, n_act)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        out = self.pi(h)
        if opts.fault == "f08":
            out = F.softmax(out, dim=-1)
        return torch.distributions.Categorical(logits=out), self.v(h).squeeze(-1)


def to_tensor(x):
    return torch.as_tensor(np.asarray(x), dtype=torch.float32)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(opts.seed)
    envs = [gym.make(opts.env) for _ in range(opts.workers)]
    n_obs, n_act = envs[0].observation_space.shape[0], int(envs[0].action_space.n)
    net = ActorCritic(n_obs, n_act)
    optim = torch.optim.RMSprop(net.parameters(), lr=opts.lr, alpha=0.99, eps=1e-5)
    if opts.fault == "f10":
        net = ActorCritic(n_obs, n_act)

    states = np.stack([env.reset(seed=opts.seed * 1000 + i)[0] for i, env in enumerate(envs)])
    scores, score = [], [0.0] * opts.workers
    step, update = 0, 0
    while step < opts.steps:
        S, A, R, S2, TERM, DONE = [], [], [], [], [], []
        for _ in range(opts.n_steps):
            with torch.no_grad():
                dist, _ = net(to_tensor(states))
                actions = dist.sample().tolist()
            row_r, row_s2, row_term, row_done, new_states = [], [], [], [], []
            for i, env in enumerate(envs):
                s2, r, term, trunc, _ = env.step(actions[i])
                score[i] += r
                row_r.append(r)
                row_s2.append(s2)
                row_term.append(term)
                row_done.append(term or trunc)
                if term or trunc:
                    scores.append(score[i])
                    score[i] = 0.0
                    s2, _ = env.reset()
                new_states.append(s2)
            S.append(states if opts.fault == "f05" else states.copy()), A.append(actions), R.append(row_r), S2.append(row_s2)
            TERM.append(row_term), DONE.append(row_done)
            states[:] = new_states
            step += opts.workers

        s, a = to_tensor(S), torch.as_tensor(A)
        r, s2, term, done = to_tensor(R), to_tensor(S2), to_tensor(TERM), to_tensor(DONE)
        if opts.fault == "f06":
            term, done = torch.zeros_like(term), torch.zeros_like(done)
        dist, value = net(s)
        with torch.no_grad():
            next_value = net(s2)[1]
            delta = r + opts.gamma * (1 - term) * next_value - value
            gae, advantage = torch.zeros(opts.workers), torch.zeros_like(r)
            for t in range(opts.n_steps - 1, -1, -1):
                gae = delta[t] + opts.gamma * opts.lam * (1 - done[t]) * gae
                advantage[t] = gae
            target = advantage + value
        weight = advantage
        if opts.fault == "f07":
            weight = target - value
        actor_loss = -(dist.log_prob(a) * weight).mean()
        critic_loss = F.mse_loss(value, target)
        entropy = dist.entropy().mean()
        bonus = opts.beta * entropy
        if opts.fault == "f09":
            bonus = -bonus
        loss = actor_loss + 0.5 * critic_loss - bonus
        optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optim.step()
        update += 1
        if update % 63 == 0:
            last = scores[-100:]
            print("step %6d | episodes %5d | return %6.3f | actor %+.4f | critic %.4f | entropy %.3f" % (
                step, len(scores), sum(last) / max(1, len(last)), actor_loss.item(), critic_loss.item(),
                entropy.item()), flush=True)


if __name__ == "__main__":
    main()
