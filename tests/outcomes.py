"""Outcomes to build evidence from: agents that answer as told, asked by the real questions; nothing is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.outcome import AgentBehaviour, Outcome, Rung, RungTrial
from weaklink.base.reference.choices import action_values
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.probe import CONTINUOUS, Probe
from weaklink.collect.probes.questions import AgentQuestions
from weaklink.judge.diagnosis.probing import list_rung_codes

GAMMA = 0.9
STEPS = 3000
GROWTH = 4

Agent = Any
Make = Callable[[Probe, int], Agent]
"""From a probe and a seed to an agent."""


@cache
def probed(title: str) -> Probe:
    """The probe with this title; what its world works out is worked out once."""
    probe = find_probe(title)
    probe.world.values = cache(probe.world.values)
    return probe


@cache
def exact_values(title: str) -> tuple[Any, dict[str, Any]]:
    """The right value of every action, and those of each mistake."""
    world = probed(title).world
    return action_values(world.law, world.states, world.choices, GAMMA)


class Whereabouts:
    """Tells from what was seen since the last reset which state of the problem it is."""

    def __init__(self, probe: Probe, *, remembers: bool) -> None:
        self._probe = probe
        self._remembers = remembers
        self._paths = probe.world.paths()
        self._seen: list[bytes] = []

    def reset(self) -> None:
        self._seen.clear()

    def state(self, observation: Any, *, moves: bool = False) -> int:
        now = _signature(observation)
        trail = [*self._seen, now] if self._remembers else [now]
        if moves and self._remembers:
            self._seen.append(now)
        for state, path in self._paths.items():
            way = [*path, state] if self._remembers else [state]
            if [_signature(self._probe.shown(step)) for step in way] == trail:
                return state
        raise AssertionError("asked about something that cannot be seen")


def _signature(observation: Any) -> bytes:
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    return b"".join(np.asarray(part).tobytes() for part in parts)


def agent(
    probe: Probe,
    *,
    value: Callable[[int], float] | None = None,
    q: Callable[[int, int], float] | None = None,
    act: Callable[[int], Any] | None = None,
    sample: Callable[[int], Any] | None = None,
    remembers: bool = False,
    **shown: Any,
) -> Agent:
    """An agent made of functions of the state; it has no others than those that are given. It acts right by itself."""
    where = Whereabouts(probe, remembers=remembers)
    choose = act or (lambda state: probe.native(probe.world.oracle(state)))
    made = SimpleNamespace(act=lambda seen: choose(where.state(seen, moves=True)), **shown)
    if value is not None:
        made.value = lambda seen: value(where.state(seen))
    if q is not None and probe.acts == CONTINUOUS:
        made.q = lambda seen, action: q(where.state(seen), probe.choice(action))
    elif q is not None:
        made.q = lambda seen: np.array([q(where.state(seen), choice) for choice in range(probe.world.choices)])
    if sample is not None:
        made.sample = lambda seen: sample(where.state(seen))
    if remembers:
        made.reset = where.reset
    return made


def right_answers(probe: Probe, seed: int, *, noise: float = 0.7) -> Agent:
    """Right, but for noise that uses up a good part of what is allowed."""
    rng, world = np.random.default_rng([seed, 7]), probe.world
    values, _ = world.values(GAMMA)

    def value(state: int) -> float:
        low, high = world.band(state, float(values[state]), GAMMA)
        room = min(high - values[state], values[state] - low)
        return float(values[state] + noise * room * rng.uniform(-1, 1))

    def q(state: int, choice: int) -> float:
        exact, _ = exact_values(probe.title)
        return float(exact[state, choice] + noise * world.tolerance * rng.uniform(-1, 1))

    def act(state: int) -> Any:
        if world.choices == 0:
            return np.array([world.oracle(state) + noise * 0.5 * world.tolerance * rng.uniform(-1, 1) * _half(world)])
        return probe.native(world.oracle(state))

    if world.asked == ("q",):
        return agent(probe, q=q, act=act)
    if world.asked == ("entropy",):
        return agent(probe, act=act, sample=spread(probe, seed, 0.1), temperature=0.1)
    return agent(probe, value=value, act=act, remembers=world.name.startswith("memory"))


def _half(world: Any) -> float:
    low, high = world.bounds
    return float(high - low) / 2.0


def spread(probe: Probe, seed: int, width: float) -> Callable[[int], Any]:
    """Draws round the right action; a width of 0.1 has about the entropy that is usually aimed at."""
    rng = np.random.default_rng([seed, 11])
    return lambda state: np.array([probe.world.oracle(state) + width * rng.normal()])


def mistaken(name: str, *, noise: float = 0.02) -> Make:
    """An agent with the values that a known mistake ends with; its actions are right."""

    def make(probe: Probe, seed: int) -> Agent:
        rng, world = np.random.default_rng([seed, 13]), probe.world
        if world.asked == ("q",):
            wrong = exact_values(probe.title)[1][name]
            return agent(probe, q=lambda state, choice: float(wrong[state, choice] + noise * rng.normal()))
        values = np.nan_to_num(world.values(GAMMA)[1][name], nan=0.0)  # what is never learned stays near zero
        size = max(1.0, float(np.abs(values).max()))
        return agent(probe, value=lambda state: float(values[state] + noise * size * rng.normal()))

    return make


def valued(value: Callable[[int], float]) -> Make:
    """An agent with values of its own."""
    return lambda probe, seed: agent(probe, value=value)


def acting(choice: Callable[[int], Any], **shown: Any) -> Make:
    """An agent that takes these choices; of continuous ones it takes the place in the bounds' units."""
    return lambda probe, seed: agent(probe, act=lambda state: probe.native(choice(state)), **shown)


def trial(
    probe: Probe, made: Agent, *, seed: int = 0, steps: int = STEPS, behaviour: AgentBehaviour | None = None
) -> RungTrial:
    behaved = behaviour or did(probe)
    questions = AgentQuestions(made, probe, GAMMA, behaved, set())
    return RungTrial(
        seed=seed,
        steps=steps,
        taken=steps,
        gamma=GAMMA,
        measures=questions.measures(),
        behaviour=behaved,
        shows=tuple(name for name in ("value", "q", "sample", "reset", "temperature") if hasattr(made, name)),
    )


def did(probe: Probe, **given: Any) -> AgentBehaviour:
    """What a right agent does in training: it tries at first and settles later."""
    fields: dict[str, Any] = {"steps": STEPS, "episodes": STEPS // 2}
    if probe.world.asked == ("chance",):
        fields |= {"early": 0.5, "late": 0.51, "first_choice": 0.6}
    elif probe.acts == CONTINUOUS:
        fields |= {"early": 0.35, "late": 0.8, "spread": 0.45}
    elif probe.world.choices > 1:
        fields |= {"early": 0.55, "late": 0.97, "first_choice": 0.6}
    return AgentBehaviour(**(fields | given))


def rung(
    title: str,
    make: Make = right_answers,
    *,
    seeds: Iterable[int] = range(3),
    first: Make | None = None,
    **behaviour: Any,
) -> Rung:
    """A rung on which each seed's agent is made by `make`; with `first` after a shorter training that gave another."""
    probe = probed(title)
    done = did(probe, **behaviour)
    made = lambda by, seed, steps: trial(probe, by(probe, seed), seed=seed, steps=steps, behaviour=done)  # noqa: E731
    trials = [made(first, seed, STEPS) for seed in seeds] if first else []
    trials += [made(make, seed, GROWTH * STEPS if first else STEPS) for seed in seeds]
    return Rung(
        code=list_rung_codes()[probe.name],
        name=probe.name,
        problem=probe.title,
        environment=probe.id,
        adds=probe.world.adds,
        trials=tuple(trials),
        stands_alone=probe.world.stands_alone,
    )


def joined(*rungs: Rung) -> Rung:
    """One rung with the trials of several, whose seeds differ."""
    return msgspec.structs.replace(rungs[0], trials=tuple(trial for each in rungs for trial in each.trials))


def failing(title: str) -> Rung:
    """A rung on which the trainer raises."""
    trials = tuple(
        RungTrial(seed=seed, steps=STEPS, failure="ValueError: no such space", kind="raised") for seed in range(3)
    )
    return msgspec.structs.replace(rung(title), trials=trials)


def climbed(*rungs: Rung) -> Outcome:
    return Outcome(trainer="mine.py:train", rungs=rungs, shows=("value",))


def one_of_five(title: str, make: Make, **behaviour: Any) -> Outcome:
    """Four seeds that are right and one that is not, which may be chance."""
    return climbed(joined(rung(title, seeds=range(4)), rung(title, make, seeds=[4], **behaviour)))
