"""A short random play during which the attributes of the environment are read beside what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import make_flattener, sample_space, unflatten_rows
from weaklink.collect.survey.attributes import HeldAttribute, find_attributes, read_attributes
from weaklink.collect.survey.sampler import pick_columns
from weaklink.collect.survey.session import OutOfMemory, SurveySession, SurveyStopped

STEPS = 2500
EPISODES = 120
LONGEST = 150
SHORT_EPISODES, SHORT = 20, 8
"""So many episodes are left after so many steps, so that there are beginnings enough where steps are slow."""

BEGINNINGS, BEGINNING = 5, 15
"""Episodes, and steps of each, in which an attribute must change to be recorded: most are settings."""

GOALS = {"achieved_goal", "desired_goal"}
"""Keys of the observation of a goal environment, of which `compute_reward` is asked."""

MOST_CELLS = 400_000
"""Numbers of observations kept."""


def record_held_state(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Plays and reads; nothing where the environment has no numbers among its attributes, or where it raises.

    Members of a vector are left alone: they may have been reset already when their last observation is seen.
    """
    if "members" in environment.facts:
        return {}
    recording = _Recording(session, environment)
    try:
        if not recording.begin():
            return {}
        recording.run()
    except (SurveyStopped, OutOfMemory):
        raise
    except Exception:  # what it raises is found by those who play to judge it
        pass
    session.held = recording.finish()
    return {"held": session.held} if session.held is not None else {}


class _Recording:
    """Rows while they grow: an entry for each step, and for each episode that came to its end or was left."""

    def __init__(self, session: SurveySession, environment: Environment) -> None:
        self.session, self.environment = session, environment
        self.attributes: list[HeldAttribute] = []
        self.settings: list[tuple[HeldAttribute, float]] = []
        self.flat, self.columns = make_flattener(environment.observation), pick_columns(environment.observation)
        rng = np.random.default_rng([session.plan.seed, 77])
        self.drawn = sample_space(environment.action, STEPS, rng)
        self.actions = unflatten_rows(environment.action, self.drawn)
        self.steps: list[tuple[Array, Array, Array, Array, float]] = []
        self.relabelled: list[float] = []
        self.inner: list[float] | None = None
        self.lengths: list[int] = []
        self.ends: list[bool] = []

    def begin(self) -> bool:
        """Looks for attributes once an episode is under way, and keeps those that change in a few; whether any do."""
        inner, seed = self.environment.inner, self.session.plan.seed
        self.environment.reset(seed)
        self.environment.step(self.actions[0])
        found = find_attributes(inner)
        first = [one.read(inner) for one in found]
        changed: set[int] = set()
        for episode in range(BEGINNINGS):
            self.environment.reset(seed + episode)
            for action in self.actions[:BEGINNING]:
                changed |= {place for place, one in enumerate(found) if one.read(inner) != first[place]}
                _, _, terminated, truncated, _ = self.environment.step(action)
                if terminated or truncated or self.session.over:
                    break
        self.attributes = [one for place, one in enumerate(found) if place in changed]
        rest = zip(found, first, strict=True)
        self.settings = [
            (one, value[0]) for one, value in rest if value and one.size == 1 and one not in self.attributes
        ]
        return bool(self.attributes)

    def run(self) -> None:
        """Plays episode after episode until there is enough or the time is up."""
        self.inner = self.environment.raw_rewards()
        width = self.environment.observation.size if self.columns is None else len(self.columns)
        most = min(STEPS, MOST_CELLS // max(width, 1))
        while len(self.steps) < most and len(self.lengths) < EPISODES and not self.session.over:
            self._play_episode(most)

    def _play_episode(self, most: int) -> None:
        seed = self.session.plan.seed if not self.lengths else None
        seen, held = self._look(self.environment.reset(seed)[0])
        begun, longest = len(self.steps), SHORT if len(self.lengths) < SHORT_EPISODES else LONGEST
        while True:
            place = len(self.steps)
            observation, reward, terminated, truncated, info = self.environment.step(self.actions[place])
            self._relabel(observation, info)
            after, now = self._look(observation)
            self.steps.append((seen, after, held, now, float(reward)))
            seen, held = after, now
            self.session.steps += 1
            self.session.tick()
            length = place + 1 - begun
            if terminated or truncated or length >= longest or place + 1 >= most or self.session.over:
                self.lengths.append(length)
                self.ends.append(bool(terminated))
                return

    def _relabel(self, observation: object, info: Mapping[str, Any]) -> None:
        """What a goal environment says that the step pays, where no wrapper could have changed it since."""
        method = getattr(type(self.environment.inner), "compute_reward", None)
        if not callable(method) or not isinstance(observation, Mapping) or not self.environment.facts.get("standard"):
            return
        if set(observation) >= GOALS:
            goals = (np.copy(observation[key]) for key in ("achieved_goal", "desired_goal"))
            with suppress(Exception):  # what it raises is found by the checkers
                self.relabelled.append(float(self.environment.inner.compute_reward(*goals, dict(info))))

    def _look(self, observation: object) -> tuple[Array, Array]:
        row = np.array(self.flat(observation), dtype=float).reshape(-1)
        kept = row if self.columns is None else row[list(self.columns)]
        return kept, read_attributes(self.environment.inner, self.attributes)

    def finish(self) -> HeldState | None:
        """What was recorded of whole episodes; None where nothing was."""
        steps = self.steps[: sum(self.lengths)]
        if not steps:
            return None
        seen, after, held, now, rewards = zip(*steps, strict=True)
        return HeldState(
            names=tuple(attribute.name for attribute in self.attributes for _ in range(attribute.size)),
            before=np.array(held),
            after=np.array(now),
            observations=np.array(seen),
            successors=np.array(after),
            actions=self.drawn[: len(steps)],
            rewards=np.array(rewards),
            lengths=np.array(self.lengths, dtype=np.int64),
            terminated=np.array(self.ends, dtype=bool),
            inner_rewards=self._read_inner(len(steps)),
            settings=self._read_settings(),
            relabelled=np.array(self.relabelled[: len(steps)]) if len(self.relabelled) == len(self.steps) else None,
        )

    def _read_settings(self) -> dict[str, float]:
        """Single numbers that no step has changed until now."""
        return {one.name: value for one, value in self.settings if one.read(self.environment.inner) == [value]}

    def _read_inner(self, steps: int) -> Array | None:
        """What the innermost environment paid; None where that is no single number for each step."""
        if self.inner is None or len(self.inner) != len(self.steps):
            return None
        return np.array([float(each) for each in self.inner[:steps]])
