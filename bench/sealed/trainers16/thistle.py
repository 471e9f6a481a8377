# Policy gradients from scratch: REINFORCE with a learned baseline on CartPole.
#
# We play a few whole episodes, compute the return that followed each step, subtract what
# the baseline expected, and push up the log-probability of what turned out better.
import argparse

import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=100_000)
parser.add_argument("--seed", type=int, default=3)
parser.add_argument("--fault", type=str, default="")
args = parser.parse_args()
FAULT = args.fault

torch.set_num_threads(1)
torch.manual_seed(args.seed)

# Hyperparameters
GAMMA = 0.99
LEARNING_RATE = 6e-3
STEPS_PER_UPDATE = 1500
UPDATES = max(1, args.steps // (STEPS_PER_UPDATE + 200))


class PolicyNet(nn.Module):
    """Takes a state, gives the probability of each action."""

    def __init__(self, n_states, n_actions):
        super().__init__()
        self.fc1 = nn.Linear(n_states, 64)
        self.fc2 = nn.Linear(64, n_actions)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        return F.softmax(self.fc2(x), dim=0 if FAULT == "f02" else -1)


class BaselineNet(nn.Module):
    """Takes a state, gives the return to expect from it."""

    def __init__(self, n_states):
        super().__init__()
        self.fc1 = nn.Linear(n_states, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 1)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        x = torch.tanh(self.fc2(x))
        return self.fc3(x).squeeze(-1)


# Step 1: the environment and the networks
env = gym.make("CartPole-v1")
n_states = env.observation_space.shape[0]
n_actions = int(env.action_space.n)

policy = PolicyNet(n_states, n_actions)
baseline = BaselineNet(n_states)
optimizer = torch.optim.Adam(
    [
        {"params": policy.parameters(), "lr": LEARNING_RATE},
        {"params": baseline.parameters(), "lr": 2 * LEARNING_RATE},
    ]
)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: max(0.0, 1.0 - k / UPDATES))


# Step 2: play one episode and remember everything
def play_episode(memory):
    state, _ = env.reset()
    total = 0.0
    while True:
        state = torch.as_tensor(state, dtype=torch.float32)
        with torch.no_grad():
            probs = policy(state)
        action = Categorical(probs).sample()
        move = probs.argmax() if FAULT == "f05" else action
        next_state, reward, terminated, truncated, _ = env.step(move.item())
        total += reward

        memory["states"].append(state)
        memory["actions"].append(action)
        memory["rewards"].append(float(reward))
        memory["ends"].append(terminated or truncated)
        # when the clock ran out, the pole would have stayed up for longer
        rest = 0.0
        if truncated and not terminated:
            with torch.no_grad():
                rest = baseline(torch.as_tensor(next_state, dtype=torch.float32)).item()
        memory["rest"].append(rest)

        state = next_state
        if terminated or truncated:
            return total


# Step 3: the return that followed each step
def compute_returns(memory):
    returns = []
    g = 0.0
    for reward, end, rest in zip(reversed(memory["rewards"]), reversed(memory["ends"]), reversed(memory["rest"])):
        if end and FAULT != "f01":
            g = rest
        g = reward + GAMMA * g
        returns.append(g)
    returns.reverse()
    return torch.tensor(returns)


# Step 4: fit the baseline to the returns, then one step of gradient for the policy
SCALE = 50.0


def update(memory):
    states = torch.stack(memory["states"])
    actions = torch.stack(memory["actions"])
    returns = compute_returns(memory)

    # the advantages use the baseline as it was while the episodes were played
    with torch.no_grad():
        advantages = returns - baseline(states)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

    dist = Categorical(probs=policy(states))
    log_probs = dist.log_prob(actions)
    policy_loss = -(log_probs * advantages).mean()
    loss = policy_loss - 0.005 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()

    goal = returns
    if FAULT == "f03":
        goal = (returns - returns.mean()) / (returns.std() + 1e-8)
    for _ in range(10):
        value_loss = F.mse_loss(baseline(states), goal)
        optimizer.zero_grad()
        (value_loss / SCALE).backward()
        optimizer.step()

    return policy_loss.item(), value_loss.item()


def empty_memory():
    return {"states": [], "actions": [], "rewards": [], "ends": [], "rest": []}


# Step 5: repeat
env.reset(seed=args.seed)
steps, episodes, updates = 0, 0, 0
scores = []
memory = empty_memory()
while steps < args.steps:
    score = play_episode(memory)
    scores.append(score)
    steps += int(score)
    episodes += 1

    updated = False
    if len(memory["rewards"]) >= STEPS_PER_UPDATE:
        policy_loss, value_loss = update(memory)
        memory = empty_memory()
        updates += 1
        updated = True
        if updates % 5 == 0:
            average = sum(scores[-50:]) / len(scores[-50:])
            print(
                "Episode {}\tSteps {}\tAverage score {:.1f}\tpolicy loss {:.4f}\tbaseline loss {:.1f}".format(
                    episodes, steps, average, policy_loss, value_loss
                )
            )
    if updated or (FAULT == "f04" and updates > 0):
        scheduler.step()

# Step 6: how good is it without the dice?
results = []
for k in range(10):
    state, _ = env.reset(seed=500 + k)
    total, over = 0.0, False
    while not over:
        with torch.no_grad():
            action = policy(torch.as_tensor(state, dtype=torch.float32)).argmax().item()
        state, reward, terminated, truncated, _ = env.step(action)
        total += reward
        over = terminated or truncated
    results.append(total)
print("Finished after {} episodes; greedy score over 10 episodes: {:.1f}".format(episodes, sum(results) / 10))
env.close()
