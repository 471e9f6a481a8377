"""Surveys to build evidence from: a plausible healthy one, and plays made of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.endings import EpisodeEnding
from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED, Play, Resets, StepTiming, Survey, TrajectoryComparison

EPISODES, LENGTH = 100, 50


def box(size: int, low: float = -np.inf, high: float = np.inf, dtype: str = "float32") -> Space:
    return Space(kind="box", shape=(size,), dtype=dtype, low=np.full(size, low), high=np.full(size, high))


def discrete(count: int) -> Space:
    return Space(kind="discrete", dtype="int64", choices=(count,), first=(0,))


def play(
    policy: str = "random",
    *,
    level: float = 0.0,
    spread: float = 1.0,
    episodes: int = EPISODES,
    length: int = LENGTH,
    lengths: Any = None,
    ends: Any = TERMINATED,
    columns: int = 3,
    actions: int = 1,
    seed: int = 0,
    **given: Any,
) -> Play:
    """Episodes with normal rewards and observations that wander and partly decide the rewards."""
    rng = np.random.default_rng([seed, *policy.encode()])
    lengths = np.full(episodes, length) if lengths is None else np.asarray(lengths)
    steps = int(lengths.sum())
    rows = np.cumsum(rng.normal(0, 0.1, (steps + 1, columns)), axis=0)
    rows -= rows.mean(axis=0)
    rewards = level / max(float(lengths.mean()), 1) + 0.1 * spread * rows[:-1, 0] + rng.normal(0, 0.1 * spread, steps)
    fields: dict[str, Any] = {
        "policy": policy,
        "rewards": rewards,
        "lengths": lengths,
        "ends": np.full(len(lengths), ends) if np.isscalar(ends) else np.asarray(ends),
        "observations": rows[:-1],
        "successors": rows[1:],
        "actions": rng.uniform(-1, 1, (steps, actions)),
    }
    return Play(**(fields | given))


def sweep(dimension: int = 0, *, near: float = 0.1, far: float = 1.0, states: int = 6, **given: Any) -> ActionSweep:
    """A dimension whose effect grows in proportion to the action."""
    positions = np.linspace(-1, 1, 5)
    size = np.abs(positions)[None, :] * np.linspace(0.8, 1.2, states)[:, None]
    fields: dict[str, Any] = {
        "dimension": dimension,
        "label": f"action[{dimension}]",
        "values": positions,
        "positions": positions,
        "near": near * size,
        "far": far * size,
        "near_reward": 0.01 * size,
        "far_reward": 0.1 * size,
        "still": np.zeros(size.shape, dtype=bool),
        "motion": np.full(states, 1.0),
        "horizon": 20,
    }
    return ActionSweep(**(fields | given))


def world(config: Mapping[str, Any] | None = None, **given: Any) -> Survey:
    """A healthy environment: three observations, one continuous action, a search that beats random play."""
    rng = np.random.default_rng(1)
    initial = rng.normal(0, 0.1, (16, 3))
    fields: dict[str, Any] = {
        "name": "made",
        "observation": box(3),
        "action": box(1, -1.0, 1.0),
        "facts": {"max_episode_steps": 200, "framework": "gymnasium", "wrappers": ("TimeLimit", "OrderEnforcing")},
        "complaints": (),
        "plays": {
            "random": play("random"),
            "zero": play("zero", level=-0.5),
            "search": play("search", level=20.0, length=80, ends=TRUNCATED),
        },
        "comparisons": tuple(
            TrajectoryComparison(kind=kind, seed=seed, steps=200)
            for kind in ("fresh", "repeated", "after_play")
            for seed in (0, 1)
        ),
        "resets": Resets(seeded=initial[:8], unseeded=initial[8:], draws=True),
        "sweeps": (sweep(),),
        "same_whatever_done": False,
        "in_place": "",
        "swallowed": (),
        "endings": (EpisodeEnding(end=TERMINATED, raised=False, warned=True, continued=0, restarted=False),),
        "timing": StepTiming(make=0.1, reset=1e-4, step=2e-5, step_slowest=5e-5, steps_per_second=40_000.0),
        "memory": tuple((1000 * step, 200_000_000) for step in range(10)),
        "config": Config.of(config or {}),
    }
    return Survey(**(fields | given))


def changed(survey: Survey, **fields: Any) -> Survey:
    """The survey with some fields replaced."""
    return msgspec.structs.replace(survey, **fields)


def with_play(survey: Survey, **plays: Play) -> Survey:
    """The survey with some plays replaced or added."""
    return changed(survey, plays=survey.plays | plays)


def held(
    attributes: Mapping[str, Any],
    show: Any,
    *,
    pay: Any = lambda before, after: 0.0,
    episodes: int = 12,
    length: int = 15,
    terminated: Any = None,
    actions: Any = None,
    seed: int = 0,
) -> HeldState:
    """What an environment holds and shows: attributes are given by functions (of the generator, the step and what was
    held before, None at a reset), `show` maps what is held now, before the step and before the reset to a row."""
    rng = np.random.default_rng(seed)
    names: list[str] = []
    rows: dict[str, list[Any]] = {key: [] for key in ("before", "after", "seen", "next", "paid")}
    ended: Any = None
    for _ in range(episodes):
        now: dict[str, Any] = {}
        for name, draw in attributes.items():
            now[name] = np.atleast_1d(np.asarray(draw(rng, 0, None), dtype=float))
        row = np.asarray(show(now, None, ended), dtype=float)
        for step in range(1, length + 1):
            before, seen = now, row
            now = {name: np.atleast_1d(np.asarray(draw(rng, step, before[name]))) for name, draw in attributes.items()}
            row = np.asarray(show(now, before, None), dtype=float)
            for key, value in zip(rows, (_join(before), _join(now), seen, row, float(pay(before, now))), strict=True):
                rows[key].append(value)
        ended = now
        names = [name for name, value in now.items() for _ in value]
    steps = episodes * length
    return HeldState(
        names=tuple(names),
        before=np.array(rows["before"]),
        after=np.array(rows["after"]),
        observations=np.array(rows["seen"]),
        successors=np.array(rows["next"]),
        actions=rng.uniform(-1, 1, (steps, 1)) if actions is None else actions,
        rewards=np.array(rows["paid"]),
        lengths=np.full(episodes, length),
        terminated=np.zeros(episodes, dtype=bool) if terminated is None else np.asarray(terminated),
    )


def _join(values: Mapping[str, Any]) -> Any:
    return np.concatenate([np.ravel(value) for value in values.values()]).astype(float)
