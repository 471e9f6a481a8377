"""REINFORCE with a learned baseline, CartPole. In the manner of the PyTorch examples."""
import argparse
from itertools import count

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

parser = argparse.ArgumentParser(description="PyTorch REINFORCE")
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=36000)
parser.add_argument("--fault", type=str, default="none")
parser.add_argument("--env", type=str, default="CartPole-v1")
parser.add_argument("--episodes-per-update", type=int, default=4)
opts = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(opts.seed)
env = gym.make(opts.env)
eval_env = gym.make(opts.env)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(env.observation_space.shape[0], 64)
        self.action_head = nn.Linear(64, int(env.action_space.n))
        self.value1 = nn.Linear(env.observation_space.shape[0], 64)
        self.value_head = nn.Linear(64, 1)
        # filled while episodes are played, emptied by finish_batch()
        self.log_probs, self.values, self.rewards, self.ends = [], [], [], []

    def forward(self, x):
        logits = self.action_head(torch.tanh(self.affine1(x)))
        value = self.value_head(torch.tanh(self.value1(x))).squeeze(-1)
        return logits, value


policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=5e-3)
total_steps = 0


def preprocess(obs):
    obs = np.asarray(obs, dtype=np.float32)
    if opts.fault == "f02":
        obs = obs / env.observation_space.high
    return torch.from_numpy(obs)


def select_action(obs):
    logits, value = policy(preprocess(obs))
    if opts.fault == "f08":
        temperature = max(0.01, 1.0 - total_steps / (0.02 * opts.steps))
        logits = logits / temperature
    m = Categorical(logits=logits)
    action = m.sample()
    policy.log_probs.append(m.log_prob(action))
    policy.values.append(value)
    if opts.fault == "f03":
        return int(logits.argmax())
    return action.item()


def finish_batch():
    returns, R = [], 0.0
    for r, end in zip(policy.rewards[::-1], policy.ends[::-1]):
        if end is not None:
            R = end  # 0 after a terminal state, the value of the last state after a time limit
        R = r + opts.gamma * R
        returns.append(R)
    if opts.fault != "f01":
        returns = returns[::-1]
    n = len(policy.log_probs)
    returns = torch.tensor(returns[:n], dtype=torch.float32)
    values = torch.stack(policy.values)
    log_probs = torch.stack(policy.log_probs)

    advantage = returns - values.detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    policy_loss = -(log_probs * advantage).mean()
    if opts.fault == "f07":
        policy_loss = (log_probs * advantage).mean()
    if opts.fault == "f06":
        values = values.detach()
    value_loss = F.smooth_l1_loss(values, returns)
    loss = policy_loss + 0.1 * value_loss

    if opts.fault == "f09":
        loss.backward()
        optimizer.zero_grad()
    else:
        optimizer.zero_grad()
        loss.backward()
    optimizer.step()

    del policy.log_probs[:], policy.values[:]
    if opts.fault != "f05":
        del policy.rewards[:], policy.ends[:]
    return policy_loss.item(), value_loss.item()


@torch.no_grad()
def evaluate(n=5):
    totals, total = [], 0.0
    for k in range(n):
        if opts.fault != "f10":
            total = 0.0
        obs, _ = eval_env.reset(seed=7000 + k)
        done = False
        while not done:
            obs, r, terminated, truncated, _ = eval_env.step(int(policy(preprocess(obs))[0].argmax()))
            total += float(r)
            done = terminated or truncated
        totals.append(total)
    return sum(totals) / n


def main():
    global total_steps
    returns, next_print, next_eval = [], 3000, 10000
    pl = vl = float("nan")
    for episode in count(1):
        obs, _ = env.reset(seed=opts.seed if episode == 1 else None)
        ep_reward, done = 0.0, False
        while not done:
            action = select_action(obs)
            obs, reward, terminated, truncated, _ = env.step(action)
            total_steps += 1
            ep_reward += float(reward)
            if opts.fault == "f04":
                reward = np.clip(reward, -1.0, 0.0)
            done = terminated or truncated
            end = None
            if terminated:
                end = 0.0
            elif truncated:
                with torch.no_grad():
                    end = policy(preprocess(obs))[1].item()
            policy.rewards.append(float(reward))
            policy.ends.append(end)
        returns.append(ep_reward)
        if episode % opts.episodes_per_update == 0:
            pl, vl = finish_batch()
        if total_steps >= next_print:
            print(f"Episode {episode}\tsteps {total_steps}\tlast return: {ep_reward:.1f}\t"
                  f"average return: {np.mean(returns[-30:]):.1f}\tpolicy loss {pl:+.4f}\tvalue loss {vl:.3f}",
                  flush=True)
            next_print += 3000
        if total_steps >= next_eval:
            print(f"Episode {episode}\tsteps {total_steps}\tevaluation: {evaluate():.1f}", flush=True)
            next_eval += 10000
        if total_steps >= opts.steps:
            break


if __name__ == "__main__":
    main()
