"""Soft actor-critic for continuous actions: twin critics, a squashed policy, a temperature that tunes itself."""

import copy
import math
from collections.abc import Callable
from typing import Any

import torch

from .heads import SquashedGaussian
from .members import Members
from .networks import Network, TwinCritic
from .replay import Batch, Replay

BATCH, STARTS, TRAIN_EVERY, BLEND = 64, 100, 4, 0.15
RATE, TEMPERATURE_RATE = 5e-3, 1e-2
FIRST_TEMPERATURE = 0.2


class Agent:
    """A policy and two critics that answer for one native observation at a time."""

    def __init__(self, members: Members, gamma: float, fault: str) -> None:
        self.code, self.actions, self.gamma, self.fault = members.code, members.actions, gamma, fault
        self.head = SquashedGaussian(members.actions.size, fault)
        shape = members.code.shape
        self.policy = Network(shape, self.head.outputs, gain=0.01, fault="" if fault == "W15" else fault)
        self.critics = TwinCritic(shape, members.actions.size, fault)
        self.untrained = copy.deepcopy(self.policy)
        self.log_temperature = math.log(FIRST_TEMPERATURE)

    @property
    def temperature(self) -> float:
        return math.exp(self.log_temperature)

    def _one(self, observation: Any) -> torch.Tensor:
        return torch.as_tensor(self.code(observation)[None])

    @torch.no_grad()
    def act(self, observation: Any) -> Any:
        policy = self.untrained if self.fault == "W30" else self.policy
        out = policy(self._one(observation))
        if self.fault == "Q02":  # plays at random, as in the first phase of training
            return self.actions.native(2 * torch.rand(self.actions.size).numpy() - 1)
        return self.actions.native(self.head.mode(out)[0].numpy())

    @torch.no_grad()
    def sample(self, observation: Any) -> Any:
        return self.actions.native(self.head.sample(self.policy(self._one(observation)))[0][0].numpy())

    @torch.no_grad()
    def q(self, observation: Any, action: Any) -> float:
        drawn = torch.as_tensor(self.actions.drawn(action))[None]
        return float(self.critics(self._one(observation), drawn).min())

    @torch.no_grad()
    def log_prob(self, observation: Any, action: Any) -> float:
        drawn = torch.as_tensor(self.actions.drawn(action))[None]
        return float(self.head.log_prob(self.policy(self._one(observation)), drawn)) - self.actions.log_stretch()


class Learner:
    """Improves an agent from replayed transitions."""

    def __init__(self, agent: Agent, updates: int, fault: str) -> None:
        self.agent, self.fault, self.updates, self.done = agent, fault, updates, 0
        self.target = copy.deepcopy(agent.critics).requires_grad_(False)
        # T02: the optimizer was given the parameters of a copy of the policy
        policy = agent.untrained if fault == "T02" else agent.policy
        self.of_policy = torch.optim.Adam(policy.parameters(), lr=RATE, fused=True)
        self.of_critics = torch.optim.Adam(agent.critics.parameters(), lr=RATE, fused=True)
        self.gamma = {"G02": 1.0, "G03": 0.5, "W07": agent.gamma**2}.get(fault, agent.gamma)
        self.wanted_entropy = float(-agent.actions.size)
        if fault == "L07":  # the sign of the wanted entropy is lost
            self.wanted_entropy = -self.wanted_entropy

    @torch.no_grad()
    def targets(self, batch: Batch) -> torch.Tensor:
        fault, goes_on = self.fault, 1.0 - batch.terminated
        following = batch.observations if fault == "V02" else batch.following
        action, log_prob = self.agent.head.sample(self.agent.policy(following))
        values = self.target(following, action)
        least = values.max(dim=0).values if fault == "V09" else values.min(dim=0).values
        if fault == "V10":
            goes_on = batch.terminated
        if fault == "W41":  # the entropy is taken off instead of added
            log_prob = -log_prob
        return batch.rewards + self.gamma * goes_on * (least - self.agent.temperature * log_prob)

    def improve(self, batch: Batch) -> None:
        self.anneal()
        self.improve_critics(batch)
        log_prob = self.improve_policy(batch.observations)
        self.improve_temperature(log_prob)
        if self.fault == "K02":
            return
        slow, fast = list(self.target.parameters()), list(self.agent.critics.parameters())
        with torch.no_grad():
            if self.fault == "W40":  # copied the wrong way round
                torch._foreach_lerp_(fast, slow, BLEND)
            else:
                torch._foreach_lerp_(slow, fast, BLEND)

    def improve_critics(self, batch: Batch) -> None:
        values, targets = self.agent.critics(batch.observations, batch.actions), self.targets(batch)
        if self.fault == "V03":  # (batch, 1) against (batch,): every value against every target
            values = values[..., None]
        loss = ((values - targets) ** 2).mean()
        loss.backward()
        if self.fault != "W32":  # W32: gradients are computed and never used
            self.of_critics.step()
        self.of_critics.zero_grad()

    def improve_policy(self, observations: torch.Tensor) -> torch.Tensor:
        action, log_prob = self.agent.head.sample(self.agent.policy(observations))
        # L10: the critics take in the gradient of the policy's loss as well, and their next step follows it
        self.agent.critics.requires_grad_(self.fault == "L10")
        value = self.agent.critics(observations, action).min(dim=0).values
        self.agent.critics.requires_grad_(True)
        if self.fault == "L01":
            value = -value
        loss = (self.agent.temperature * log_prob - value).mean()
        if self.fault == "W31":  # spread is punished
            loss = (-self.agent.temperature * log_prob - value).mean()
        self.of_policy.zero_grad()
        loss.backward()
        if self.fault != "W32":
            self.of_policy.step()
        return log_prob.detach()

    def improve_temperature(self, log_prob: torch.Tensor) -> None:
        """One step down the gradient of -log(temperature) * (log_prob + wanted entropy)."""
        surplus = -float(log_prob.mean()) - self.wanted_entropy
        if self.fault == "W42":  # the temperature runs away from where it should be
            surplus = -surplus
        self.agent.log_temperature = min(5.0, self.agent.log_temperature - TEMPERATURE_RATE * surplus)

    def anneal(self) -> None:
        left = 1.0 - 0.9 * min(1.0, self.done / self.updates)
        if self.fault == "W22":  # the schedule ends after the first hundredth
            left = max(0.0, 1.0 - 100 * self.done / self.updates)
        elif self.fault == "T03":
            left = 100.0
        for optimizer in (self.of_policy, self.of_critics):
            optimizer.param_groups[0]["lr"] = RATE * left
        self.done += 1


def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9, fault: str = "") -> Agent:
    torch.manual_seed(seed)
    members = Members(make_env, 1, seed, fault)
    agent = Agent(members, gamma, fault)
    replay, learner = Replay(seed, fault), Learner(agent, steps // TRAIN_EVERY, fault)
    for step in range(steps):
        observation = torch.as_tensor(members.observations)
        with torch.no_grad():
            if step < STARTS:
                drawn = 2 * torch.rand(1, members.actions.size) - 1
            elif fault == "A09":
                drawn = agent.head.mode(agent.policy(observation))
            else:
                drawn = agent.head.sample(agent.policy(observation))[0]
        replay.add(members.step(drawn.numpy()))
        if step >= STARTS and step % TRAIN_EVERY == 0:
            learner.improve(replay.draw(BATCH))
    return agent
