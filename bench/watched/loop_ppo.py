"""A PPO in one file, in the manner of CleanRL, with switches for faults."""

from __future__ import annotations

import copy

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn
from torch.distributions import Categorical, Independent, Normal

import weaklink

from .estimates import NAMES, advantages
from .world import slope

STEPS, MEMBERS, EPOCHS, BATCH = 64, 2, 4, 64
GAMMA, LAMBDA, CLIP = 0.95, 0.9, 0.2


class Agent(nn.Module):
    def __init__(self, discrete, fault=""):
        super().__init__()
        self.discrete, self.fault = discrete, fault
        self.first, self.second = nn.Linear(2, 16), nn.Linear(16, 16)
        self.head = nn.Linear(16, 2 if discrete else 1)
        self.log_std = None if discrete else nn.Parameter(torch.zeros(1))
        self.critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def policy(self, observations):
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.fault != "T08"):
            inner = torch.tanh(self.first(observations))
            inner = inner.detach() if self.fault == "N03" else inner
            inner = torch.tanh(self.second(inner))
        found = self.head(inner)
        return Categorical(logits=found) if self.discrete else Independent(Normal(found, self.log_std.exp()), 1)

    def get_action_and_value(self, observations, actions=None):
        policy = self.policy(observations)
        actions = policy.sample() if actions is None else actions
        return actions, policy.log_prob(actions), policy.entropy(), self.critic(observations)[:, 0]


class Memory:
    """The columns of a rollout, as lists."""

    NAMES = ("observations", "actions", "executed", "log_probs", "rewards", "values", "terminated", "ended", "final")

    def __init__(self):
        self.clear()

    def clear(self):
        self.rows = {name: [] for name in self.NAMES}

    def add(self, **row):
        for name, value in row.items():
            self.rows[name].append(value)

    def __getitem__(self, name):
        return torch.stack(self.rows[name])


def collected(agent, env, observation, memory, fault):
    """One rollout; returns the observation after it."""
    for _ in range(STEPS):
        with torch.no_grad():
            action, log_prob, _, value = agent.get_action_and_value(observation)
            executed = action if agent.discrete else action.clamp(-1.0, 1.0)
            after, reward, terminated, truncated, infos = env.step(executed.numpy())
            finals = np.array(after)
            for member in np.flatnonzero(infos.get("_final_obs", ())):
                finals[member] = infos["final_obs"][member]
            final = agent.critic(torch.as_tensor(finals))[:, 0]
        memory.add(
            observations=observation,
            actions=executed if fault == "A03" else action,
            executed=executed,
            log_probs=log_prob,
            rewards=torch.as_tensor(reward, dtype=torch.float32),
            values=value,
            terminated=torch.as_tensor(terminated),
            ended=torch.as_tensor(terminated | truncated),
            final=final,
        )
        if fault == "O01":
            observation.copy_(torch.as_tensor(after))
        else:
            observation = torch.as_tensor(after)
    return observation


def train(folder, seed, fault, discrete):
    torch.manual_seed(seed)
    mode = AutoresetMode.NEXT_STEP if fault == "E04" else AutoresetMode.SAME_STEP
    env = SyncVectorEnv([lambda: slope(discrete)] * MEMBERS, autoreset_mode=mode)
    agent = Agent(discrete, fault)
    held = copy.deepcopy(agent) if fault == "T02" else agent
    weights = [*held.first.parameters(), *held.second.parameters(), *held.head.parameters(), *agent.critic.parameters()]
    optimizer = torch.optim.Adam([*weights, *([] if discrete else [agent.log_std])], lr=1e-3)
    acting = copy.deepcopy(agent) if fault == "D01" else agent
    monitor = weaklink.Monitor(folder, config={"algorithm": "ppo"}, sinks=(), tracker="none")
    memory, observation = Memory(), torch.as_tensor(env.reset(seed=seed)[0])
    for update in range(1, 4):
        if fault != "B05":
            memory.clear()
        observation = collected(acting, env, observation, memory, fault)
        made = estimated(memory, fault)
        monitor.rollout(
            update * STEPS * MEMBERS, observations=memory.rows["observations"], actions=memory["actions"],
            sampled_actions=memory["actions"], executed_actions=memory["executed"], log_probs=memory["log_probs"],
            rewards=memory["rewards"], values=memory["values"], terminated=memory["terminated"],
            truncated=memory["ended"] & ~memory["terminated"], last_value=memory["final"][-1],
            final_values=memory["final"], advantages=made[0], returns=made[1], gamma=GAMMA, lam=LAMBDA, policy=agent,
            optimizers=optimizer, epochs=EPOCHS, clip_range=CLIP,
        )  # fmt: skip
        monitor.update(update * STEPS * MEMBERS, **learned(agent, optimizer, memory, made, fault))
    env.close()
    monitor.close()
    return monitor


def estimated(memory, fault):
    columns = [memory[name].numpy() for name in ("rewards", "values", "final", "terminated", "ended")]
    rewards, values, final, terminated, ended = columns
    following = np.concatenate([values[1:], final[-1:]])
    following = np.where(ended, final, following)
    known = fault if fault in NAMES or fault == "E02" else ""
    found = advantages(rewards, values, following, terminated, ended, GAMMA, LAMBDA, known)
    plain = advantages(rewards, values, following, terminated, ended, GAMMA, LAMBDA, "" if known == "G10" else known)
    return torch.as_tensor(found), torch.as_tensor(plain + values)


def learned(agent, optimizer, memory, made, fault):
    """The epochs over one rollout; returns what the monitor is told of them."""
    batch = [memory[name].flatten(0, 1) for name in ("observations", "actions", "log_probs")]
    batch += [each.flatten(0, 1) for each in made]
    kls, clipped, drawn = [], [], None
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch[0])).split(BATCH):
            observations, actions, old, gains, returns = (part[rows] for part in batch)
            gains = gains.roll(1) if fault == "B06" else gains
            _, log_probs, entropy, values = agent.get_action_and_value(observations, actions)
            old = log_probs.detach() if fault == "L02" else old
            ratio = (log_probs - old).exp()
            drawn = drawn or {"log_probs": batch[2][rows], "advantages": gains, "returns": returns}
            scaled = (gains - gains.mean()) / (gains.std() + 1e-8)
            gain = torch.min(scaled * ratio, scaled * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            loss = -gain - 0.01 * entropy.mean() + 0.5 * nn.functional.mse_loss(values, returns)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kls.append(((ratio - 1) - ratio.log()).mean().item())
            clipped.append(((ratio - 1).abs() > CLIP).float().mean().item())
    return {"kl": np.mean(kls), "clip_fraction": np.mean(clipped), "minibatch": drawn, "entropy": entropy.mean()}
