# Double DQN for CartPole (200 step limit), numpy ring buffer, hard target updates.
import argparse, random
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument('--seed', type=int, default=0)
ap.add_argument('--steps', type=int, default=12000)
ap.add_argument('--fault', type=str, default='none')
cfg = ap.parse_args()
FAULT = cfg.fault

torch.set_num_threads(1)
random.seed(cfg.seed); np.random.seed(cfg.seed); torch.manual_seed(cfg.seed)

gamma          = 0.98
lr             = 0.1 if FAULT == 'f11' else 8e-4
batch_size     = 128
capacity       = 20000
learn_start    = 500
learn_every    = 2
sync_every     = 150
eps_hi, eps_lo = 1.0, 0.05
eps_frac       = 0.2

env = gym.make('CartPole-v1', max_episode_steps=200)
n_actions = env.action_space.n
dim = env.observation_space.shape[0]


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(dim, 64)
        self.l2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, n_actions)

    def forward(self, s):
        return self.out(F.relu(self.l2(F.relu(self.l1(s)))))


class Ring:
    def __init__(self, size):
        self.size, self.ptr, self.full = size, 0, False
        kind = np.int8 if FAULT == 'f13' else np.float32
        self.s  = np.zeros((size, dim), kind)
        self.s2 = np.zeros((size, dim), kind)
        self.a  = np.zeros(size, np.int64)
        self.r  = np.zeros(size, np.float32)
        self.d  = np.zeros(size, np.float32)

    def __len__(self):
        return self.size if self.full else self.ptr

    def add(self, s, a, r, s2, d):
        i = self.ptr
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.ptr = (i + 1) % self.size
        self.full = self.full or self.ptr == 0

    def draw(self, n):
        hi = self.size if FAULT == 'f10' else len(self)
        j = np.random.randint(0, hi, n)
        return (torch.from_numpy(self.s[j].astype(np.float32)), torch.from_numpy(self.a[j]), torch.from_numpy(self.r[j]),
                torch.from_numpy(self.s2[j].astype(np.float32)), torch.from_numpy(self.d[j]))


q, q_targ = QNet(), QNet()
q_targ.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q_targ.parameters() if FAULT == 'f12' else q.parameters(), lr=lr)
memory = Ring(capacity)


def epsilon(step, episode):
    x = episode if FAULT == 'f05' else step
    frac = min(1.0, x / (eps_frac * cfg.steps))
    return eps_hi + frac * (eps_lo - eps_hi)


def act(s, eps):
    explore = random.random() < eps
    if FAULT == 'f15':
        explore = not explore
    if explore:
        return random.randrange(n_actions)
    with torch.no_grad():
        return int(q(torch.from_numpy(s)[None]).argmax(1))


def train_once():
    s, a, r, s2, d = memory.draw(batch_size)
    if FAULT == 'f06':
        best = q(s2).argmax(1, keepdim=True)
        nxt = q(s2).gather(1, best).squeeze(1)
        y = r + gamma * (1 - d) * nxt
    else:
        with torch.no_grad():
            best = q(s if FAULT == 'f04' else s2).argmax(1, keepdim=True)
            nxt = q_targ(s2).gather(1, best).squeeze(1)
            cont = d if FAULT == 'f14' else 1 - d
            y = r + gamma * cont * nxt
    if FAULT == 'f09':
        pred = q(s).max(1).values
    else:
        pred = q(s).gather(1, a[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10.0)
    opt.step()
    return loss.item(), pred.mean().item()


def play_greedy(n=3):
    """A few greedy games in a separate copy of the environment."""
    total = []
    for k in range(n):
        s, _ = eval_env.reset()
        ret, over = 0.0, False
        while not over:
            s, r, te, tr, _ = eval_env.step(act(s, 0.0))
            ret += r
            over = te or tr
        total.append(ret)
    return sum(total) / n


eval_env = gym.make('CartPole-v1', max_episode_steps=200)
eval_env.reset(seed=cfg.seed + 777)

s, _ = env.reset(seed=cfg.seed)
ep_ret, history, loss, qmean, prev_a = 0.0, [], float('nan'), float('nan'), 0
for step in range(1, cfg.steps + 1):
    a = act(s, epsilon(step, len(history)))
    s2, r, terminated, truncated, _ = env.step(a)
    over = terminated or truncated
    ep_ret += r
    flag = over if FAULT == 'f01' else terminated
    kept = prev_a if FAULT == 'f08' else a
    memory.add(s, kept, r, s2, float(flag))
    prev_a = a
    s = s2
    if over:
        history.append(ep_ret)
        ep_ret = 0.0
        fresh, _ = env.reset()
        if FAULT != 'f07':
            s = fresh

    if step > learn_start and step % learn_every == 0:
        loss, qmean = train_once()
        if FAULT == 'f03':
            q_targ.load_state_dict(q.state_dict())
        elif FAULT != 'f02' and step % sync_every == 0:
            q_targ.load_state_dict(q.state_dict())

    if step % 2000 == 0:
        last = np.mean(history[-10:]) if history else float('nan')
        print('step %6d | last 10 episodes %6.1f | greedy %6.1f | eps %.2f | loss %.4f | q %.2f'
              % (step, last, play_greedy(), epsilon(step, len(history)), loss, qmean), flush=True)
