# TD3 (Fujimoto et al. 2018) for Pendulum with an action repeat of 2. Replay is a plain dict of arrays.
import argparse, copy, time
import numpy as np
import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)

p = argparse.ArgumentParser()
p.add_argument('--fault', default='none', choices=['none', 'f01', 'f02', 'f03', 'f04', 'f05', 'f06'])
p.add_argument('--seed', type=int, default=0)
p.add_argument('--steps', type=int, default=4000)


class ActionRepeat(gym.Wrapper):
    def __init__(self, env, n=2, first=False):
        super().__init__(env)
        self.n = n
        self.first = first

    def step(self, action):
        total, seen = 0.0, None
        for _ in range(self.n):
            obs, r, terminated, truncated, info = self.env.step(action)
            total += float(r)
            if seen is None or not self.first:
                seen = obs
            if terminated or truncated:
                break
        return seen, total, terminated, truncated, info


def make_env(fault=None):
    return ActionRepeat(gym.make('Pendulum-v1'), 2, first=fault == 'f06')


def mlp(sizes):
    net = []
    for i in range(len(sizes) - 1):
        net.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i < len(sizes) - 2:
            net.append(nn.ReLU())
    return nn.Sequential(*net)


class Actor(nn.Module):
    def __init__(self, o, a, limit):
        super().__init__()
        self.net, self.limit = mlp([o, 64, 64, a]), limit

    def forward(self, s):
        return self.limit * torch.tanh(self.net(s))


class TwinQ(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.q1, self.q2 = mlp([o + a, 64, 64, 1]), mlp([o + a, 64, 64, 1])

    def forward(self, s, a):
        sa = torch.cat([s, a], 1)
        return self.q1(sa), self.q2(sa)


def make_buffer(size, o, a):
    return dict(s=np.zeros((size, o), np.float32), a=np.zeros((size, a), np.float32), r=np.zeros((size, 1), np.float32),
                s2=np.zeros((size, o), np.float32), d=np.zeros((size, 1), np.float32), n=0, at=0, size=size)


def store(buf, s, a, r, s2, d):
    i = buf['at']
    buf['s'][i], buf['a'][i], buf['r'][i], buf['s2'][i], buf['d'][i] = s, a, r, s2, d
    buf['at'] = (i + 1) % buf['size']
    buf['n'] = min(buf['n'] + 1, buf['size'])


def draw(buf, n, fault):
    top = buf['size'] if fault == 'f04' else buf['n']
    ix = np.random.randint(0, top, n)
    return {k: torch.from_numpy(buf[k][ix]) for k in ('s', 'a', 'r', 's2', 'd')}


def test(actor, env, episodes=4):
    out = []
    for k in range(episodes):
        s, _ = env.reset(seed=900 + k)
        tot, end = 0.0, False
        while not end:
            with torch.no_grad():
                a = actor(torch.from_numpy(s)[None])[0].numpy()
            s, r, te, tr, _ = env.step(a)
            tot += r
            end = te or tr
        out.append(tot)
    return np.mean(out)


def main():
    args = p.parse_args()
    fault = args.fault
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env, env_test = make_env(fault), make_env()
    env.action_space.seed(args.seed)
    o, a_dim = env.observation_space.shape[0], env.action_space.shape[0]
    limit = float(env.action_space.high[0])

    gamma, tau, batch, start = 0.98, 0.01, 100, 600
    explore, smooth, smooth_clip, delay = 0.15, 0.2, 0.5, 2
    bound = 1.0 if fault == 'f01' else limit

    actor, critic = Actor(o, a_dim, limit), TwinQ(o, a_dim)
    actor_t, critic_t = copy.deepcopy(actor), copy.deepcopy(critic)
    actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
    buf = make_buffer(12000, o, a_dim)

    def track(net, net_t):
        with torch.no_grad():
            for w, wt in zip(net.parameters(), net_t.parameters()):
                if fault == 'f02':
                    wt.copy_(tau * wt + (1 - tau) * w)
                else:
                    wt.copy_((1 - tau) * wt + tau * w)

    t0 = time.time()
    history, tot = [], 0.0
    s, _ = env.reset(seed=args.seed)
    for step in range(1, args.steps + 1):
        if step <= start:
            a = env.action_space.sample()
        else:
            with torch.no_grad():
                a = actor(torch.from_numpy(s)[None])[0].numpy()
            if fault == 'f05':
                a = a + explore * limit * np.random.rand(a_dim)
            else:
                a = a + explore * limit * np.random.randn(a_dim)
        a = np.clip(a, -bound, bound).astype(np.float32)
        s2, r, terminated, truncated, _ = env.step(a)
        store(buf, s, a, r, s2, float(terminated))
        s, tot = s2, tot + r
        if terminated or truncated:
            history.append(tot)
            tot = 0.0
            s, _ = env.reset()

        if step > start:
            b = draw(buf, batch, fault)
            with torch.no_grad():
                eps = (torch.randn_like(b['a']) * smooth * limit).clamp(-smooth_clip * limit, smooth_clip * limit)
                a2 = (actor_t(b['s2']) + eps).clamp(-limit, limit)
                q1t, q2t = critic_t(b['s2'], a2)
                y = b['r'] + gamma * (1 - b['d']) * torch.min(q1t, q2t)
            q1, q2 = critic(b['s'], b['a'])
            critic_loss = F.mse_loss(q1, y) + F.mse_loss(q2, y)
            if fault != 'f03':
                critic_opt.zero_grad()
            critic_loss.backward()
            critic_opt.step()
            if fault == 'f03':
                critic_opt.zero_grad()
            if step % delay == 0:
                actor_loss = -critic.q1(torch.cat([b['s'], actor(b['s'])], 1)).mean()
                actor_opt.zero_grad()
                actor_loss.backward()
                actor_opt.step()
                track(actor, actor_t)
                track(critic, critic_t)

        if step % 500 == 0:
            print('%6d  train %8.1f  test %8.1f  critic %.3f  q %.1f' % (
                step, np.mean(history[-7:]), test(actor, env_test), critic_loss.item() if step > start else 0.0,
                q1.mean().item() if step > start else 0.0))
    print('final eval %.1f in %.0fs' % (test(actor, env_test, 15), time.time() - t0))


if __name__ == '__main__':
    main()
