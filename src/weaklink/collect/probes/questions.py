"""Asking a trained agent about the states of a problem."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from weaklink.base.evidence.outcome import AgentBehaviour, Measure
from weaklink.base.evidence.series import Array
from weaklink.base.reference.backups import right
from weaklink.base.reference.choices import action_values, explored_values
from weaklink.collect.probes.probe import CONTINUOUS, DISCRETE, MASKED, Probe

ASKED_AGAIN = 30
DRAWS = 256
POINTS, OFF_BY = 801, 0.2
LEAST_RIGHT = 0.8
LEAST_BEHAVED = 0.75
CLOSE_TO_TARGET = 0.7
MOST_LUCK = 0.68
"""A guesser that knows nothing is right half of the time; among a few hundred guesses this is out of reach."""

VALUES, Q_VALUES, SAMPLES, RESETS = "value", "q", "sample", "reset"
NARROWEST, WIDEST = 2.0, 1.0
"""Between minus the one and the other lies the entropy of any sensible policy on a range of -1 to 1."""


class AgentQuestions:
    """One agent, one problem."""

    def __init__(self, agent: Any, probe: Probe, gamma: float, behaved: AgentBehaviour, seen: set[int]) -> None:
        self._agent = agent
        self._probe = probe
        self._world = probe.world
        self._gamma = gamma
        self._behaved = behaved
        self._seen = seen
        self._remembers = hasattr(agent, RESETS)
        self._paths = probe.world.paths()

    def measures(self) -> tuple[Measure, ...]:
        """Everything that the agent's answers can be held against."""
        kinds = {
            "value": self._values,
            "q": self._action_values,
            "action": self._actions,
            "distance": self._distances,
            "density": self._density,
            "entropy": self._entropies,
            "temperature": self._softness,
            "chance": self._luck,
            "allowed": self._allowed,
        }
        return tuple(measure for asked in self._world.asked for measure in kinds[asked]())

    def _at(self, state: int) -> Any:
        """What is seen in a state, the agent having come there by the shortest way."""
        if self._remembers:
            self._agent.reset()
            for before in self._paths.get(state, ()):
                self._agent.act(self._probe.shown(before))
        return self._probe.shown(state)

    def _states(self) -> list[int]:
        """Those that a right agent visits; of states that look the same to it one."""
        kinds = range(self._world.states) if self._remembers else self._world.kinds.tolist()
        first = {kinds[state]: state for state in reversed(self._world.visited)}
        return sorted(state for state in first.values() if not self._seen or state in self._seen)

    def _values(self) -> Iterator[Measure]:
        if not (hasattr(self._agent, VALUES) or hasattr(self._agent, Q_VALUES)):
            return
        values, mistakes = self._world.values(self._gamma, remembers=self._remembers)
        above, below = self._entropy_bonus()
        for state in self._states():
            low, high = self._world.band(state, float(values[state]), self._gamma)
            yield Measure(
                what="value",
                where=self._world.labels[state],
                measured=self._value(self._at(state)),
                right=float(values[state]),
                low=low - float(below[state]),
                high=high + float(above[state]),
                mistakes={name: float(wrong[state]) for name, wrong in mistakes.items()},
            )

    def _value(self, observation: Any) -> float:
        agent = self._agent
        if hasattr(agent, VALUES):
            return _read_number(agent.value(observation))
        if self._probe.acts == CONTINUOUS:
            return _read_number(agent.q(observation, agent.act(observation)))
        return float(np.max(np.asarray(agent.q(observation), float)))

    def _entropy_bonus(self) -> tuple[Array, Array]:
        """How much the bonus of a soft agent may add to each value, and take from it."""
        none = np.zeros(self._world.states)
        if self._probe.acts != CONTINUOUS or hasattr(self._agent, VALUES):
            return none, none
        # who draws its actions and does not tell its temperature may be soft, and then begins with 1
        soft = 1.0 if hasattr(self._agent, SAMPLES) else 0.0
        temperature = abs(float(getattr(self._agent, "temperature", soft)))
        rows = self._world.rows(remembers=True)
        bonus = right(replace(rows, reward=self._gamma * ~rows.terminated), self._gamma)
        return temperature * WIDEST * bonus, temperature * NARROWEST * bonus

    def _action_values(self) -> Iterator[Measure]:
        if not hasattr(self._agent, Q_VALUES):
            return
        problem = (self._world.law, self._world.states, self._world.choices, self._gamma)
        exact, mistakes = action_values(*problem)
        explored = explored_values(*problem, self._share_of_right_actions())
        above, below = self._entropy_bonus()
        for state in range(self._world.states):
            seen = self._at(state)
            for choice in range(self._world.choices):
                value = float(exact[state, choice])
                yield Measure(
                    what="q",
                    where=f"{self._world.labels[state]}, action {choice}",
                    measured=self._q(seen, choice),
                    right=value,
                    low=float(explored[state, choice]) - self._world.tolerance - float(below[state]),
                    high=value + self._world.tolerance + float(above[state]),
                    mistakes={name: float(wrong[state, choice]) for name, wrong in mistakes.items()},
                )

    def _share_of_right_actions(self) -> float:
        """In what it learned from: targets of several steps, or of the action that was taken, take that in."""
        shares = [share for share in (self._behaved.early, self._behaved.late) if share is not None]
        return float(np.mean(shares)) if shares else self._chance()

    def _q(self, observation: Any, choice: int) -> float:
        if self._probe.acts == CONTINUOUS:
            return _read_number(self._agent.q(observation, self._probe.native(choice)))
        return float(np.asarray(self._agent.q(observation), float).reshape(-1)[choice])

    def _actions(self) -> Iterator[Measure]:
        for state in self._states():
            if not self._world.right(state):
                continue
            share = np.mean([self._probe.share_right(state, self._acted(state)) for _ in _AGAIN])
            yield _make_share_measure("action", self._world.labels[state], float(share), LEAST_RIGHT, self._chance())
            yield from self._drawn(state)
            yield from self._own_values(state)
        yield from self._late_behaviour()

    def _drawn(self, state: int) -> Iterator[Measure]:
        """The share of right draws: it tells a sure agent from one that is not trained."""
        if not hasattr(self._agent, SAMPLES) or self._probe.acts == MASKED:
            return
        share = np.mean([self._probe.share_right(state, self._agent.sample(self._at(state))) for _ in _AGAIN])
        yield _make_unjudged_measure("drawn", self._world.labels[state], float(share))

    def _own_values(self, state: int) -> Iterator[Measure]:
        """What its own values say of its actions: it tells wrong values from a wrong action taken."""
        if not hasattr(self._agent, Q_VALUES) or self._probe.acts != DISCRETE:
            return
        values = np.asarray(self._agent.q(self._at(state)), float).reshape(-1)
        laws = [self._world.law(state, choice) for choice in range(self._world.choices)]
        paid = [sum(way.chance * way.reward for way in law) for law in laws]
        where = self._world.labels[state]
        yield _make_unjudged_measure("preferred", where, self._probe.share_right(state, int(np.argmax(values))))
        yield _make_unjudged_measure("apart", where, float(np.ptp(values)), right=float(np.ptp(paid)))

    def _acted(self, state: int) -> Any:
        seen = self._at(state)
        if self._probe.acts == MASKED and "action_mask" in inspect.signature(self._agent.act).parameters:
            return self._agent.act(seen, action_mask=self._probe.mask(state))
        return self._agent.act(seen)

    def _late_behaviour(self) -> Iterator[Measure]:
        """What it did when trained, where nothing but the policy decides: an agent with q-values tries at random."""
        known = self._behaved.late is not None and not hasattr(self._agent, Q_VALUES)
        if known and self._probe.acts != CONTINUOUS:
            yield measure_behaviour(self._probe, self._behaved)

    def _chance(self) -> float:
        return 1.0 / max(self._world.choices, 2)

    def _distances(self) -> Iterator[Measure]:
        for state in self._states():
            acted = np.mean([float(np.asarray(self._agent.act(self._at(state))).reshape(-1)[0]) for _ in _AGAIN])
            yield Measure(
                what="distance",
                where=self._world.labels[state],
                measured=self._probe.distance(state, acted),
                right=0.0,
                low=0.0,
                high=self._world.tolerance,
                mistakes=self._misplaced(state),
            )

    def _misplaced(self, state: int) -> dict[str, float]:
        """How far off an agent would be that makes a known mistake."""
        low, high = self._world.bounds
        unit = 2.0 * (self._world.oracle(state) - low) / (high - low) - 1.0
        opposite = low + high - self._world.oracle(state)
        places = {"not scaled": min(max(unit, low), high), "the middle": (low + high) / 2.0, "the opposite": opposite}
        return {name: self._probe.distance(state, place) for name, place in places.items()}

    def _density(self) -> Iterator[Measure]:
        """Whether the log-probability belongs to the actions drawn: its density must add up to what falls inside."""
        if not (hasattr(self._agent, SAMPLES) and hasattr(self._agent, "log_prob")):
            return
        state = self._states()[-1]
        low, high = self._world.bounds
        drawn = np.array([_read_number(self._agent.sample(self._at(state))) for _ in range(DRAWS)])
        inside = float(np.mean((drawn > low) & (drawn < high)))
        places = np.linspace(low, high, POINTS + 2)[1:-1]
        logs = np.array(
            [_read_number(self._agent.log_prob(self._at(state), np.array([at], np.float32))) for at in places]
        )
        total = float(np.exp(logs[np.isfinite(logs)]).sum() * (high - low) / (POINTS + 1))
        yield Measure(
            what="density",
            where=self._world.labels[state],
            measured=total,
            right=inside,
            low=inside - OFF_BY,
            high=inside + OFF_BY,
        )

    def _entropies(self) -> Iterator[Measure]:
        if self._is_soft():
            yield from (self._entropy(state, CLOSE_TO_TARGET) for state in self._states())
            yield self._temperature()

    def _softness(self) -> Iterator[Measure]:
        """How random a soft policy is and what that is worth to it: it tells why its actions miss."""
        if self._is_soft():
            yield self._entropy(self._states()[-1], math.inf)
            yield self._temperature()

    def _is_soft(self) -> bool:
        return hasattr(self._agent, SAMPLES) and hasattr(self._agent, "temperature")

    def _entropy(self, state: int, within: float) -> Measure:
        target = float(getattr(self._agent, "target_entropy", -1.0))
        drawn = [float(np.asarray(self._agent.sample(self._at(state))).reshape(-1)[0]) for _ in range(DRAWS)]
        return Measure(
            what="entropy",
            where=self._world.labels[state],
            measured=_estimate_entropy(np.array(drawn)),
            right=target,
            low=target - within,
            high=target + within,
        )

    def _temperature(self) -> Measure:
        return _make_unjudged_measure("temperature", "at the end", abs(float(self._agent.temperature)))

    def _luck(self) -> Iterator[Measure]:
        if self._behaved.late is not None and self._remembers:
            yield measure_luck(self._behaved)

    def _allowed(self) -> Iterator[Measure]:
        yield measure_forbidden(self._behaved)


_AGAIN = range(ASKED_AGAIN)


def measure_luck(behaved: AgentBehaviour) -> Measure:
    """How often a guesser was right that can know nothing."""
    share = 0.5 if behaved.late is None else behaved.late
    return Measure(what="guesses", where="late in training", measured=share, right=0.5, low=0.0, high=MOST_LUCK)


def measure_forbidden(behaved: AgentBehaviour) -> Measure:
    """How many forbidden actions were taken."""
    count = float(behaved.invalid)
    return Measure(what="forbidden", where="in training", measured=count, right=0.0, low=0.0, high=0.0)


def measure_behaviour(probe: Probe, behaviour: AgentBehaviour) -> Measure:
    """The share of right actions late in training."""
    chance = 1.0 / max(probe.world.choices, 2)
    late = chance if behaviour.late is None else behaviour.late
    return _make_share_measure("behaviour", "late in training", late, LEAST_BEHAVED, chance)


def _make_share_measure(what: str, where: str, share: float, least: float, chance: float) -> Measure:
    guesses = {"the opposite": 0.0, "chance": chance}
    return Measure(what=what, where=where, measured=share, right=1.0, low=least, high=1.0, mistakes=guesses)


def _make_unjudged_measure(what: str, where: str, measured: float, *, right: float | None = None) -> Measure:
    """Nothing is asked of it, but it tells causes apart."""
    expected = measured if right is None else right
    return Measure(what=what, where=where, measured=measured, right=expected, low=-math.inf, high=math.inf)


def _read_number(value: Any) -> float:
    return float(np.asarray(value, float).reshape(-1)[0])


def _estimate_entropy(drawn: Array) -> float:
    """The entropy of numbers drawn, from the distances between them (Vasicek 1976)."""
    ordered, count = np.sort(drawn), len(drawn)
    apart = max(1, round(count**0.5 / 2))
    gaps = ordered[2 * apart :] - ordered[: -2 * apart]
    return float(np.mean(np.log(np.maximum(gaps, 1e-6) * count / (2 * apart))))
