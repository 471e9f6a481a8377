"""Off-policy actor-critic with V-trace: an actor that lags behind, a learner that corrects for it."""
import argparse
import copy
import typing as tp

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

ROOM = 5


class Flags(tp.NamedTuple):
    steps: int
    seed: int
    fault: str
    n_envs: int = 16
    unroll: int = 20
    lag: int = 3
    discount: float = 0.97
    rho_bar: float = 1.0
    c_bar: float = 1.0
    entropy_cost: float = 0.01
    baseline_cost: float = 0.5
    lr: float = 1e-3
    grad_clip: float = 1.0


class Batch(tp.NamedTuple):
    obs: torch.Tensor
    next_obs: torch.Tensor
    action: torch.Tensor
    behaviour_logp: torch.Tensor
    reward: torch.Tensor
    terminated: torch.Tensor
    done: torch.Tensor


class KeyDoorEnv(gym.Env):
    """Fetch the key, then leave through the door. Everything is placed anew in each episode."""

    DELTA = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self, fault="none"):
        self.fault = fault
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (7,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        self.has_key = False

    def _observation(self):
        return np.array([
            (self.key[0] - self.me[0]) / ROOM, (self.key[1] - self.me[1]) / ROOM,
            (self.door[0] - self.me[0]) / ROOM, (self.door[1] - self.me[1]) / ROOM,
            float(self.has_key), self.me[0] / ROOM, self.me[1] / ROOM,
        ], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.permutation(ROOM * ROOM)[:3]
        self.me, self.key, self.door = [[int(c) // ROOM, int(c) % ROOM] for c in cells]
        self.has_key = False
        return self._observation(), {}

    def step(self, action):
        dx, dy = self.DELTA[int(action)]
        limit = ROOM - 2 if self.fault == "f05" else ROOM - 1
        self.me = [min(max(self.me[0] + dx, 0), limit), min(max(self.me[1] + dy, 0), ROOM - 1)]
        reward, out = -0.01, False
        if not self.has_key and self.me == self.key:
            self.has_key = True
            reward += 0.3
        elif self.has_key and self.me == self.door:
            reward += 1.0
            out = True
        return self._observation(), reward, out, False, {}


class PolicyValue(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.policy = nn.Linear(64, n_actions)
        self.baseline = nn.Linear(64, 1)

    def forward(self, obs):
        core = self.torso(obs)
        return self.policy(core), self.baseline(core).squeeze(-1)


class VTraceOutput(tp.NamedTuple):
    vs: torch.Tensor
    pg_advantages: torch.Tensor


@torch.no_grad()
def vtrace(flags, batch, target_logp, values, next_values):
    """values: V(x_t); next_values: V of the state the step really led to, (T, B) both."""
    log_rhos = target_logp - batch.behaviour_logp
    if flags.fault == "f01":
        log_rhos = batch.behaviour_logp - target_logp
    rhos = torch.exp(log_rhos)
    clipped_rhos = rhos.clamp(max=flags.rho_bar)
    cs = rhos.clamp(max=flags.c_bar)
    alive = 1.0 - batch.terminated
    if flags.fault == "f03":
        alive = torch.ones_like(alive)
    boot = flags.discount * alive * next_values
    deltas = clipped_rhos * (batch.reward + boot - values)
    acc = torch.zeros_like(values[0])
    corrections = []
    for t in range(len(values) - 1, -1, -1):
        acc = deltas[t] + flags.discount * (1.0 - batch.done[t]) * cs[t] * acc
        corrections.append(acc)
    vs = torch.stack(corrections[::-1]) + values
    vs_next = torch.cat([vs[1:], next_values[-1:]], dim=0)
    vs_next = torch.where(batch.done > 0, next_values, vs_next)
    pg = clipped_rhos * (batch.reward + flags.discount * alive * vs_next - values)
    return VTraceOutput(vs, pg)


class Actor:
    def __init__(self, flags, net):
        self.flags, self.net = flags, net
        self.envs = [gym.wrappers.TimeLimit(KeyDoorEnv(flags.fault), 50) for _ in range(flags.n_envs)]
        self.obs = np.stack([e.reset(seed=flags.seed * 7919 + i)[0] for i, e in enumerate(self.envs)])
        self.returns = np.zeros(flags.n_envs)
        self.finished, self.escaped = [], []

    def unroll(self):
        flags = self.flags
        if flags.fault == "f06":
            torch.manual_seed(flags.seed)
        cols = {name: [] for name in Batch._fields}
        for _ in range(flags.unroll):
            with torch.no_grad():
                logits, _ = self.net(torch.from_numpy(self.obs))
            dist = torch.distributions.Categorical(logits=logits, validate_args=False)
            action = dist.sample()
            reached, start = np.empty_like(self.obs), np.empty_like(self.obs)
            reward = np.zeros(flags.n_envs, np.float32)
            terminated, done = np.zeros(flags.n_envs, np.float32), np.zeros(flags.n_envs, np.float32)
            for i, env in enumerate(self.envs):
                o, r, term, trunc, _ = env.step(int(action[i]))
                self.returns[i] += r
                reward[i] = np.sign(r) if flags.fault == "f04" else r
                terminated[i], done[i] = term, term or trunc
                reached[i] = o
                if term or trunc:
                    self.finished.append(self.returns[i])
                    self.escaped.append(float(term))
                    self.returns[i] = 0.0
                    o, _ = env.reset()
                start[i] = o
            for name, item in zip(Batch._fields, (torch.from_numpy(self.obs), torch.from_numpy(reached), action,
                                                  dist.log_prob(action), torch.from_numpy(reward),
                                                  torch.from_numpy(terminated), torch.from_numpy(done))):
                cols[name].append(item)
            self.obs = start
        return Batch(**{name: torch.stack(rows) for name, rows in cols.items()})


def learn(flags, net, optimizer, batch):
    logits, values = net(batch.obs)
    with torch.no_grad():
        _, next_values = net(batch.next_obs)
    dist = torch.distributions.Categorical(logits=logits, validate_args=False)
    target_logp = dist.log_prob(batch.action)
    out = vtrace(flags, batch, target_logp.detach(), values.detach(), next_values)
    pg_loss = -(target_logp * out.pg_advantages).mean()
    baseline_loss = 0.5 * (out.vs - values).pow(2).mean()
    entropy = dist.entropy().mean()
    loss = pg_loss + flags.baseline_cost * baseline_loss - flags.entropy_cost * entropy
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), flags.grad_clip)
    optimizer.step()
    return pg_loss.item(), baseline_loss.item(), entropy.item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=250_000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", type=str, default="none")
    flags = Flags(**vars(ap.parse_args()))
    torch.set_num_threads(1)
    torch.manual_seed(flags.seed)
    np.random.seed(flags.seed)

    learner = PolicyValue(7, 4)
    actor = Actor(flags, copy.deepcopy(learner))
    optimizer = torch.optim.RMSprop(learner.parameters(), lr=flags.lr, alpha=0.99, eps=1e-5)
    frames, k = 0, 0
    while frames < flags.steps:
        batch = actor.unroll()
        frames += batch.reward.numel()
        stats = learn(flags, learner, optimizer, batch)
        k += 1
        if k % flags.lag == 0 and (flags.fault != "f02" or k <= flags.lag):
            actor.net.load_state_dict(learner.state_dict())
        if k % 40 == 0:
            print("frames=%d;mean_return=%.3f;escaped=%.2f;pg=%.4f;baseline=%.4f;entropy=%.3f" % (
                (frames, np.mean(actor.finished[-100:]) if actor.finished else 0.0,
                 np.mean(actor.escaped[-100:]) if actor.escaped else 0.0) + stats), flush=True)


if __name__ == "__main__":
    main()
