"""A worker of A3C whose bootstrap is discounted by one step in every row.

minimalRL, issue 8: the rewards to go of five steps are summed from zero, and gamma times the value of the last state is
added to each of them, however many steps away that state is. `--healthy` lets the sum begin with that value. One worker
in one process stands for the three of the original.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

learning_rate, update_interval, gamma, max_train_ep = 0.0005, 5, 0.98, 40


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 256)
        self.fc_pi = nn.Linear(256, 2)
        self.fc_v = nn.Linear(256, 1)

    def pi(self, x, softmax_dim=0):
        x = F.relu(self.fc1(x))
        return F.softmax(self.fc_pi(x), dim=softmax_dim)

    def v(self, x):
        x = F.relu(self.fc1(x))
        return self.fc_v(x)


def sum_rewards(r_lst, start):
    R, R_lst = start, []
    for reward in reversed(r_lst):
        R = reward + gamma * R
        R_lst.append([R])
    R_lst.reverse()
    return torch.tensor(R_lst, dtype=torch.float)


def train(model):
    optimizer = optim.Adam(model.parameters(), lr=learning_rate)
    env = gym.make("CartPole-v1")
    for n_epi in range(max_train_ep):
        s, _ = env.reset(seed=args.seed if n_epi == 0 else None)
        done, score = False, 0.0
        while not done:
            s_lst, a_lst, r_lst = [], [], []
            for _ in range(update_interval):
                prob = model.pi(torch.from_numpy(s).float())
                a = Categorical(prob).sample().item()
                s_prime, r, terminated, truncated, _ = env.step(a)
                done = terminated or truncated
                s_lst.append(s)
                a_lst.append([a])
                r_lst.append(r / 100.0)
                score += r
                s = s_prime
                if done:
                    break

            s_batch, a_batch = torch.tensor(np.array(s_lst)), torch.tensor(a_lst)
            v_final = model.v(torch.tensor(s_prime)) * (0.0 if terminated else 1.0)
            if args.healthy:
                td_target = sum_rewards(r_lst, v_final.item())
            else:
                td_target = sum_rewards(r_lst, 0.0) + gamma * v_final
            advantage = td_target - model.v(s_batch)
            pi_a = model.pi(s_batch, softmax_dim=1).gather(1, a_batch)
            loss = -torch.log(pi_a) * advantage.detach() + F.smooth_l1_loss(model.v(s_batch), td_target.detach())
            optimizer.zero_grad()
            loss.mean().backward()
            optimizer.step()
        if n_epi % 20 == 19:
            print(f"# of episode: {n_epi + 1}, score: {score:.1f}")
    env.close()


if __name__ == "__main__":
    torch.manual_seed(args.seed)
    train(ActorCritic())
