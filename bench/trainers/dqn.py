"""Deep Q-learning: replay, a target network, and an epsilon that falls over the first half."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .members import Members
from .networks import Network
from .replay import Batch, Replay

BATCH, STARTS, TRAIN_EVERY, SYNC_EVERY = 64, 64, 2, 20
FIRST_EPSILON, LAST_EPSILON = 1.0, 0.05
RATE = 5e-3


class Agent:
    """A network of action values that answers for one native observation at a time."""

    def __init__(self, members: Members, gamma: float, fault: str) -> None:
        self.code, self.actions, self.gamma, self.fault = members.code, members.actions, gamma, fault
        self.choices, self.random = members.actions.choices[0], members.random
        self.network = Network(members.code.shape, self.choices, fault=fault)
        self.untrained = copy.deepcopy(self.network)
        self.epsilon = FIRST_EPSILON

    def values(self, network: Network, observations: torch.Tensor) -> torch.Tensor:
        values = network(observations)
        return torch.relu(values) if self.fault == "A02" else values

    @torch.no_grad()
    def q(self, observation: Any) -> np.ndarray:
        return self.values(self.network, torch.as_tensor(self.code(observation)[None]))[0].numpy()

    @torch.no_grad()
    def greedy(self, code: np.ndarray, network: Network) -> int:
        values = self.values(network, torch.as_tensor(code[None]))[0]
        if self.fault == "A01":  # the largest value itself, not its place
            return int(values.max().clamp(0, self.choices - 1))
        return int(values.argmax())

    def act(self, observation: Any) -> Any:
        if self.fault == "Q02":  # plays at random, as in the first phase of training
            return self.actions.native(self.random.integers(self.choices, size=1))
        network = self.untrained if self.fault == "W30" else self.network
        return self.actions.native(np.array([self.greedy(self.code(observation), network)]))

    def sample(self, observation: Any) -> Any:
        return self.actions.native(np.array([self.explore(self.code(observation))]))

    def explore(self, code: np.ndarray) -> int:
        if self.fault != "X01" and self.random.random() < self.epsilon:  # X01: always the best so far
            return int(self.random.integers(self.choices))
        return self.greedy(code, self.network)


class Learner:
    """Improves an agent from replayed transitions."""

    def __init__(self, agent: Agent, updates: int, fault: str) -> None:
        self.agent, self.fault, self.updates, self.done = agent, fault, updates, 0
        self.target = copy.deepcopy(agent.network)
        # T02: the optimizer was given the parameters of the target network
        learned = self.target if fault == "T02" else agent.network
        self.optimizer = torch.optim.Adam(learned.parameters(), lr=RATE, fused=True)
        self.gamma = {"G02": 1.0, "G03": 0.5, "W07": agent.gamma**2}.get(fault, agent.gamma)

    @torch.no_grad()
    def targets(self, batch: Batch) -> torch.Tensor:
        fault, goes_on = self.fault, 1.0 - batch.terminated
        following = batch.observations if fault == "V02" else batch.following
        values = self.agent.values(self.target, following)
        best = values.max(dim=1).values
        if fault == "V10":
            goes_on = batch.terminated
        elif fault == "W37":  # the largest over the batch instead of over the actions
            best = values.max(dim=0).values.max().expand(len(values))
        elif fault == "W38":  # the least promising action is assumed to follow
            best = values.min(dim=1).values
        if fault == "V04":
            return self.gamma * (batch.rewards - best * goes_on)
        return batch.rewards + self.gamma * goes_on * best

    def improve(self, batch: Batch) -> None:
        self.anneal()
        values = self.agent.values(self.agent.network, batch.observations)
        chosen, targets = values.gather(1, batch.actions), self.targets(batch)
        if self.fault == "V03":  # (batch, 1) against (batch,): every value against every target
            loss = ((chosen - targets) ** 2).mean()
        elif self.fault == "W39":  # every action learns what one of them led to
            loss = ((values - targets[:, None]) ** 2).mean()
        else:
            loss = ((chosen[:, 0] - targets) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        if self.fault != "W32":  # W32: gradients are computed and never used
            self.optimizer.step()
        self.sync()

    def anneal(self) -> None:
        left = 1.0 - 0.9 * min(1.0, self.done / self.updates)
        if self.fault == "W22":  # the schedule ends after the first hundredth
            left = max(0.0, 1.0 - 100 * self.done / self.updates)
        elif self.fault == "T03":
            left = 100.0
        self.optimizer.param_groups[0]["lr"] = RATE * left
        self.done += 1

    def sync(self) -> None:
        if self.fault in ("K02", "T02") or self.done % SYNC_EVERY:
            return
        if self.fault == "W40":  # copied the wrong way round
            self.agent.network.load_state_dict(self.target.state_dict())
        else:
            self.target.load_state_dict(self.agent.network.state_dict())


def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9, fault: str = "") -> Agent:
    torch.manual_seed(seed)
    members = Members(make_env, 1, seed, fault)
    agent = Agent(members, gamma, fault)
    replay, learner = Replay(seed, fault), Learner(agent, steps // TRAIN_EVERY, fault)
    for step in range(steps):
        progress = min(1.0, step / (steps / 2))
        agent.epsilon = FIRST_EPSILON + (LAST_EPSILON - FIRST_EPSILON) * progress
        drawn = np.array([[agent.explore(members.observations[0])]])
        replay.add(members.step(drawn))
        if len(replay) >= STARTS and step % TRAIN_EVERY == 0:
            learner.improve(replay.draw(BATCH))
    return agent
