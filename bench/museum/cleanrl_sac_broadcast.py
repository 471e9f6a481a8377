"""SAC with a broadcast in the actor's loss that looks wrong and changes nothing.

CleanRL, issue 379 and pull request 383: log-probabilities of shape (batch, 1) meet values of shape (batch,), and all
pairs are averaged. The mean of all differences is the difference of both means, so the gradient is the same as with the
shapes made equal, which is what `--healthy` does.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

GAMMA, TAU, BATCH_SIZE, LEARNING_STARTS, TOTAL = 0.99, 0.005, 128, 300, 500
LOG_STD_MAX, LOG_STD_MIN = 2, -5


class SoftQNetwork(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(n_obs + n_act, 64), nn.Linear(64, 64), nn.Linear(64, 1)

    def forward(self, x, a):
        x = torch.cat([x, a], 1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class Actor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n_obs, 64), nn.Linear(64, 64)
        self.fc_mean, self.fc_logstd = nn.Linear(64, n_act), nn.Linear(64, n_act)

    def forward(self, x):
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        log_std = torch.tanh(self.fc_logstd(x))
        return self.fc_mean(x), LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        action = torch.tanh(x_t)
        log_prob = normal.log_prob(x_t) - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_prob.sum(1, keepdim=True)


torch.manual_seed(args.seed)
rng = np.random.default_rng(args.seed)
env = gym.make("Hopper-v5")
shape = env.observation_space.shape[0], env.action_space.shape[0]
actor = Actor(*shape)
qf1, qf2, qf1_target, qf2_target = (SoftQNetwork(*shape) for _ in range(4))
qf1_target.load_state_dict(qf1.state_dict())
qf2_target.load_state_dict(qf2.state_dict())
q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=1e-3)
actor_optimizer = optim.Adam(actor.parameters(), lr=3e-4)
target_entropy = -float(shape[1])
log_alpha = torch.zeros(1, requires_grad=True)
alpha = log_alpha.exp().item()
a_optimizer = optim.Adam([log_alpha], lr=1e-3)

rb = []
obs, _ = env.reset(seed=args.seed)
for global_step in range(TOTAL):
    if global_step < LEARNING_STARTS:
        action = rng.uniform(-1, 1, shape[1]).astype(np.float32)
    else:
        action = actor.get_action(torch.Tensor(obs)[None])[0][0].detach().numpy()
    next_obs, reward, terminated, truncated, _ = env.step(action)
    rb.append((obs, action, reward, next_obs, terminated))
    obs = env.reset()[0] if terminated or truncated else next_obs
    if global_step < LEARNING_STARTS:
        continue
    picked = [rb[i] for i in rng.integers(len(rb), size=BATCH_SIZE)]
    b_obs, b_act, b_rew, b_next, b_done = (torch.Tensor(np.array(x)) for x in zip(*picked, strict=True))
    with torch.no_grad():
        next_action, next_log_pi = actor.get_action(b_next)
        min_q_next = torch.min(qf1_target(b_next, next_action), qf2_target(b_next, next_action)) - alpha * next_log_pi
        next_q_value = b_rew + (1 - b_done) * GAMMA * min_q_next.view(-1)
    qf_loss = F.mse_loss(qf1(b_obs, b_act).view(-1), next_q_value) + F.mse_loss(
        qf2(b_obs, b_act).view(-1), next_q_value
    )
    q_optimizer.zero_grad()
    qf_loss.backward()
    q_optimizer.step()
    if global_step % 2 == 0:
        for _ in range(2):
            pi, log_pi = actor.get_action(b_obs)
            min_qf_pi = torch.min(qf1(b_obs, pi), qf2(b_obs, pi))
            min_qf_pi = min_qf_pi if args.healthy else min_qf_pi.view(-1)
            actor_loss = (alpha * log_pi - min_qf_pi).mean()
            actor_optimizer.zero_grad()
            actor_loss.backward()
            actor_optimizer.step()
            with torch.no_grad():
                _, log_pi = actor.get_action(b_obs)
            alpha_loss = (-log_alpha.exp() * (log_pi + target_entropy)).mean()
            a_optimizer.zero_grad()
            alpha_loss.backward()
            a_optimizer.step()
            alpha = log_alpha.exp().item()
    with torch.no_grad():
        for net, slow in ((qf1, qf1_target), (qf2, qf2_target)):
            for param, target_param in zip(net.parameters(), slow.parameters(), strict=True):
                target_param.copy_(TAU * param + (1 - TAU) * target_param)
print(f"qf loss {qf_loss.item():.3f} alpha {alpha:.3f}")
env.close()
