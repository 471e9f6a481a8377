"""A trained agent on its own: the episodes that it plays, and what it says to given observations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.comparison import AgentAnswers, AgentEvaluation
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, make_flattener, unflatten_rows

EPISODES = 10
FIRST_SEED = 100_000
"""Evaluations begin from seeds that no training is likely to have used; they are the same for every agent."""

MOST_STEPS = 20_000
DRAWS = 12
FORGOTTEN = 0.05
"""What lies behind a cut matters no more once its weight is below this."""


class AskedAgent:
    """One agent, its environment's spaces and its discount."""

    def __init__(self, agent: Any, environment: Environment, gamma: float) -> None:
        self._agent, self._environment, self._gamma = agent, environment, gamma
        self._forget: Callable[[], Any] = getattr(agent, "reset", lambda: None)
        self._takes_mask = "action_mask" in _read_parameters(agent.act)
        self._flat = make_flattener(environment.action)
        self._discrete = environment.action.kind == "discrete"
        self._choices = _list_choices(environment.action) if self._discrete else []

    def evaluated(self) -> AgentEvaluation:
        """Plays whole episodes; what would take far too long is cut and counted as it stands."""
        returns, lengths, promises, cut, steps = [], [], [], 0, 0
        for episode in range(EPISODES):
            rewards, promised, whole = self._episode(FIRST_SEED + episode, MOST_STEPS - steps)
            returns.append(float(sum(rewards)))
            lengths.append(len(rewards))
            cut += whole is None
            steps += len(rewards)
            if promised is not None and (whole or self._gamma ** len(rewards) < FORGOTTEN):
                promises.append((promised, self._discounted(rewards)))
            if steps >= MOST_STEPS:
                break
        return AgentEvaluation(
            returns=tuple(returns),
            lengths=tuple(lengths),
            promised=tuple(promised for promised, _ in promises),
            discounted=tuple(discounted for _, discounted in promises),
            cut=cut,
        )

    def _episode(self, seed: int, most: int) -> tuple[list[float], float | None, bool | None]:
        """Its rewards, the value that it began with, and whether it ended by itself; None where it was cut here."""
        observation, info = self._environment.reset(seed=seed)
        self._forget()
        promised = self.value(observation)
        rewards: list[float] = []
        while len(rewards) < most:
            observation, reward, terminated, truncated, info = self._environment.step(self._acted(observation, info))
            rewards.append(float(reward))
            if terminated or truncated:
                return rewards, promised, bool(terminated)
        return rewards, promised, None

    def _acted(self, observation: Any, info: Any) -> Any:
        if self._takes_mask and "action_mask" in info:
            return self._agent.act(observation, action_mask=info["action_mask"])
        return self._agent.act(observation)

    def _discounted(self, rewards: list[float]) -> float:
        return float(np.dot(rewards, self._gamma ** np.arange(len(rewards))))

    def value(self, observation: Any) -> float | None:
        """The value of a state, by `value` or else by `q`."""
        agent = self._agent
        if hasattr(agent, "value"):
            return _read_number(agent.value(observation))
        if not hasattr(agent, "q"):
            return None
        if self._discrete:
            return float(np.max(np.asarray(agent.q(observation), float)))
        return _read_number(agent.q(observation, agent.act(observation)))

    def answers(self, rows: Array) -> AgentAnswers:
        """What it says to each observation, each taken as the first of an episode."""
        agent, seen = self._agent, unflatten_rows(self._environment.observation, rows)
        actions = [self._fresh(agent.act, observation) for observation in seen]
        values = [self._fresh(self.value, observation) for observation in seen]
        pairs = list(zip(seen, actions, strict=True))
        return AgentAnswers(
            actions=tuple(tuple(np.asarray(self._flat(action), float).reshape(-1).tolist()) for action in actions),
            values=tuple(value for value in values if value is not None),
            q=tuple(self._each(seen)) if self._discrete and hasattr(agent, "q") else (),
            log_probs=tuple(_read_number(agent.log_prob(*pair)) for pair in pairs)
            if hasattr(agent, "log_prob")
            else (),
            entropies=tuple(self._entropies(seen)) if hasattr(agent, "sample") else (),
        )

    def _fresh(self, answer: Callable[[Any], Any], observation: Any) -> Any:
        self._forget()
        return answer(observation)

    def _each(self, seen: list[Any]) -> Iterator[tuple[float, ...]]:
        for observation in seen:
            yield tuple(np.asarray(self._fresh(self._agent.q, observation), float).reshape(-1).tolist())

    def _entropies(self, seen: list[Any]) -> Iterator[float]:
        """By log-probabilities where they are told, of all choices or of samples; else by how often each is drawn."""
        told = hasattr(self._agent, "log_prob")
        for observation in seen if told or self._discrete else ():
            if told and self._discrete:
                logs = np.array([_read_number(self._agent.log_prob(observation, choice)) for choice in self._choices])
                yield -float(np.sum(np.exp(logs) * logs))
                continue
            drawn = [self._fresh(self._agent.sample, observation) for _ in range(DRAWS)]
            if told:
                yield -float(np.mean([_read_number(self._agent.log_prob(observation, action)) for action in drawn]))
            else:
                shares = np.unique([int(_read_number(action)) for action in drawn], return_counts=True)[1] / DRAWS
                yield -float(np.sum(shares * np.log(shares)))


def make_asked_agent(agent: Any, make: Callable[[], Any], gamma: float) -> AskedAgent:
    """The agent in an environment of its own."""
    return AskedAgent(agent, adapt_environment(make()), gamma)


def _list_choices(space: Space) -> list[Any]:
    return [np.int64(space.first[0] + choice) for choice in range(space.choices[0])]


def _read_parameters(function: Any) -> Any:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _read_number(value: Any) -> float:
    return float(np.asarray(value, float).reshape(-1)[0])
