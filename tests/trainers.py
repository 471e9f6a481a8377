"""Trainers with tables instead of networks, right or with one fault planted: a training takes a part of a second.

Each is `train(make_env, steps, seed, gamma)` and returns an agent. They take every kind of action and of observation,
so that the whole ladder can be climbed within seconds. `trainer(fault)` makes others.
"""

from __future__ import annotations

import math
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

MEMBERS = 4
STEPS = 1000
TRIES = 0.25
"""The share of a training in which actions are drawn without looking at the policy."""

POLICY_RATE, VALUE_RATE = 0.5, 0.08
PLACES = 9
"""Continuous actions are these many places within the bounds."""

REMEMBERED = 3
"""Observations that an agent with a memory goes by."""

PID = "WEAKLINK_TEST_PID"
"""Trainers that do not come back write the ids of their processes into the file that this variable names."""


class Actions:
    """A numbered list of what can be done."""

    def __init__(self, space: Any) -> None:
        if hasattr(space, "n"):
            self.natives = [np.int64(number) for number in range(int(space.n))]
        elif hasattr(space, "nvec"):
            self.natives = [np.array(each) for each in np.ndindex(*(int(count) for count in space.nvec))]
        else:
            places = np.linspace(float(space.low[0]), float(space.high[0]), PLACES, dtype=np.float32)
            self.natives = [np.array([place]) for place in places]
        self.count = len(self.natives)


def key(observation: Any) -> bytes:
    """What an observation is filed under."""
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    return b"".join(np.asarray(part).tobytes() for part in parts)


class Tables:
    """An agent: for everything that was seen a value and a preference for each action."""

    def __init__(self, actions: Actions, gamma: float) -> None:
        self.actions = actions
        self.gamma = gamma
        self.values: dict[bytes, float] = {}
        self.preferences: dict[bytes, list[float]] = {}

    def preferred(self, place: bytes) -> list[float]:
        """The preferences of a place, even at first."""
        return self.preferences.setdefault(place, [0.0] * self.actions.count)

    def chances(self, place: bytes, allowed: Any = None) -> list[float]:
        """With which chance each action is taken."""
        preferences = self.preferred(place)
        top = max(preferences)
        weights = [math.exp(preference - top) for preference in preferences]
        if allowed is not None:
            weights = [weight * bool(one) for weight, one in zip(weights, allowed, strict=True)]
        total = sum(weights)
        return [weight / total for weight in weights]

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """The most likely action."""
        chances = self.chances(key(observation), action_mask)
        return self.actions.natives[chances.index(max(chances))]

    def value(self, observation: Any) -> float:
        """What is expected from here."""
        return self.values.get(key(observation), 0.0)


def with_past(past: bytes, seen: bytes) -> bytes:
    """What was seen last, and a little of what was seen before."""
    return (past + seen)[-REMEMBERED * len(seen) :]


class Remembering(Tables):
    """An agent that goes by what it saw since the last reset."""

    past = b""

    def reset(self) -> None:
        """Forgets."""
        self.past = b""

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """The most likely action; what is seen is remembered."""
        self.past = with_past(self.past, key(observation))
        chances = self.chances(self.past, action_mask)
        return self.actions.natives[chances.index(max(chances))]

    def value(self, observation: Any) -> float:
        """What is expected from here; nothing is remembered."""
        return self.values.get(with_past(self.past, key(observation)), 0.0)


class Silent:
    """An agent that acts and shows nothing else."""

    def __init__(self, agent: Tables) -> None:
        self.act = agent.act


class Member:
    """One environment and where it stands."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env = env
        seen, self.info = env.reset(seed=seed)
        self.place = key(seen)

    def step(self, action: Any, *, remembers: bool, leaks: bool) -> tuple[bytes, float, bool, bool]:
        """One step; where it came to, and what was paid."""
        seen, reward, terminated, truncated, self.info = self.env.step(action)
        came = with_past(self.place, key(seen)) if remembers else key(seen)
        self.place = came
        if terminated or truncated:
            seen, self.info = self.env.reset()
            self.place = with_past(came if leaks else b"", key(seen))
        return came, float(reward), terminated, truncated


def trained(make_env: Any, steps: int, seed: int, gamma: float, fault: str = "", *, remembers: bool = False) -> Tables:
    """Actor and critic with tables, one step at a time in each member."""
    rng = random.Random(seed)
    members = [Member(make_env(), seed + number) for number in range(MEMBERS)]
    agent = (Remembering if remembers else Tables)(Actions(members[0].env.action_space), gamma)
    leaks = fault == "memory leaks"
    size = 1e-9
    for step in range(steps):
        member = members[step % MEMBERS]
        here, allowed = member.place, member.info.get("action_mask")
        masked = allowed if fault != "masks ignored" else None
        chances = agent.chances(here, masked)
        tried = [bool(one) / sum(map(bool, masked)) for one in masked] if masked is not None else None
        drawn = (tried or [1.0 / len(chances)] * len(chances)) if step < TRIES * steps else chances
        action = rng.choices(range(len(chances)), drawn)[0]
        came, reward, terminated, truncated = member.step(
            agent.actions.natives[action], remembers=remembers, leaks=leaks
        )
        if truncated and fault == "reset taken for the last observation":
            came = member.place
        error = target(agent, came, reward, terminated, truncated, fault) - agent.values.get(here, 0.0)
        size = max(size, abs(error))
        agent.values[here] = agent.values.get(here, 0.0) + rate(step, steps) * error
        push = POLICY_RATE * error / size * (-1.0 if fault == "sign flipped" else 1.0)
        preferences = agent.preferred(here)
        for number, chance in enumerate(chances):
            preferences[number] += push * ((number == action) - chance)
    return agent


def rate(step: int, steps: int) -> float:
    """Large steps of the critic at first."""
    return max(VALUE_RATE, 0.5 * (1.0 - 2.0 * step / steps))


def target(agent: Tables, came: bytes, reward: float, terminated: bool, truncated: bool, fault: str) -> float:
    """What the critic is to say."""
    ahead = 1.0 if fault == "no discount" else 0.0 if fault == "short-sighted" else agent.gamma
    ends = terminated and fault != "terminal ignored"
    if fault == "limits are ends":
        ends = terminated or truncated
    return reward + ahead * (not ends) * agent.values.get(came, 0.0)


def trainer(fault: str = "", *, remembers: bool = False, **traits: Any) -> Any:
    """A trainer with this fault; traits such as `actions` are told."""

    def train(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Any:
        return trained(make_env, steps, seed, gamma, fault, remembers=remembers)

    return described(train, remembers=remembers, **traits)


def described(train: Any, **traits: Any) -> Any:
    """The trainer with what it says of itself."""
    for name, value in {"steps": STEPS, "masks": True, "several": True, **traits}.items():
        setattr(train, name, value)
    return train


right = trainer()
remembering = trainer(remembers=True)
sign_flipped = trainer("sign flipped")
terminal_ignored = trainer("terminal ignored")
reset_taken_in = trainer("reset taken for the last observation")
no_discount = trainer("no discount")
short_sighted = trainer("short-sighted")
limits_are_ends = trainer("limits are ends")
masks_ignored = trainer("masks ignored")
memory_leaks = trainer("memory leaks", remembers=True)


class QTable:
    """An agent with a number for each action."""

    def __init__(self, count: int) -> None:
        self.table: dict[bytes, list[float]] = {}
        self.count = count

    def q(self, observation: Any) -> list[float]:
        """One number for each action."""
        return self.table.setdefault(key(observation), [0.0] * self.count)

    def act(self, observation: Any) -> Any:
        """The best."""
        numbers = self.q(observation)
        return np.int64(numbers.index(max(numbers)))


def q_learner(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> QTable:
    """Learns the value of every action from actions drawn at random; for discrete ones."""
    rng, env = random.Random(seed), make_env()
    agent = QTable(int(env.action_space.n))
    seen, _ = env.reset(seed=seed)
    for step in range(steps):
        action = rng.randrange(agent.count)
        came, reward, terminated, truncated, _ = env.step(np.int64(action))
        numbers = agent.q(seen)
        aim = reward + gamma * (not terminated) * max(agent.q(came))
        numbers[action] += rate(step, steps) * (aim - numbers[action])
        seen = env.reset()[0] if terminated or truncated else came
    return agent


described(q_learner, actions=("discrete",), masks=False, several=False, forms=())


def several_steps(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> QTable:
    """Learns the value of every action by targets over three steps; three in five actions are drawn at random."""
    rng, env = random.Random(seed), make_env()
    agent = QTable(int(env.action_space.n))
    seen, _ = env.reset(seed=seed)
    rows: list[tuple[Any, int, float]] = []
    for step in range(steps):
        action = rng.randrange(agent.count) if rng.random() < 0.6 else int(np.argmax(agent.q(seen)))
        came, reward, terminated, truncated, _ = env.step(np.int64(action))
        rows.append((seen, action, float(reward)))
        over = terminated or truncated
        while rows and (over or len(rows) == 3):
            later = gamma ** len(rows) * (not terminated) * max(agent.q(came))
            aim = sum(gamma**place * paid for place, (*_, paid) in enumerate(rows)) + later
            first, taken, _ = rows.pop(0)
            agent.q(first)[taken] += rate(step, steps) * (aim - agent.q(first)[taken])
        seen = env.reset()[0] if over else came
    return agent


described(several_steps, actions=("discrete",), masks=False, several=False, forms=())


def silent(make_env: Any, steps: int, seed: int) -> Silent:
    """Right, but shows nothing beside its actions."""
    return Silent(trained(make_env, steps, seed, 0.9))


def slow(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Tables:
    """Right, but knows nothing before it has had twice the budget that it says."""
    agent = trained(make_env, steps, seed, gamma)
    return agent if steps >= 2 * STEPS else Tables(agent.actions, gamma)


def chancy(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Tables:
    """Learns nothing with one seed in five."""
    return trained(make_env, steps, seed, gamma, "sign flipped" if seed % 5 == 2 else "")


def ends_early(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Tables:
    """Takes a tenth of its steps and learns nothing from them."""
    return trained(make_env, steps // 10, seed, gamma, "sign flipped")


def raises(make_env: Any, steps: int, seed: int) -> Any:
    """Fails after a few steps."""
    trained(make_env, 40, seed, 0.9)
    raise ValueError("shapes (64,) and (64, 1) do not fit")


def not_finite(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Tables:
    """Its values are no numbers."""
    agent = trained(make_env, steps, seed, gamma)
    agent.values = dict.fromkeys(agent.values, math.nan)
    return agent


def hangs(make_env: Any, steps: int, seed: int) -> Any:
    """Starts a process and never comes back."""
    import subprocess

    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    _leave(os.getpid(), child.pid)
    time.sleep(600)


def hangs_once(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Any:
    """Never comes back with the first seed, and is right with the others."""
    if seed == 0:
        _leave(os.getpid())
        time.sleep(600)
    return trained(make_env, steps, seed, gamma)


def dies_once(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Any:
    """Takes its process down with the first seed, and is right with the others."""
    if seed == 0:
        exits(make_env, steps, seed)
    return trained(make_env, steps, seed, gamma)


def exits(make_env: Any, steps: int, seed: int) -> Any:
    """Ends the process."""
    sys.stderr.write("the last words\n")
    sys.stderr.flush()
    os._exit(7)


def crashes(make_env: Any, steps: int, seed: int) -> Any:
    """Reads where nothing is."""
    import ctypes

    ctypes.string_at(0)


def talks(make_env: Any, steps: int, seed: int, gamma: float = 0.9) -> Any:
    """Prints 50 million characters, some of which look like answers, and is right."""
    line = '{"trial": null}' + "x" * 985
    for _ in range(50_000):
        print(line)
    return trained(make_env, steps, seed, gamma)


def _leave(*pids: int) -> None:
    """Says which processes there are."""
    if PID in os.environ:
        Path(os.environ[PID]).write_text(" ".join(map(str, pids)))


def wrong_signature(environment: Any) -> None:
    """No trainer: it takes too little."""


for each in (silent, slow, chancy, ends_early, raises, not_finite, hangs, hangs_once, dies_once, exits, crashes, talks):
    described(each)
NOT_CALLABLE = 3
