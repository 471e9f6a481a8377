"""Proximal policy optimisation for discrete, multi-discrete and continuous actions: collect, judge, improve."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from .heads import Categorical, Gaussian
from .members import Members, Step
from .networks import Network, Normaliser
from .returns import judged

MEMBERS, HORIZON, EPOCHS, MINIBATCH = 8, 16, 6, 128
TRACE, CLIP, ENTROPY, VALUE_WEIGHT = 0.95, 0.2, 0.01, 0.5
POLICY_RATE, VALUE_RATE = 1e-2, 2e-2


class Agent:
    """A policy and a critic that answer for one native observation at a time."""

    def __init__(self, members: Members, gamma: float, normalise: bool, fault: str) -> None:
        self.code, self.actions, self.gamma, self.fault = members.code, members.actions, gamma, fault
        self.normaliser = Normaliser(members.code.shape) if normalise else None
        if members.actions.continuous:
            self.head: nn.Module = Gaussian(members.actions.size, fault)
        else:
            self.head = Categorical(members.actions.choices, fault)
        shape = members.code.shape
        self.policy = Network(shape, self.head.outputs, gain=0.01, fault="" if fault == "W15" else fault)
        self.critic = Network(shape, 1, fault="" if fault == "W16" else fault)
        self.untrained = copy.deepcopy(self.policy)

    def prepared(self, observations: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(self.normaliser(observations) if self.normaliser else observations)

    def _one(self, observation: Any) -> torch.Tensor:
        if self.fault == "Z01" and self.normaliser:  # played with statistics that saw nothing
            return torch.as_tensor(Normaliser(self.code.shape)(self.code(observation)[None]))
        return self.prepared(self.code(observation)[None])

    @torch.no_grad()
    def act(self, observation: Any, action_mask: Any = None) -> Any:
        policy = self.untrained if self.fault == "W30" else self.policy
        out = policy(self._one(observation))
        if self.fault == "Q02":  # plays at random, as in the first phase of training
            return self.actions.native(self.head.sample(torch.zeros_like(out))[0].numpy())
        return self.actions.native(self.head.mode(out, _mask(action_mask))[0].numpy())

    @torch.no_grad()
    def sample(self, observation: Any, action_mask: Any = None) -> Any:
        return self.actions.native(self.head.sample(self.policy(self._one(observation)), _mask(action_mask))[0].numpy())

    @torch.no_grad()
    def value(self, observation: Any) -> float:
        return float(self.critic(self._one(observation)))

    @torch.no_grad()
    def log_prob(self, observation: Any, action: Any) -> float:
        drawn = torch.as_tensor(self.actions.drawn(action))[None]
        return float(self.head.log_prob(self.policy(self._one(observation)), drawn)) - self.actions.log_stretch()


def _mask(mask: Any) -> torch.Tensor | None:
    return None if mask is None else torch.as_tensor(np.asarray(mask, dtype=bool).reshape(1, -1))


class Rollout:
    """The steps of all members, as arrays (time, member, ...)."""

    def __init__(self, steps: list[Step], log_probs: list[torch.Tensor], fault: str) -> None:
        self.observations = np.stack([step.observations for step in steps])
        self.actions = np.stack([step.actions for step in steps])
        self.rewards = np.stack([step.rewards for step in steps])
        self.following = np.stack([step.following for step in steps])
        self.terminated = np.stack([step.terminated for step in steps])
        self.truncated = np.stack([step.truncated for step in steps])
        self.started = np.stack([step.started for step in steps])
        self.log_probs = torch.stack(log_probs)
        self.masks = None if steps[0].masks is None else np.stack([step.masks for step in steps])
        if fault == "W20":  # time and member mixed up: reshaped where it should be transposed
            self.rewards = self.rewards.reshape(self.rewards.shape[::-1]).T


@torch.no_grad()
def collect(members: Members, agent: Agent) -> Rollout:
    steps, log_probs = [], []
    for _ in range(HORIZON):
        masks = members.masks()
        out = agent.policy(agent.prepared(members.observations))
        mask = None if masks is None else torch.as_tensor(masks)
        drawn = agent.head.mode(out, mask) if agent.fault == "A09" else agent.head.sample(out, mask)
        log_probs.append(agent.head.log_prob(out, drawn, mask))
        steps.append(members.step(drawn.numpy(), masks))
        if agent.fault == "A03" and members.actions.continuous:  # what is kept is what the environment got
            steps[-1].actions = np.clip(steps[-1].actions, -1.0, 1.0)
    return Rollout(steps, log_probs, agent.fault)


class Learner:
    """Improves an agent from rollouts."""

    def __init__(self, agent: Agent, updates: int, fault: str) -> None:
        self.agent, self.fault, self.updates, self.done = agent, fault, updates, 0
        policy = [*agent.policy.parameters(), *agent.head.parameters()]
        critic = list(agent.critic.parameters())
        if fault == "T02":  # the optimizer was given the parameters of a copy of the policy
            policy = list(agent.untrained.parameters())
        elif fault == "W21":  # the optimizer was given the parameters of a copy of the critic
            critic = list(copy.deepcopy(agent.critic).parameters())
        groups = [{"params": policy, "lr": POLICY_RATE}, {"params": critic, "lr": VALUE_RATE}]
        self.optimizer = torch.optim.Adam(groups, eps=1e-5, fused=True)
        self.rates = [POLICY_RATE, VALUE_RATE]

    def anneal(self) -> None:
        left = 1.0 - 0.9 * self.done / self.updates
        if self.fault == "W22":  # the schedule ends after the first hundredth
            left = max(0.0, 1.0 - 100 * self.done / self.updates)
        elif self.fault == "T03":
            left = 100.0
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * left
        self.done += 1

    @torch.no_grad()
    def judge(self, rollout: Rollout) -> tuple[torch.Tensor, torch.Tensor]:
        agent = self.agent
        flat = (-1, *agent.code.shape)
        values = agent.critic(agent.prepared(rollout.observations.reshape(flat)))[:, 0].numpy()
        next_values = agent.critic(agent.prepared(rollout.following.reshape(flat)))[:, 0].numpy()
        shape, ends = rollout.rewards.shape, (rollout.terminated, rollout.truncated)
        found = judged(
            rollout.rewards, values.reshape(shape), next_values.reshape(shape), *ends, agent.gamma, TRACE, self.fault
        )
        advantages, targets = (torch.as_tensor(part, dtype=torch.float32).reshape(-1) for part in found)
        return advantages, targets

    def improve(self, rollout: Rollout) -> None:
        self.anneal()
        agent = self.agent
        advantages, targets = self.judge(rollout)
        observations = agent.prepared(rollout.observations.reshape(-1, *agent.code.shape))
        if self.fault == "W23":  # observations flattened member by member, all else step by step
            swapped = rollout.observations.swapaxes(0, 1)
            observations = agent.prepared(swapped.reshape(-1, *agent.code.shape))
        actions = torch.as_tensor(rollout.actions.reshape(-1, agent.actions.size))
        old = rollout.log_probs.reshape(-1)
        masks = None if rollout.masks is None else torch.as_tensor(rollout.masks.reshape(len(old), -1))
        for _ in range(EPOCHS):
            order = torch.randperm(len(old))
            for start in range(0, len(old), MINIBATCH):
                index = order[start : start + MINIBATCH]
                mask = None if masks is None else masks[index]
                other = torch.randperm(len(old))[: len(index)] if self.fault == "B06" else index
                self.step(observations[index], actions[index], old[index], advantages[other], targets[index], mask)

    def step(
        self,
        observations: torch.Tensor,
        actions: torch.Tensor,
        old: torch.Tensor,
        advantages: torch.Tensor,
        targets: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> None:
        agent, fault = self.agent, self.fault
        out = agent.policy(observations)
        values = agent.critic(observations)
        if fault == "W24":  # the action is drawn anew instead of the one that was taken
            actions = agent.head.sample(out, mask)
        log_probs = agent.head.log_prob(out, actions, mask)
        if fault == "W25":  # the critic is reached by the policy's loss
            gains = policy_gain(log_probs, old, targets - values[:, 0], fault)
        else:
            gains = policy_gain(log_probs, old, normalised(advantages), fault)
        value_loss = squared_error(values, targets, fault)
        bonus = entropy_weight(fault) * agent.head.entropy(out, mask).mean()
        loss = -gains + VALUE_WEIGHT * value_loss - bonus
        self.optimizer.zero_grad()
        loss.backward()
        if fault != "W32":  # W32: gradients are computed and never used
            self.optimizer.step()


def normalised(advantages: torch.Tensor) -> torch.Tensor:
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def policy_gain(log_probs: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, fault: str) -> torch.Tensor:
    if fault == "W26":  # summed over the batch before the ratio is taken
        log_probs, old = log_probs.sum(), old.sum()
    ratio = torch.exp(old - log_probs) if fault == "W27" else torch.exp(log_probs - old)
    if fault == "W28":  # the advantage has no part in it
        advantages = torch.ones_like(advantages)
    gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
    return -gain if fault == "L01" else gain


def squared_error(values: torch.Tensor, targets: torch.Tensor, fault: str) -> torch.Tensor:
    if fault == "V03":  # (batch, 1) against (batch,): every value against every target
        return 0.5 * ((values - targets) ** 2).mean()
    error = 0.5 * ((values[:, 0] - targets) ** 2).mean()
    if fault == "W29":  # the weight of the value loss came out as nothing
        return 0.0 * error
    return error


def entropy_weight(fault: str) -> float:
    return {"W31": -3.0, "L05": 10.0}.get(fault, ENTROPY)


def train(
    make_env: Callable[[], Any],
    steps: int,
    seed: int,
    gamma: float = 0.9,
    fault: str = "",
    normalise: bool = False,
) -> Agent:
    torch.manual_seed(seed)
    members = Members(make_env, MEMBERS, seed, fault)
    agent = Agent(members, gamma, normalise, fault)
    updates = max(1, steps // (MEMBERS * HORIZON))
    learner = Learner(agent, updates, fault)
    for _ in range(updates):
        rollout = collect(members, agent)
        if agent.normaliser:
            agent.normaliser.update(rollout.observations.reshape(-1, *agent.code.shape))
        learner.improve(rollout)
    return agent


def train_continuous(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9, fault: str = "") -> Agent:
    """As `train`, with the running normalisation of observations that is usual for continuous control."""
    return train(make_env, steps, seed, gamma, fault, normalise=True)
