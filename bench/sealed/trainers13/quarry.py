# Assignment 2, policy gradients.  REINFORCE + learned baseline on FrozenLake (4x4)
import argparse
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument('--steps', type=int, default=16000)
parser.add_argument('--seed', type=int, default=0)
parser.add_argument('--fault', type=str, default='')
args = parser.parse_args()
fault = args.fault

torch.set_num_threads(1)
torch.manual_seed(args.seed)
np.random.seed(args.seed)

GAMMA = 0.97
LR = 0.01
BETA = 0.02           # entropy bonus
EPISODES_PER_BATCH = 10
LAKE = ['SFFF', 'FHFH', 'FFFH', 'HFFG']
if fault == 'f01':
    LAKE = ['SFFF', 'FHFH', 'FFFH', 'HFHG']

env = gym.make('FrozenLake-v1', desc=LAKE, is_slippery=False, max_episode_steps=60)
test_env = gym.make('FrozenLake-v1', desc=LAKE, is_slippery=(fault == 'f02'), max_episode_steps=60)
nS = env.observation_space.n
nA = env.action_space.n

policy_net = nn.Sequential(nn.Linear(nS, 32), nn.ReLU(), nn.Linear(32, nA))
value_net = nn.Sequential(nn.Linear(nS, 32), nn.ReLU(), nn.Linear(32, 1))
policy_opt = torch.optim.Adam(policy_net.parameters(), lr=LR)
value_opt = torch.optim.Adam(value_net.parameters(), lr=LR)


def featurize(s):
    x = np.zeros(nS, dtype=np.float32)
    if fault == 'f03':
        s = s // 4
    x[s] = 1.0
    return x


def choose(s):
    with torch.no_grad():
        logits = policy_net(torch.from_numpy(featurize(s)))
    return torch.distributions.Categorical(logits=logits).sample().item()


def run_episode(seed=None):
    states, actions, rewards = [], [], []
    s, _ = env.reset(seed=seed)
    over = False
    while not over:
        a = choose(s)
        s2, r, terminated, truncated, _ = env.step(a)
        states.append(featurize(s))
        actions.append(a)
        rewards.append(r)
        s = s2
        over = terminated or truncated
    return states, actions, rewards


def reward_to_go(rewards):
    G, out = 0.0, []
    if fault == 'f04':
        for r in rewards:
            G = r + GAMMA * G
            out.append(G)
        return out
    for r in reversed(rewards):
        G = r + GAMMA * G
        out.insert(0, G)
    return out


def test(n=20):
    wins = 0
    for k in range(n):
        s, _ = test_env.reset(seed=500 + k)
        over = False
        while not over:
            with torch.no_grad():
                a = policy_net(torch.from_numpy(featurize(s))).argmax().item()
            s, r, terminated, truncated, _ = test_env.step(a)
            over = terminated or truncated
        wins += r
    return wins / n


total_steps, batch_no, episode_no = 0, 0, 0
S, A, G = [], [], []
history = []
env.reset(seed=args.seed)
while total_steps < args.steps:
    if fault != 'f05':
        S, A, G = [], [], []
    lengths = []
    for _ in range(EPISODES_PER_BATCH):
        states, actions, rewards = run_episode()
        S += states
        A += actions
        G += reward_to_go(rewards)
        history.append(sum(rewards))
        lengths.append(len(rewards))
        total_steps += len(rewards)
        episode_no += 1
    obs = torch.from_numpy(np.array(S))
    act = torch.tensor(A)
    ret = torch.tensor(G, dtype=torch.float32)

    baseline = value_net(obs).squeeze(1)
    advantage = ret - baseline.detach()
    if fault == 'f06':
        advantage = baseline.detach() - ret
    logits = policy_net(obs)
    logp_all = F.log_softmax(logits, dim=1)
    logp = logp_all.gather(1, act.unsqueeze(1)).squeeze(1)
    entropy = -(logp_all.exp() * logp_all).sum(1).mean()
    policy_loss = -(logp * advantage).mean() - BETA * entropy
    value_loss = F.mse_loss(baseline, ret)

    if fault != 'f07':
        policy_opt.zero_grad()
    policy_loss.backward()
    policy_opt.step()
    value_opt.zero_grad()
    value_loss.backward()
    value_opt.step()

    batch_no += 1
    if batch_no % 20 == 0:
        print('Batch %4d  episodes %5d  steps %6d  avg reward %.3f  avg len %.1f  policy loss %.4f  value loss %.4f  entropy %.3f  test %.2f' % (
            batch_no, episode_no, total_steps, np.mean(history[-200:]), np.mean(lengths),
            policy_loss.item(), value_loss.item(), entropy.item(), test()))
print('final average reward over the last 200 episodes:', np.mean(history[-200:]))
