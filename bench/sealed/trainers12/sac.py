import argparse
import itertools
import time
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions.normal import Normal

torch.set_num_threads(1)

LOG_STD_MAX = 2
LOG_STD_MIN = -20


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


class SquashedGaussianMLPActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation, act_limit, fault):
        super().__init__()
        self.net = mlp([obs_dim] + list(hidden_sizes), activation, activation)
        self.mu_layer = nn.Linear(hidden_sizes[-1], act_dim)
        self.log_std_layer = nn.Linear(hidden_sizes[-1], act_dim)
        self.act_limit = act_limit
        self.fault = fault

    def forward(self, obs, deterministic=False, with_logprob=True):
        net_out = self.net(obs)
        mu = self.mu_layer(net_out)
        log_std = torch.clamp(self.log_std_layer(net_out), LOG_STD_MIN, LOG_STD_MAX)
        pi_distribution = Normal(mu, torch.exp(log_std))
        pi_action = mu if deterministic else pi_distribution.rsample()
        logp_pi = None
        if with_logprob:
            logp_pi = pi_distribution.log_prob(pi_action).sum(axis=-1)
            if self.fault != "f01":
                logp_pi -= (2 * (np.log(2) - pi_action - F.softplus(-2 * pi_action))).sum(axis=1)
        return self.act_limit * torch.tanh(pi_action), logp_pi


class MLPQFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation):
        super().__init__()
        self.q = mlp([obs_dim + act_dim] + list(hidden_sizes) + [1], activation)

    def forward(self, obs, act):
        return torch.squeeze(self.q(torch.cat([obs, act], dim=-1)), -1)


class MLPActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, act_limit, hidden_sizes=(64, 64), activation=nn.ReLU, fault=""):
        super().__init__()
        self.pi = SquashedGaussianMLPActor(obs_dim, act_dim, hidden_sizes, activation, act_limit, fault)
        self.q1 = MLPQFunction(obs_dim, act_dim, hidden_sizes, activation)
        self.q2 = MLPQFunction(obs_dim, act_dim, hidden_sizes, activation)

    def act(self, obs, deterministic=False):
        with torch.no_grad():
            return self.pi(obs, deterministic, False)[0].numpy()


class ReplayBuffer:
    """A simple FIFO experience replay buffer for SAC agents."""

    def __init__(self, obs_dim, act_dim, size, fault):
        self.obs_buf = np.zeros((size, obs_dim), dtype=np.float32)
        self.obs2_buf = np.zeros((size, obs_dim), dtype=np.float32)
        self.act_buf = np.zeros((size, act_dim), dtype=np.float32)
        self.rew_buf = np.zeros(size, dtype=np.float32)
        self.done_buf = np.zeros(size, dtype=np.float32)
        self.ptr, self.size, self.max_size = 0, 0, size
        self.fault = fault

    def store(self, obs, act, rew, next_obs, done):
        self.obs_buf[self.ptr] = obs
        self.obs2_buf[self.ptr] = next_obs
        self.act_buf[self.ptr] = act
        self.rew_buf[self.ptr] = rew
        self.done_buf[self.ptr] = done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample_batch(self, batch_size=32):
        high = self.max_size if self.fault == "f04" else self.size
        idxs = np.random.randint(0, high, size=batch_size)
        batch = dict(obs=self.obs_buf[idxs], obs2=self.obs2_buf[idxs], act=self.act_buf[idxs],
                     rew=self.rew_buf[idxs], done=self.done_buf[idxs])
        return {k: torch.as_tensor(v) for k, v in batch.items()}


def sac(env_fn, steps, seed=0, fault="", replay_size=50_000, gamma=0.98, polyak=0.99, lr=2e-3, batch_size=100,
        start_steps=500, update_after=300, num_test_episodes=5, log_every=500, ac_kwargs=None):
    torch.manual_seed(seed)
    np.random.seed(seed)

    env, test_env = env_fn(), env_fn()
    env.action_space.seed(seed)
    obs_dim = env.observation_space.shape[0]
    act_dim = env.action_space.shape[0]
    act_limit = float(env.action_space.high[0])
    max_ep_len = 200

    ac = MLPActorCritic(obs_dim, act_dim, act_limit, fault=fault, **(ac_kwargs or {}))
    pi_optimizer = torch.optim.Adam(ac.pi.parameters(), lr=lr)
    if fault == "f02":
        ac = deepcopy(ac)
    q_params = list(itertools.chain(ac.q1.parameters(), ac.q2.parameters()))
    q_optimizer = torch.optim.Adam(q_params, lr=lr)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=lr)
    target_entropy = -act_dim

    ac_targ = deepcopy(ac)
    for p in ac_targ.parameters():
        p.requires_grad = False

    replay_buffer = ReplayBuffer(obs_dim, act_dim, replay_size, fault)

    def update(data):
        alpha = log_alpha.exp().detach()
        o, a, r, o2, d = data["obs"], data["act"], data["rew"], data["obs2"], data["done"]

        q1, q2 = ac.q1(o, a), ac.q2(o, a)
        with torch.no_grad():
            a2, logp_a2 = ac.pi(o2)
            q_pi_targ = torch.min(ac_targ.q1(o2, a2), ac_targ.q2(o2, a2))
            backup = r + gamma * (1 - d) * (q_pi_targ - alpha * logp_a2)
        loss_q = ((q1 - backup) ** 2).mean() + ((q2 - backup) ** 2).mean()
        q_optimizer.zero_grad()
        loss_q.backward()
        q_optimizer.step()

        for p in q_params:
            p.requires_grad = False
        pi, logp_pi = ac.pi(o)
        q_pi = torch.min(ac.q1(o, pi), ac.q2(o, pi))
        loss_pi = (alpha * logp_pi - q_pi).mean()
        pi_optimizer.zero_grad()
        loss_pi.backward()
        pi_optimizer.step()
        for p in q_params:
            p.requires_grad = True

        loss_alpha = -(log_alpha * (logp_pi.detach() + target_entropy)).mean()
        if fault == "f03":
            loss_alpha = (log_alpha * (logp_pi.detach() + target_entropy)).mean()
        alpha_optimizer.zero_grad()
        loss_alpha.backward()
        alpha_optimizer.step()

        with torch.no_grad():
            for p, p_targ in zip(ac.parameters(), ac_targ.parameters()):
                p_targ.data.mul_(polyak)
                p_targ.data.add_((1 - polyak) * p.data)
        return loss_q.item(), loss_pi.item(), q1.mean().item(), logp_pi.mean().item()

    def get_action(o, deterministic=False):
        return ac.act(torch.as_tensor(o, dtype=torch.float32)[None], deterministic)[0]

    def test_agent():
        rets = []
        ep_len = 0
        for j in range(num_test_episodes):
            o, _ = test_env.reset(seed=1000 + j)
            d, ep_ret = False, 0
            if fault != "f07":
                ep_len = 0
            while not (d or ep_len == max_ep_len):
                o, r, d, _, _ = test_env.step(get_action(o, True))
                ep_ret += r
                ep_len += 1
            rets.append(ep_ret)
        return np.mean(rets)

    start_time = time.time()
    (o, _), ep_ret, ep_len = env.reset(seed=seed), 0, 0
    ep_rets, stats = [], (np.nan,) * 4
    for t in range(steps):
        a = get_action(o) if t > start_steps else env.action_space.sample()
        o2, r, d, _, _ = env.step(a)
        ep_ret += r
        ep_len += 1
        if fault == "f06" and t > start_steps:
            a = get_action(o)
        if fault == "f05":
            r = ep_ret
        replay_buffer.store(o, a, r, o2, d)
        o = o2
        if d or ep_len == max_ep_len:
            ep_rets.append(ep_ret)
            (o, _), ep_ret, ep_len = env.reset(), 0, 0
        if t >= update_after:
            stats = update(replay_buffer.sample_batch(batch_size))
        if (t + 1) % log_every == 0:
            rows = [("TotalEnvInteracts", t + 1), ("AverageEpRet", np.mean(ep_rets[-5:]) if ep_rets else np.nan),
                    ("AverageTestEpRet", test_agent()), ("LossQ", stats[0]), ("LossPi", stats[1]), ("AverageQ1Vals", stats[2]),
                    ("AverageLogPi", stats[3]), ("Alpha", log_alpha.exp().item()), ("Time", time.time() - start_time)]
            print("-" * 40)
            for k, v in rows:
                print(f"| {k:>20s} | {v:12.4g} |")
            print("-" * 40, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", type=str, default="Pendulum-v1")
    parser.add_argument("--steps", type=int, default=4_000)
    parser.add_argument("--seed", "-s", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    parser.add_argument("--gamma", type=float, default=0.98)
    parser.add_argument("--hid", type=int, default=64)
    args = parser.parse_args()
    sac(lambda: gym.make(args.env), args.steps, seed=args.seed, fault=args.fault, gamma=args.gamma,
        ac_kwargs=dict(hidden_sizes=[args.hid] * 2))
