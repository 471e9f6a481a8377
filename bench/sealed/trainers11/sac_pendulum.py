import argparse
import itertools
from copy import deepcopy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions.normal import Normal

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

    def forward(self, obs, deterministic=False):
        net_out = self.net(obs)
        mu = self.mu_layer(net_out)
        log_std = torch.clamp(self.log_std_layer(net_out), LOG_STD_MIN, LOG_STD_MAX)
        pi_distribution = Normal(mu, torch.exp(log_std))
        u = mu if deterministic else pi_distribution.rsample()
        logp_pi = pi_distribution.log_prob(u).sum(axis=-1)
        if self.fault != "f01":
            logp_pi -= (2 * (np.log(2) - u - F.softplus(-2 * u))).sum(axis=-1)
        return self.act_limit * torch.tanh(u), logp_pi


class MLPQFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, activation):
        super().__init__()
        self.q = mlp([obs_dim + act_dim] + list(hidden_sizes) + [1], activation)

    def forward(self, obs, act):
        return torch.squeeze(self.q(torch.cat([obs, act], dim=-1)), -1)


class MLPActorCritic(nn.Module):
    def __init__(self, observation_space, action_space, hidden_sizes, fault):
        super().__init__()
        obs_dim = observation_space.shape[0]
        act_dim = action_space.shape[0]
        act_limit = float(action_space.high[0])
        self.pi = SquashedGaussianMLPActor(obs_dim, act_dim, hidden_sizes, nn.ReLU, act_limit, fault)
        self.q1 = MLPQFunction(obs_dim, act_dim, hidden_sizes, nn.ReLU)
        self.q2 = MLPQFunction(obs_dim, act_dim, hidden_sizes, nn.ReLU)

    def act(self, obs, deterministic=False):
        with torch.no_grad():
            return self.pi(obs, deterministic)[0].numpy()


class ReplayBuffer:
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

    def sample_batch(self, batch_size):
        high = self.max_size if self.fault == "f06" else self.size
        idxs = np.random.randint(0, high, size=batch_size)
        batch = dict(
            obs=self.obs_buf[idxs],
            obs2=self.obs2_buf[idxs],
            act=self.act_buf[idxs],
            rew=self.rew_buf[idxs],
            done=self.done_buf[idxs],
        )
        return {k: torch.as_tensor(v, dtype=torch.float32) for k, v in batch.items()}


def sac(
    env_fn,
    total_steps,
    seed=0,
    fault="",
    hidden_sizes=(64, 64),
    replay_size=100_000,
    gamma=0.98,
    polyak=0.99,
    lr=2e-3,
    batch_size=64,
    start_steps=400,
    update_after=400,
    update_every=1,
    log_every=500,
):
    torch.manual_seed(seed)
    np.random.seed(seed)
    env, test_env = env_fn(), env_fn()
    env.action_space.seed(seed)
    test_env.reset(seed=seed + 10_000)
    obs_dim = env.observation_space.shape[0]
    act_dim = env.action_space.shape[0]

    ac = MLPActorCritic(env.observation_space, env.action_space, hidden_sizes, fault)
    ac_targ = deepcopy(ac)
    ac_test = deepcopy(ac) if fault == "f07" else ac
    for p in ac_targ.parameters():
        p.requires_grad = False
    q_params = list(itertools.chain(ac.q1.parameters(), ac.q2.parameters()))
    replay_buffer = ReplayBuffer(obs_dim, act_dim, replay_size, fault)

    log_alpha = torch.tensor(np.log(0.2), dtype=torch.float32, requires_grad=True)
    target_entropy = float(act_dim) if fault == "f03" else -float(act_dim)

    pi_optimizer = torch.optim.Adam(ac.pi.parameters(), lr=lr)
    q_optimizer = torch.optim.Adam(q_params, lr=lr)
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=lr)

    def compute_loss_q(data):
        o, a, r, o2, d = data["obs"], data["act"], data["rew"], data["obs2"], data["done"]
        q1 = ac.q1(o, a)
        q2 = ac.q2(o, a)
        with torch.no_grad():
            a2, logp_a2 = ac.pi(o2)
            q1_pi_targ = ac_targ.q1(o2, a2)
            q2_pi_targ = ac_targ.q2(o2, a2)
            if fault == "f02":
                q_pi_targ = torch.max(q1_pi_targ, q2_pi_targ)
            else:
                q_pi_targ = torch.min(q1_pi_targ, q2_pi_targ)
            alpha = log_alpha.exp()
            if fault == "f04":
                backup = r + gamma * (1 - d) * (q_pi_targ + alpha * logp_a2)
            else:
                backup = r + gamma * (1 - d) * (q_pi_targ - alpha * logp_a2)
        return ((q1 - backup) ** 2).mean() + ((q2 - backup) ** 2).mean()

    def compute_loss_pi(data):
        o = data["obs"]
        pi, logp_pi = ac.pi(o)
        if fault == "f05":
            pi = pi / ac.pi.act_limit
        q_pi = torch.min(ac.q1(o, pi), ac.q2(o, pi))
        return (log_alpha.exp().detach() * logp_pi - q_pi).mean(), logp_pi

    def update(data):
        q_optimizer.zero_grad()
        loss_q = compute_loss_q(data)
        loss_q.backward()
        q_optimizer.step()

        for p in q_params:
            p.requires_grad = False
        pi_optimizer.zero_grad()
        loss_pi, logp_pi = compute_loss_pi(data)
        loss_pi.backward()
        pi_optimizer.step()
        for p in q_params:
            p.requires_grad = True

        alpha_optimizer.zero_grad()
        loss_alpha = -(log_alpha * (logp_pi.detach() + target_entropy)).mean()
        loss_alpha.backward()
        alpha_optimizer.step()

        with torch.no_grad():
            targ_params = itertools.chain(ac_targ.q1.parameters(), ac_targ.q2.parameters())
            for p, p_targ in zip(q_params, targ_params):
                p_targ.data.mul_(polyak)
                p_targ.data.add_((1 - polyak) * p.data)
        return loss_q.item(), loss_pi.item()

    def test_agent(num_test_episodes=2):
        rets = []
        for _ in range(num_test_episodes):
            o, _ = test_env.reset()
            d, ep_ret = False, 0.0
            while not d:
                o, r, term, trunc, _ = test_env.step(ac_test.act(torch.as_tensor(o, dtype=torch.float32), True))
                ep_ret += r
                d = term or trunc
            rets.append(ep_ret)
        return float(np.mean(rets))

    o, _ = env.reset(seed=seed)
    ep_ret, ep_rets = 0.0, []
    loss_q = loss_pi = float("nan")
    for t in range(total_steps):
        if t > start_steps:
            a = ac.act(torch.as_tensor(o, dtype=torch.float32))
        else:
            a = env.action_space.sample()
        o2, r, terminated, truncated, _ = env.step(a)
        ep_ret += r
        replay_buffer.store(o, a, r, o2, terminated)
        o = o2
        if terminated or truncated:
            ep_rets.append(ep_ret)
            ep_ret = 0.0
            o, _ = env.reset()
        if t >= update_after and t % update_every == 0:
            loss_q, loss_pi = update(replay_buffer.sample_batch(batch_size))
        if (t + 1) % log_every == 0:
            ep = np.mean(ep_rets[-5:]) if ep_rets else float("nan")
            print(
                f"TotalEnvInteracts {t + 1:6d}  EpRet {ep:9.2f}  TestEpRet {test_agent():9.2f}  "
                f"LossQ {loss_q:8.3f}  LossPi {loss_pi:8.3f}  Alpha {log_alpha.exp().item():.4f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--seed", "-s", type=int, default=0)
    parser.add_argument("--fault", type=str, default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    sac(lambda: gym.make("Pendulum-v1"), args.steps, seed=args.seed, fault=args.fault)
