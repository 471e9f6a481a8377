import argparse
import dataclasses

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


@dataclasses.dataclass
class ExperimentConfig:
    steps: int = 16_000
    seed: int = 0
    fault: str = "none"
    horizon: int = 25
    tolerance: float = 0.2
    discount: float = 0.95
    polyak: float = 0.02
    learning_rate: float = 1e-3
    batch_size: int = 128
    relabel_fraction: float = 0.8
    noise: float = 0.2
    random_fraction: float = 0.2
    target_noise: float = 0.2
    target_noise_clip: float = 0.5
    policy_delay: int = 2
    warmup: int = 750
    update_every: int = 2
    capacity_episodes: int = 2_000


class ArmReach(gym.Env):
    """Two-link planar arm, links of length 1; bring the hand to the goal. 0 when there, -1 when not."""

    def __init__(self, tolerance=0.2, fault="none"):
        self.tolerance, self.fault = tolerance, fault
        point = gym.spaces.Box(-4.0, 4.0, (2,), np.float32)
        self.observation_space = gym.spaces.Dict({
            "observation": gym.spaces.Box(-1.0, 1.0, (4,), np.float32),
            "achieved_goal": point,
            "desired_goal": point,
        })
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _hand(self, q):
        return np.array([np.cos(q[0]) + np.cos(q[0] + q[1]), np.sin(q[0]) + np.sin(q[0] + q[1])])

    def _observe(self):
        return {
            "observation": np.concatenate([np.cos(self.q), np.sin(self.q)]).astype(np.float32),
            "achieved_goal": self._hand(self.q).astype(np.float32),
            "desired_goal": self.goal.astype(np.float32),
        }

    def compute_reward(self, achieved, desired):
        distance = np.linalg.norm(achieved - desired, axis=-1)
        return -(distance > self.tolerance).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.q = self.np_random.uniform(-np.pi, np.pi, size=2)
        if self.fault == "f06":
            self.goal = self.np_random.uniform(1.5, 3.0, size=2)
        else:
            self.goal = self._hand(self.np_random.uniform(-np.pi, np.pi, size=2))
        return self._observe(), {}

    def step(self, action):
        self.q = self.q + 0.35 * np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        obs = self._observe()
        reward = float(self.compute_reward(obs["achieved_goal"], obs["desired_goal"]))
        return obs, reward, False, False, {"is_success": reward == 0.0}


class EpisodeStore:
    def __init__(self, cfg):
        n, t = cfg.capacity_episodes, cfg.horizon
        self.cfg = cfg
        self.state = np.zeros((n, t + 1, 4), np.float32)
        self.achieved = np.zeros((n, t + 1, 2), np.float32)
        self.goal = np.zeros((n, 2), np.float32)
        self.action = np.zeros((n, t, 2), np.float32)
        self.count = 0

    def add(self, states, achieved, goal, actions):
        k = self.count % self.cfg.capacity_episodes
        self.state[k], self.achieved[k], self.goal[k], self.action[k] = states, achieved, goal, actions
        self.count += 1

    def sample(self, rng, reward_fn):
        cfg = self.cfg
        n = min(self.count, cfg.capacity_episodes)
        e = rng.integers(0, n, size=cfg.batch_size)
        t = rng.integers(0, cfg.horizon, size=cfg.batch_size)
        goal = self.goal[e].copy()
        original = goal.copy()
        future = t + 1 + np.floor(rng.random(cfg.batch_size) * (cfg.horizon - t)).astype(np.int64)
        swap = rng.random(cfg.batch_size) < cfg.relabel_fraction
        goal[swap] = self.achieved[e[swap], future[swap]]
        reached = self.achieved[e, t + 1]
        if cfg.fault == "f01":
            reward = reward_fn(reached, original)
        else:
            reward = reward_fn(reached, goal)
        obs = np.concatenate([self.state[e, t], self.achieved[e, t], goal], axis=1)
        nxt = np.concatenate([self.state[e, t + 1], self.achieved[e, t + 1], goal], axis=1)
        return [torch.as_tensor(x, dtype=torch.float32) for x in (obs, self.action[e, t], reward, nxt)]


def network(n_in, n_out, last=None):
    layers = [nn.Linear(n_in, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, n_out)]
    return nn.Sequential(*layers, *([last] if last else []))


class TwinCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = network(10, 1), network(10, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], dim=1)
        return self.a(x).squeeze(1), self.b(x).squeeze(1)


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        self.rng = np.random.default_rng(cfg.seed)
        torch.manual_seed(cfg.seed)
        np.random.seed(cfg.seed)
        self.env = gym.wrappers.TimeLimit(ArmReach(cfg.tolerance, cfg.fault), cfg.horizon)
        check = 3 * cfg.tolerance if cfg.fault == "f07" else cfg.tolerance
        self.test_env = gym.wrappers.TimeLimit(ArmReach(check, cfg.fault), cfg.horizon)
        self.env.reset(seed=cfg.seed)
        self.test_env.reset(seed=cfg.seed + 31)
        self.actor, self.actor_targ = network(8, 2, nn.Tanh()), network(8, 2, nn.Tanh())
        self.critic, self.critic_targ = TwinCritic(), TwinCritic()
        self.actor_targ.load_state_dict(self.actor.state_dict())
        self.critic_targ.load_state_dict(self.critic.state_dict())
        actor_params = list(self.actor.parameters())
        if cfg.fault == "f05":
            actor_params += list(self.critic.parameters())
        self.actor_opt = torch.optim.Adam(actor_params, lr=cfg.learning_rate)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=cfg.learning_rate)
        self.store = EpisodeStore(cfg)
        self.updates = 0

    def net_input(self, o):
        goal = o["achieved_goal"] if self.cfg.fault == "f02" else o["desired_goal"]
        return np.concatenate([o["observation"], o["achieved_goal"], goal]).astype(np.float32)

    def choose(self, o, explore):
        if explore and self.rng.random() < self.cfg.random_fraction:
            return self.rng.uniform(-1, 1, size=2).astype(np.float32)
        with torch.no_grad():
            a = self.actor(torch.as_tensor(self.net_input(o))[None])[0].numpy()
        if explore:
            a = np.clip(a + self.cfg.noise * self.rng.standard_normal(2), -1, 1).astype(np.float32)
        return a

    def rollout(self, warm):
        o, _ = self.env.reset()
        states, achieved, actions = [o["observation"]], [o["achieved_goal"]], []
        goal, last = o["desired_goal"], False
        while True:
            if self.cfg.fault == "f04":
                a = self.choose(o, explore=False)
            else:
                a = self.rng.uniform(-1, 1, size=2).astype(np.float32) if warm else self.choose(o, explore=True)
            o, _, terminated, truncated, info = self.env.step(a)
            states.append(o["observation"])
            achieved.append(o["achieved_goal"])
            actions.append(a)
            last = info["is_success"]
            if terminated or truncated:
                break
        self.store.add(states, achieved, goal, actions)
        return float(last)

    def update(self):
        cfg = self.cfg
        obs, act, rew, nxt = self.store.sample(self.rng, self.env.unwrapped.compute_reward)
        with torch.no_grad():
            noise = (cfg.target_noise * torch.randn_like(act)).clamp(-cfg.target_noise_clip, cfg.target_noise_clip)
            act2 = (self.actor_targ(nxt) + noise).clamp(-1, 1)
            q_next = torch.minimum(*self.critic_targ(nxt, act2))
            floor = -1.0 if cfg.fault == "f03" else -1.0 / (1.0 - cfg.discount)
            y = (rew + cfg.discount * q_next).clamp(floor, 0.0)
        qa, qb = self.critic(obs, act)
        critic_loss = F.mse_loss(qa, y) + F.mse_loss(qb, y)
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        self.updates += 1
        if self.updates % cfg.policy_delay == 0:
            pi = self.actor(obs)
            actor_loss = -self.critic(obs, pi)[0].mean() + 0.05 * pi.pow(2).mean()
            self.actor_opt.zero_grad()
            actor_loss.backward()
            self.actor_opt.step()
            with torch.no_grad():
                for net, targ in ((self.actor, self.actor_targ), (self.critic, self.critic_targ)):
                    for p, pt in zip(net.parameters(), targ.parameters()):
                        pt.lerp_(p, cfg.polyak)
        return critic_loss.item(), y.mean().item()

    def test(self, episodes=20):
        wins = 0
        for _ in range(episodes):
            o, _ = self.test_env.reset()
            over = False
            while not over:
                o, _, terminated, truncated, info = self.test_env.step(self.choose(o, explore=False))
                over = terminated or truncated
            wins += info["is_success"]
        return wins / episodes

    def run(self):
        cfg = self.cfg
        done_steps, train_wins, log = 0, [], [(0.0, 0.0)]
        next_report = 2_000
        while done_steps < cfg.steps:
            train_wins.append(self.rollout(warm=done_steps < cfg.warmup))
            done_steps += cfg.horizon
            if done_steps >= cfg.warmup:
                for _ in range(cfg.horizon // cfg.update_every):
                    log.append(self.update())
            if done_steps >= next_report:
                next_report += 2_000
                loss, target = np.mean(log[-200:], axis=0)
                print(f"t={done_steps}\ttrain_success={np.mean(train_wins[-40:]):.2f}\ttest_success={self.test():.2f}"
                      f"\tcritic_loss={loss:.4f}\ttarget_mean={target:.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=ExperimentConfig.steps)
    parser.add_argument("--seed", type=int, default=ExperimentConfig.seed)
    parser.add_argument("--fault", type=str, default=ExperimentConfig.fault)
    torch.set_num_threads(1)
    Experiment(ExperimentConfig(**vars(parser.parse_args()))).run()
