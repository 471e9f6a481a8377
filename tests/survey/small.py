"""Small environments whose answers are known, and sessions to survey them with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from weaklink.adapters.environments import adapt_environment
from weaklink.base.evidence.protocols import Environment
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.session import SurveySession

FOREVER = 1e9


class Scripted(gym.Env):
    """Episodes told beforehand: how long each is, how it ends, and what the info of each step holds.

    An observation is the number of the episode, the step within it and the last action; the reward is their sum.
    """

    observation_space = spaces.Box(-1000.0, 1000.0, (3,), np.float64)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float64)

    def __init__(
        self,
        lengths: Sequence[int] = (3, 1, 5),
        ends: Sequence[str] = ("terminated",),
        info: Callable[[int], Mapping[str, Any]] = lambda step: {},
        raises_at: int | None = None,
    ) -> None:
        self.lengths, self.ends, self.info, self.raises_at = lengths, ends, info, raises_at
        self.episode, self.clock, self.total = -1, 0, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episode, self.clock = self.episode + 1, 0
        return self.seen(0.0), {}

    def step(self, action):
        if self.total == self.raises_at:
            raise ZeroDivisionError("no such step")
        self.clock, self.total = self.clock + 1, self.total + 1
        seen = self.seen(float(action[0]))
        over = self.clock >= self.lengths[self.episode % len(self.lengths)]
        end = self.ends[self.episode % len(self.ends)] if over else ""
        flags = end in ("terminated", "both"), end in ("truncated", "both")
        return seen, float(seen.sum()), *flags, dict(self.info(self.total))

    def seen(self, action: float) -> Any:
        return np.array([self.episode, self.clock, action])


class Slider(gym.Env):
    """Two carts on a line; each action moves its cart, as far as `gains` say, and the first is paid for staying near 0.

    `limit` saturates: an action beyond it does no more than the limit itself.
    """

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)

    def __init__(self, gains: Sequence[float] = (1.0, 1.0), limit: float = np.inf, drift: float = 0.0) -> None:
        self.gains, self.limit, self.drift = np.asarray(gains), limit, drift
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.clock = self.np_random.normal(0.0, 1.0, 2), 0
        return self.place.copy(), {}

    def step(self, action):
        self.clock += 1
        self.place = self.place + self.gains * np.clip(action, -self.limit, self.limit) + self.drift
        return self.place.copy(), -abs(float(self.place[0])), False, self.clock >= 30, {}


def session_of(make: Callable[[], Any], *, fresh: bool = True, **plan: Any) -> SurveySession:
    """A session that has all the time in the world unless the plan says otherwise."""
    chosen = SurveyPlan(**{"seconds": 600.0, "steps": 500, "episodes": 10, **plan})
    session = SurveySession(lambda: adapt_environment(make()), chosen, lambda stage, steps: None, fresh=fresh)
    session.enter("testing", 1.0)
    return session


def prepared(make: Callable[[], Any], **plan: Any) -> tuple[SurveySession, Environment]:
    session = session_of(make, **plan)
    return session, session.make()


def later(seconds: float = FOREVER) -> float:
    return time.perf_counter() + seconds
