"""PPO over a vector of environments that takes a time limit for the end of the world.

CleanRL, pull request 448 and issue 198: `terminated | truncated` is kept as one flag, so the value of an observation at
which only the clock ran out counts as nothing. `--healthy` adds the discounted value of the last observation there.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--healthy", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

NUM_ENVS, NUM_STEPS, UPDATES, EPOCHS, MINIBATCHES = 4, 128, 4, 4, 4
GAMMA, LAMBDA, CLIP, ENT_COEF, VF_COEF = 0.99, 0.95, 0.2, 0.01, 0.5


def layer(inputs, outputs, std=2**0.5):
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, std)
    nn.init.constant_(made.bias, 0.0)
    return made


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        width, choices = envs.single_observation_space.shape[0], envs.single_action_space.n
        self.critic = nn.Sequential(layer(width, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
        self.actor = nn.Sequential(layer(width, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, choices, 0.01))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        action = probs.sample() if action is None else action
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


torch.manual_seed(args.seed)
envs = gym.vector.SyncVectorEnv(
    [lambda: gym.make("CartPole-v1", max_episode_steps=30) for _ in range(NUM_ENVS)],
    autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
)
agent = Agent(envs)
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)

obs = torch.zeros(NUM_STEPS, NUM_ENVS, 4)
actions = torch.zeros(NUM_STEPS, NUM_ENVS, dtype=torch.long)
logprobs, rewards, dones, values = (torch.zeros(NUM_STEPS, NUM_ENVS) for _ in range(4))

next_obs = torch.Tensor(envs.reset(seed=args.seed)[0])
next_done = torch.zeros(NUM_ENVS)
for update in range(UPDATES):
    for step in range(NUM_STEPS):
        obs[step], dones[step] = next_obs, next_done
        with torch.no_grad():
            actions[step], logprobs[step], _, value = agent.get_action_and_value(next_obs)
        values[step] = value.flatten()
        observation, reward, terminated, truncated, infos = envs.step(actions[step].numpy())
        rewards[step] = torch.tensor(reward)
        if args.healthy:
            for place in np.flatnonzero(truncated & ~terminated):
                with torch.no_grad():
                    last = agent.get_value(torch.Tensor(infos["final_obs"][place])[None])
                rewards[step, place] += GAMMA * last.item()
        next_obs, next_done = torch.Tensor(observation), torch.Tensor(terminated | truncated)

    with torch.no_grad():
        next_value = agent.get_value(next_obs).flatten()
        advantages = torch.zeros_like(rewards)
        lastgaelam = 0
        for t in reversed(range(NUM_STEPS)):
            nextnonterminal = 1.0 - (next_done if t == NUM_STEPS - 1 else dones[t + 1])
            nextvalues = next_value if t == NUM_STEPS - 1 else values[t + 1]
            delta = rewards[t] + GAMMA * nextvalues * nextnonterminal - values[t]
            advantages[t] = lastgaelam = delta + GAMMA * LAMBDA * nextnonterminal * lastgaelam
        returns = advantages + values

    b_obs, b_actions, b_logprobs = obs.reshape(-1, 4), actions.reshape(-1), logprobs.reshape(-1)
    b_advantages, b_returns, b_values = advantages.reshape(-1), returns.reshape(-1), values.reshape(-1)
    for _ in range(EPOCHS):
        for mb in torch.randperm(NUM_ENVS * NUM_STEPS).chunk(MINIBATCHES):
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
            ratio = (newlogprob - b_logprobs[mb]).exp()
            mb_advantages = b_advantages[mb]
            mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
            pg_loss = torch.max(-mb_advantages * ratio, -mb_advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            newvalue = newvalue.view(-1)
            v_clipped = b_values[mb] + (newvalue - b_values[mb]).clamp(-CLIP, CLIP)
            v_loss = 0.5 * torch.max((newvalue - b_returns[mb]) ** 2, (v_clipped - b_returns[mb]) ** 2).mean()
            loss = pg_loss - ENT_COEF * entropy.mean() + VF_COEF * v_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    print(f"update {update}: value loss {v_loss.item():.3f}")
envs.close()
