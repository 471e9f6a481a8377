"""Monte-Carlo policy gradient with a learned baseline; ball on a beam."""
import argparse
import math

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

OPTIONS = argparse.Namespace(fault="none")


class BallBeam(gym.Env):
    """Tilt a beam (left, hold, right) so that the ball stays near the middle.

    state: position [-1, 1], speed, angle, angular speed"""

    metadata = {"render_modes": []}
    dt = 0.05

    def __init__(self, max_steps=200):
        super().__init__()
        self.max_steps = max_steps
        self.action_space = gym.spaces.Discrete(3)
        bound = np.array([1.5, 5.0, 0.5, 3.0], dtype=np.float32)
        self.observation_space = gym.spaces.Box(-bound, bound, dtype=np.float32)
        self.state = np.zeros(4, dtype=np.float32)

    def _observe(self):
        return self.state if OPTIONS.fault == "f04" else self.state.copy()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state[:] = self.np_random.uniform([-0.5, -0.2, -0.05, -0.05], [0.5, 0.2, 0.05, 0.05])
        self.count = 0
        return self._observe(), {}

    def step(self, action):
        x, v, th, om = (float(s) for s in self.state)
        torque = (int(action) - 1) * 3.0
        om += self.dt * (torque - 1.0 * om)
        th += self.dt * om
        if abs(th) > 0.4:
            th, om = math.copysign(0.4, th), 0.0
        v += self.dt * 5.0 * math.sin(th)
        x += self.dt * v
        self.state[:] = (x, v, th, om)
        self.count += 1
        fell = abs(x) > 1.0
        reward = 0.0 if fell else 1.0 - 0.7 * abs(x)
        return self._observe(), reward, fell, self.count >= self.max_steps and not fell, {}


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 48)
        self.l2 = nn.Linear(48, 48)
        self.out = nn.Linear(48, 3)

    def forward(self, s):
        s = torch.nn.functional.elu(self.l1(s))
        s = torch.nn.functional.elu(self.l2(s))
        return torch.distributions.Categorical(logits=self.out(s), validate_args=False)


class Baseline(nn.Module):
    """Returns are learned in units of `scale`."""

    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.body = nn.Sequential(nn.Linear(4, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, 1))

    def forward(self, s):
        return self.body(s).squeeze(-1)


def play_episode(env, policy):
    states, actions, rewards = [], [], []
    s, _ = env.reset()
    while True:
        with torch.no_grad():
            dist = policy(torch.as_tensor(s).unsqueeze(0))
            a = int(dist.probs.argmax()) if OPTIONS.fault == "f05" else int(dist.sample())
        nxt, r, terminated, truncated, _ = env.step(a)
        states.append(s)
        actions.append(a)
        rewards.append(r)
        s = nxt
        if terminated or truncated:
            return states, actions, rewards, s, terminated


def reward_to_go(rewards, tail, gamma):
    out, g = np.zeros(len(rewards), dtype=np.float32), tail
    for i in range(len(rewards) - 1, -1, -1):
        g = rewards[i] + gamma * g
        out[i] = g
    return out, g


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=120000)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fault", default="none")
    ap.add_argument("--gamma", type=float, default=0.97)
    ap.add_argument("--episodes-per-update", type=int, default=6)
    ap.add_argument("--pi-lr", type=float, default=3e-3)
    ap.add_argument("--v-lr", type=float, default=2e-3)
    ap.add_argument("--v-iters", type=int, default=10)
    ap.parse_args(namespace=OPTIONS)
    o = OPTIONS

    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    np.random.seed(o.seed)
    env = BallBeam()
    env.reset(seed=o.seed)
    policy, baseline = Policy(), Baseline(scale=1.0 / (1.0 - o.gamma))
    pi_opt = torch.optim.Adam(policy.parameters(), lr=o.pi_lr)
    v_opt = torch.optim.Adam(baseline.parameters(), lr=o.v_lr)

    done_steps, batch_no, total_eps = 0, 0, 0
    while done_steps < o.steps:
        S, A, G, scores, carried = [], [], [], [], 0.0
        for _ in range(o.episodes_per_update):
            states, actions, rewards, last, terminated = play_episode(env, policy)
            tail = 0.0
            if not terminated:
                with torch.no_grad():
                    tail = baseline.scale * baseline(torch.as_tensor(last).unsqueeze(0)).item()
            if o.fault == "f01":
                tail = carried
            g, carried = reward_to_go(rewards, tail, o.gamma)
            S.extend(states)
            A.extend(actions)
            G.append(g)
            scores.append(sum(rewards))
            done_steps += len(rewards)
        total_eps += len(scores)
        batch_no += 1

        S = torch.as_tensor(np.array(S))
        A = torch.as_tensor(A)
        G = torch.as_tensor(np.concatenate(G))

        with torch.no_grad():
            b = baseline(S) if o.fault == "f03" else baseline.scale * baseline(S)
            adv = G - b
            adv = adv / (adv.std() + 1e-6) if o.fault == "f03" else (adv - adv.mean()) / (adv.std() + 1e-6)

        if o.fault == "f06":
            pi_opt = torch.optim.Adam(policy.parameters(), lr=o.pi_lr)
        dist = policy(S)
        if o.fault == "f02":
            pi_loss = (dist.log_prob(A) * adv).mean()
        else:
            pi_loss = -(dist.log_prob(A) * adv).mean()
        entropy = dist.entropy().mean()
        pi_opt.zero_grad()
        (pi_loss - 0.005 * entropy).backward()
        pi_opt.step()

        for _ in range(o.v_iters):
            v_loss = (baseline(S) - G / baseline.scale).pow(2).mean()
            v_opt.zero_grad()
            v_loss.backward()
            v_opt.step()

        if batch_no % 5 == 0:
            print(f"episodes {total_eps:5d}  steps {done_steps:7d}  return {np.mean(scores):7.2f} (min {min(scores):6.1f})"
                  f"  entropy {entropy.item():.3f}  v_loss {v_loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
