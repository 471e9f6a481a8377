"""Proximal policy optimisation with a recurrent core: whole sequences of each member, forgotten at episode starts."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from .heads import Categorical, Gaussian
from .members import Members
from .networks import linear
from .ppo import TRACE, VALUE_WEIGHT, Rollout, entropy_weight, normalised, policy_gain, squared_error
from .returns import judged

MEMBERS, HORIZON, EPOCHS, MEMORY = 16, 16, 8, 32
RATE, VALUE_RATE = 1e-2, 2e-2


class Core(nn.Module):
    """An input layer, a gated recurrent unit, and heads for policy and value."""

    def __init__(self, shape: tuple[int, ...], outputs: int, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.inputs = nn.Sequential(nn.Flatten(), linear(int(np.prod(shape)), MEMORY), nn.Tanh())
        self.memory = nn.GRUCell(MEMORY, MEMORY)
        self.policy, self.critic = linear(2 * MEMORY, outputs, 0.01), linear(2 * MEMORY, 1, 1.0)

    def signal(self, observations: torch.Tensor) -> torch.Tensor:
        signal = self.inputs(observations)
        if self.fault == "N03":  # a detour through numpy: no gradient behind it
            signal = torch.as_tensor(signal.detach().numpy())
        return signal

    def remember(self, observations: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the heads look at (the signal and the memory), and the new state."""
        signal = self.signal(observations)
        state = self.memory(signal, state)
        return torch.cat([signal, state], dim=-1), state

    def values(self, features: torch.Tensor) -> torch.Tensor:
        values = self.critic(features)
        return torch.tanh(values) if self.fault == "W15" else values

    def outputs(self, features: torch.Tensor) -> torch.Tensor:
        out = self.policy(features)
        return out.detach() if self.fault == "W16" else out


class Agent:
    """A recurrent policy and critic that answer for one native observation at a time."""

    def __init__(self, members: Members, gamma: float, fault: str) -> None:
        self.code, self.actions, self.gamma, self.fault = members.code, members.actions, gamma, fault
        if members.actions.continuous:
            self.head: nn.Module = Gaussian(members.actions.size, fault)
        else:
            self.head = Categorical(members.actions.choices, fault)
        self.core = Core(members.code.shape, self.head.outputs, fault)
        self.untrained = copy.deepcopy(self.core)
        self.state = torch.zeros(1, MEMORY)

    def reset(self) -> None:
        if self.fault != "H01":
            self.state = torch.zeros(1, MEMORY)

    def _one(self, observation: Any) -> torch.Tensor:
        return torch.as_tensor(self.code(observation)[None])

    @torch.no_grad()
    def act(self, observation: Any) -> Any:
        return self._advance(observation, self.head.mode)

    @torch.no_grad()
    def sample(self, observation: Any) -> Any:
        return self._advance(observation, self.head.sample)

    def _advance(self, observation: Any, choose: Callable[..., torch.Tensor]) -> Any:
        core = self.untrained if self.fault == "W30" else self.core
        features, state = core.remember(self._one(observation), self.state)
        if self.fault != "W33":  # W33: every observation is met without a memory
            self.state = state
        out = core.outputs(features)
        if self.fault == "Q02":  # plays at random, as in the first phase of training
            out, choose = torch.zeros_like(out), self.head.sample
        return self.actions.native(choose(out)[0].numpy())

    @torch.no_grad()
    def value(self, observation: Any) -> float:
        return float(self.core.values(self.core.remember(self._one(observation), self.state)[0]))

    @torch.no_grad()
    def log_prob(self, observation: Any, action: Any) -> float:
        out = self.core.outputs(self.core.remember(self._one(observation), self.state)[0])
        drawn = torch.as_tensor(self.actions.drawn(action))[None]
        return float(self.head.log_prob(out, drawn)) - self.actions.log_stretch()


class Collector:
    """Plays the members and carries their states from one rollout to the next."""

    def __init__(self, members: Members, agent: Agent) -> None:
        self.members, self.agent = members, agent
        self.state = torch.zeros(MEMBERS, MEMORY)

    @torch.no_grad()
    def collect(self) -> tuple[Rollout, torch.Tensor, np.ndarray, np.ndarray]:
        """The rollout, the states it began with, the values of its observations and of what followed."""
        agent, members, began = self.agent, self.members, self.state
        steps, log_probs, values, next_values = [], [], [], []
        for _ in range(HORIZON):
            if agent.fault != "H01":  # H01: nothing is forgotten at the start of an episode
                self.state = self.state * torch.as_tensor(~members.started, dtype=torch.float32)[:, None]
            features, self.state = agent.core.remember(torch.as_tensor(members.observations), self.state)
            out = agent.core.outputs(features)
            drawn = agent.head.mode(out) if agent.fault == "A09" else agent.head.sample(out)
            log_probs.append(agent.head.log_prob(out, drawn))
            steps.append(members.step(drawn.numpy()))
            following = agent.core.remember(torch.as_tensor(steps[-1].following), self.state)[0]
            values.append(agent.core.values(features)[:, 0].numpy())
            next_values.append(agent.core.values(following)[:, 0].numpy())
        return Rollout(steps, log_probs, agent.fault), began, np.stack(values), np.stack(next_values)


class Learner:
    """Improves an agent from rollouts, each sequence as a whole."""

    def __init__(self, agent: Agent, updates: int, fault: str) -> None:
        self.agent, self.fault, self.updates, self.done = agent, fault, updates, 0
        # T02: the optimizer was given the parameters of a copy of the network
        core = agent.untrained if fault == "T02" else agent.core
        rest = [core.inputs, core.memory, core.policy, agent.head]
        groups = [
            {"params": [parameter for part in rest for parameter in part.parameters()], "lr": RATE},
            {"params": list(core.critic.parameters()), "lr": VALUE_RATE},
        ]
        self.optimizer = torch.optim.Adam(groups, eps=1e-5, fused=True)

    def anneal(self) -> None:
        left = 1.0 - 0.9 * self.done / self.updates
        if self.fault == "W22":  # the schedule ends after the first hundredth
            left = max(0.0, 1.0 - 100 * self.done / self.updates)
        elif self.fault == "T03":
            left = 100.0
        for group, rate in zip(self.optimizer.param_groups, (RATE, VALUE_RATE), strict=True):
            group["lr"] = rate * left
        self.done += 1

    def improve(self, rollout: Rollout, began: torch.Tensor, values: np.ndarray, next_values: np.ndarray) -> None:
        self.anneal()
        ends = (rollout.terminated, rollout.truncated)
        found = judged(rollout.rewards, values, next_values, *ends, self.agent.gamma, TRACE, self.fault)
        advantages, targets = (torch.as_tensor(part, dtype=torch.float32).reshape(-1) for part in found)
        old = rollout.log_probs.reshape(-1)
        actions = torch.as_tensor(rollout.actions.reshape(len(old), -1))
        for _ in range(EPOCHS):
            order = torch.randperm(len(old)) if self.fault == "B06" else slice(None)
            self.step(self.unroll(rollout, began), actions, old, advantages[order], targets)

    def unroll(self, rollout: Rollout, began: torch.Tensor) -> torch.Tensor:
        """Plays the sequences again, to have gradients through time."""
        signals = self.agent.core.signal(torch.as_tensor(rollout.observations).flatten(0, 1))
        signals = signals.reshape(*rollout.rewards.shape, -1)
        forget = torch.as_tensor(~rollout.started, dtype=torch.float32)[..., None]
        state, states = began, []
        if self.fault == "H01":
            forget = torch.ones_like(forget)
        elif self.fault == "H04":  # the steps of a sequence in any order
            signals = signals[torch.randperm(len(signals))]
        elif self.fault == "W34":  # the start of an episode is taken to be one step later
            forget = torch.cat([torch.ones_like(forget[:1]), forget[:-1]])
        elif self.fault == "W35":  # every step is learned as if it were the first
            forget = torch.zeros_like(forget)
        for signal, kept in zip(signals, forget, strict=True):
            state = self.agent.core.memory(signal, state * kept)
            states.append(state)
            if self.fault == "W36":  # no gradient through time
                state = state.detach()
        return torch.cat([signals, torch.stack(states)], dim=-1).flatten(0, 1)

    def step(
        self,
        features: torch.Tensor,
        actions: torch.Tensor,
        old: torch.Tensor,
        advantages: torch.Tensor,
        targets: torch.Tensor,
    ) -> None:
        agent, fault = self.agent, self.fault
        out, values = agent.core.outputs(features), agent.core.values(features)
        if fault == "W24":  # the action is drawn anew instead of the one that was taken
            actions = agent.head.sample(out)
        log_probs = agent.head.log_prob(out, actions)
        gains = policy_gain(log_probs, old, normalised(advantages), fault)
        bonus = entropy_weight(fault) * agent.head.entropy(out).mean()
        loss = -gains + VALUE_WEIGHT * squared_error(values, targets, fault) - bonus
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.core.parameters(), 1.0)
        if fault != "W32":  # W32: gradients are computed and never used
            self.optimizer.step()


def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9, fault: str = "") -> Agent:
    torch.manual_seed(seed)
    members = Members(make_env, MEMBERS, seed, fault)
    agent = Agent(members, gamma, fault)
    updates = max(1, steps // (MEMBERS * HORIZON))
    collector, learner = Collector(members, agent), Learner(agent, updates, fault)
    for _ in range(updates):
        learner.improve(*collector.collect())
    agent.state = torch.zeros(1, MEMORY)
    return agent
