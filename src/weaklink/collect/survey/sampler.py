"""Plays episodes and records them, at nearly the speed of the bare environment."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment, Policy
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, make_flattener, sample_space, unflatten_rows
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED, Play
from weaklink.collect.survey.policies import OutsidePolicy
from weaklink.collect.survey.session import OutOfMemory, SurveySession, name_type
from weaklink.collect.survey.told_outcomes import WON, find_outcome_key, read_outcome

MOST_CELLS = 4_000_000
"""Numbers of observations kept of one play: 32 MB."""

WIDEST = 2048
"""Columns kept of one observation; of wider ones, these many taken evenly."""

LOOK_FOR_KEYS = 64
"""Steps at the beginning in which info keys are looked for."""

MOST_KEYS = 24
OWN_LIMIT = 1000
"""Steps after which an episode of an environment that never ends by itself is taken as over."""

CHUNK = 4096
_PARTS_OF_REWARD = re.compile(r"(^|[_/. ])rew(ard)?s?([_/. ]|$)|_rew$", re.IGNORECASE)
_NO_PART = re.compile(r"threshold|total|sum|episode|cumulative|^rewards?$", re.IGNORECASE)


class Recorder:
    """The arrays of one play while it grows."""

    def __init__(self, environment: Environment, keep: int, components: Sequence[str]) -> None:
        self.space = environment.observation
        self.columns = pick_columns(self.space)
        width = self.space.size if self.columns is None else len(self.columns)
        self.keep = min(keep, MOST_CELLS // max(width, 1)) if width else 0
        self.firsts: list[tuple[int, Array]] = []
        self.after = np.zeros((self.keep, width))
        self.actions: list[Any] = []
        self.rewards: list[Any] = []
        self.lengths: list[int] = []
        self.ends: list[int] = []
        self.told: dict[int, tuple[Any, Any]] = {}
        self.named = tuple(components)
        self.infos: dict[str, list[Any]] = {}
        self.looks: list[tuple[str, str | None, Callable[[Any], None]]] = []
        self.flat = _restrict_columns(make_flattener(self.space), self.columns)

    def look(self, info: Mapping[str, Any], steps: int) -> None:
        """Takes what may be numbers out of an info; which keys hold some is settled in the first steps."""
        if type(info) is not dict and not isinstance(info, Mapping):
            raise TypeError(f"the info of a step must be a dict; it is of type {name_type(info)}")
        if steps <= LOOK_FOR_KEYS:
            for outer, inner in _find_number_keys(info):
                key = outer if inner is None else f"{outer}.{inner}"
                if key not in self.infos and len(self.infos) < MOST_KEYS:
                    self.infos[key] = [None] * (steps - 1)
                    self.looks.append((outer, inner, self.infos[key].append))
            self._look_for_outcome(info, steps)
        for outer, inner, take in self.looks:
            take(info.get(outer) if inner is None else _read_nested(info, outer, inner))

    def _look_for_outcome(self, info: Mapping[str, Any], steps: int) -> None:
        """Words of who has won become a number, where no key has it as one."""
        key = find_outcome_key(info) if WON not in self.infos else None
        if key is not None:
            kept: list[Any] = [None] * (steps - 1)
            self.infos[WON] = kept
            self.looks.append((key, None, lambda told: kept.append(read_outcome(told))))

    def note_end(self, info: Any) -> None:
        """What the info of a last step says of the episode: its return and its length."""
        score = info.get("episode") if isinstance(info, Mapping) else None
        if isinstance(score, Mapping):
            self.told[len(self.lengths)] = score.get("r"), score.get("l")

    def begin(self, step: int, observation: object) -> None:
        """The first observation of an episode."""
        if step < self.keep:
            self.firsts.append((step, np.array(self.flat(observation), dtype=float)))

    def rows(self, kept: int) -> Array:
        """What was seen before each step: what was seen after the one before it, or the first of an episode."""
        rows = np.empty_like(self.after[:kept])
        rows[1:] = self.after[: max(kept - 1, 0)]
        for step, row in self.firsts:
            if step < kept:
                rows[step] = row
        return rows

    def play(self, policy: str, told: str, seconds: float, raw: list[float] | None, action: Space) -> Play:
        """The play, as evidence."""
        steps = len(self.rewards)
        kept = min(self.keep, steps)
        parts = {key: _pad_column(column, steps) for key, column in self.infos.items()}
        live = {key: column for key, column in parts.items() if np.isfinite(column).any()}
        components = {
            key: _fill_component(self.infos[key], column) for key, column in live.items() if self._is_part(key)
        }
        return Play(
            policy=policy,
            told=told,
            rewards=_convert_rewards(self.rewards),
            lengths=np.asarray(self.lengths, dtype=np.int64),
            ends=np.asarray(self.ends, dtype=np.int64),
            components=components,
            metrics={key: column for key, column in live.items() if key not in components},
            raw_rewards=_convert_rewards(raw) if raw is not None and len(raw) == steps else None,
            told_returns=self._read_told(0),
            told_lengths=self._read_told(1),
            observations=self.rows(kept) if self.keep else None,
            successors=self.after[:kept] if self.keep else None,
            actions=_flatten_actions(action, self.actions[:kept]) if self.keep else None,
            seconds=seconds,
        )

    def _read_told(self, which: int) -> Array | None:
        """One of the numbers told of episodes, NaN for those of which none is."""
        if not self.told:
            return None
        return np.array(
            [_convert_number(self.told.get(place, (None, None))[which]) for place in range(len(self.lengths))]
        )

    def _is_part(self, key: str) -> bool:
        if self.named:
            return key in self.named
        return bool(_PARTS_OF_REWARD.search(key)) and not _NO_PART.search(key)


def play(
    session: SurveySession,
    environment: Environment,
    act: Policy,
    *,
    policy: str,
    told: str = "",
    steps: int,
    episodes: int,
    until: float,
    keep: int = 0,
) -> Play:
    """Plays until there are enough steps and enough episodes, or until the time is up.

    What the environment raises is noted as a fault of its own, and what was played until then is kept.
    """
    recorder = Recorder(environment, keep, session.plan.components)
    began = time.perf_counter()
    paid = environment.raw_rewards()
    limit = _find_episode_limit(environment)
    ended, made = 0, 0
    while (made < steps or ended < episodes) and session.clock() < until:
        before = made
        made, end = _play_episode(session, environment, act, recorder, made, limit, until)
        if made > before or end != CUT:
            recorder.lengths.append(made - before)
            recorder.ends.append(end)
        if end == CUT:
            if session.faults and session.faults[-1].step == session.steps:
                break
        else:
            ended += 1
            limit = OWN_LIMIT if end == LIMITED else limit
    return recorder.play(policy, told, time.perf_counter() - began, paid, environment.action)


def _play_episode(
    session: SurveySession,
    environment: Environment,
    act: Policy,
    recorder: Recorder,
    made: int,
    limit: int,
    until: float,
) -> tuple[int, int]:
    """One episode; how many steps there are now, and how it ended."""
    step, clock = environment.step, session.clock
    after, keep, flat = recorder.after, recorder.keep, recorder.flat
    rewards, actions, looks = recorder.rewards, recorder.actions, recorder.looks
    begun, mask, call = made, session.mask, "reset"
    try:
        session.tick()
        observation, _ = environment.reset(_pick_seed(session, made))
        call = "step"
        recorder.begin(made, observation)
        if isinstance(act, OutsidePolicy):
            act.begin()
        while True:
            action = act(observation)
            observation, reward, terminated, truncated, info = step(action)
            if made < keep:
                actions.append(action)
                after[made] = flat(observation)
            rewards.append(reward)
            made += 1
            session.steps += 1
            if info or looks:
                recorder.look(info, made)
            if terminated or truncated:
                recorder.note_end(info)
                return made, BOTH if terminated and truncated else TERMINATED if terminated else TRUNCATED
            if not made & mask and clock() > session._next_tick and session.tick() > until:
                return made, CUT
            if made - begun >= limit:
                return made, LIMITED
    except (Exception, OutOfMemory) as error:
        del rewards[made:]
        session.blame(error, call)
        return made, CUT


def _pick_seed(session: SurveySession, made: int) -> int | None:
    """The first episode is seeded; the others go on from there, as they do in training."""
    return session.plan.seed if made == 0 else None


def _find_episode_limit(environment: Environment) -> int:
    """How long an episode may get: ten thousand steps, unless the environment says more itself."""
    return max(10_000, 2 * int(environment.facts.get("max_episode_steps") or 0))


def make_random_policy(space: Space, rng: np.random.Generator) -> Policy:
    """Uniform random actions, drawn many at a time."""
    actions = _draw_actions(space, rng)
    return lambda observation: next(actions)


def _draw_actions(space: Space, rng: np.random.Generator) -> Iterator[Any]:
    while True:
        yield from unflatten_rows(space, sample_space(space, CHUNK, rng))


def pick_columns(space: Space) -> tuple[int, ...] | None:
    """The columns kept of a very wide observation, evenly taken; None where all are."""
    if space.size <= WIDEST:
        return None
    return tuple(np.linspace(0, space.size - 1, WIDEST).astype(int).tolist())


def _restrict_columns(flat: Callable[[Any], Any], columns: tuple[int, ...] | None) -> Callable[[Any], Any]:
    if columns is None:
        return flat
    places = np.asarray(columns)
    return lambda value: np.asarray(flat(value)).reshape(-1)[places]


def _flatten_actions(space: Space, actions: Sequence[Any]) -> Array:
    if space.kind in ("box", "discrete") and actions:
        return np.asarray(actions, dtype=float).reshape(len(actions), -1)
    flat = make_flattener(space)
    rows = np.zeros((len(actions), space.size))
    for place, action in enumerate(actions):
        rows[place] = flat(action)
    return rows


def _convert_rewards(rewards: Sequence[Any]) -> Array:
    try:
        return np.asarray(rewards, dtype=float).reshape(len(rewards))
    except (TypeError, ValueError):
        return np.asarray([_convert_number(reward) for reward in rewards], dtype=float)


def _find_number_keys(info: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The keys of an info that hold one number each; of a mapping inside whose name speaks of rewards, its keys too."""
    for key, value in info.items():
        if isinstance(value, Mapping):
            if "rew" in str(key).lower() or "component" in str(key).lower():
                yield from ((key, inner) for inner, number in value.items() if _is_number(number))
        elif isinstance(key, str) and _is_number(value):
            yield key, None


def _read_nested(info: Mapping[str, Any], outer: str, inner: str) -> Any:
    part = info.get(outer)
    return part.get(inner) if isinstance(part, Mapping) else None


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float | np.generic) or (isinstance(value, np.ndarray) and value.size == 1)


def _convert_number(value: object) -> float:
    try:
        return np.nan if value is None else float(np.asarray(value, dtype=float).item())
    except (TypeError, ValueError):
        return np.nan


def _fill_component(told: list[Any], column: Array) -> Array:
    """A part of the reward, nothing where it was not told; one that was told and is not a number stays so."""
    absent = np.ones(len(column), dtype=bool)
    absent[: len(told)] = [value is None for value in told[: len(column)]]
    return np.where(absent, 0.0, column)


def _pad_column(column: list[Any], steps: int) -> Array:
    values = np.full(steps, np.nan)
    values[: min(len(column), steps)] = _convert_rewards(column[:steps])
    return values
