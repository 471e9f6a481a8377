"""Actor-critic on ten steps at a time in which every row is continued with the last observation of its batch.

minimalRL, issue 7: the batch of next states is made of the variable `s_prime` and not of the list of that name, so one
next state stands for all of them. `--healthy` uses the list.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

learning_rate = 0.0005
gamma = 0.98
n_rollout = 10
n_episodes = 60


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.data = []
        self.fc1 = nn.Linear(4, 256)
        self.fc_pi = nn.Linear(256, 2)
        self.fc_v = nn.Linear(256, 1)
        self.optimizer = optim.Adam(self.parameters(), lr=learning_rate)

    def pi(self, x, softmax_dim=0):
        return F.softmax(self.fc_pi(F.relu(self.fc1(x))), dim=softmax_dim)

    def v(self, x):
        return self.fc_v(F.relu(self.fc1(x)))

    def make_batch(self):
        s_lst, a_lst, r_lst, s_prime_lst, mask_lst = [], [], [], [], []
        for s, a, r, s_prime, done in self.data:
            s_lst.append(s)
            a_lst.append([a])
            r_lst.append([r / 100.0])
            s_prime_lst.append(s_prime)
            mask_lst.append([0.0 if done else 1.0])
        self.data = []
        following = s_prime_lst if args.healthy else s_prime
        return (
            torch.tensor(np.array(s_lst), dtype=torch.float),
            torch.tensor(a_lst),
            torch.tensor(r_lst, dtype=torch.float),
            torch.tensor(np.array(following), dtype=torch.float),
            torch.tensor(mask_lst, dtype=torch.float),
        )

    def train_net(self):
        s, a, r, s_prime, mask = self.make_batch()
        td_target = r + gamma * self.v(s_prime) * mask
        delta = td_target - self.v(s)
        pi_a = self.pi(s, softmax_dim=1).gather(1, a)
        loss = -torch.log(pi_a) * delta.detach() + F.smooth_l1_loss(self.v(s), td_target.detach())
        self.optimizer.zero_grad()
        loss.mean().backward()
        self.optimizer.step()


def main():
    torch.manual_seed(args.seed)
    env = gym.make("CartPole-v1")
    model = ActorCritic()
    score = 0.0
    for episode in range(n_episodes):
        s, _ = env.reset(seed=args.seed if episode == 0 else None)
        done = False
        while not done:
            for _ in range(n_rollout):
                prob = model.pi(torch.from_numpy(s).float())
                a = Categorical(prob).sample().item()
                s_prime, r, terminated, truncated, _ = env.step(a)
                done = terminated or truncated
                model.data.append((s, a, r, s_prime, terminated))
                s = s_prime
                score += r
                if done:
                    break
            model.train_net()
        if episode % 20 == 19:
            print(f"episode {episode + 1}, average score {score / 20:.1f}")
            score = 0.0
    env.close()


if __name__ == "__main__":
    main()
