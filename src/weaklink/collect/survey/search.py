"""A weak expert for those who have none: a linear policy found by the cross-entropy method.

Rubinstein 1999; that linear policies and random search go far on control tasks: Mania et al. 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.protocols import Environment, Policy
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, find_bounds, make_flattener, unflatten
from weaklink.base.evidence.survey import Play
from weaklink.collect.survey.sampler import pick_columns, play
from weaklink.collect.survey.session import SurveySession

POPULATION = 32
ELITE = 8
EPISODES = 2
FINALISTS = 3
FINAL_EPISODES = 6
MOST_INPUTS = 64
MOST_CHOICES_SEEN = 512
PATIENCE = 8
DRAWS = 997
"""Draws that a policy with chance in it goes through again and again: adding Gumbel noise is drawing by softmax."""

STEPS_PER_RANDOM_STEP = 4
FAR_BETTER = 10.0
"""Standard deviations above random play at which a weak expert is good enough to stop looking for a better one."""


class LinearPolicies(msgspec.Struct, frozen=True):
    """What a linear policy sees and gives out: standardised observations in, one score for each choice or number."""

    inputs: int
    outputs: int
    features: Callable[[Any], Array]
    action: Callable[[Array], Any]
    chooses: bool

    @property
    def size(self) -> int:
        """Numbers that make one policy; the last says whether it draws among choices or always takes the best."""
        return self.outputs * (self.inputs + 1) + 1

    def policy(self, weights: Array) -> Policy:
        """The policy with these weights."""
        matrix = weights[: self.outputs * self.inputs].reshape(self.outputs, self.inputs)
        offset = weights[self.outputs * self.inputs : -1]
        features, action = self.features, self.action
        if not self.chooses or weights[-1] < 0:
            return lambda observation: action(matrix @ features(observation) + offset)
        draws = cycle(np.random.default_rng(0).gumbel(size=(DRAWS, self.outputs)))
        return lambda observation: action(matrix @ features(observation) + offset + next(draws))


def search(session: SurveySession, environment: Environment, random: Play, until: float) -> Play | None:
    """Searches until the time or the steps are up, then plays the best policy found for the full count of episodes."""
    linear = make_linear_policies(environment, random)
    if linear is None:
        return None
    rng = np.random.default_rng(session.plan.seed + 4)
    mean, spread = np.zeros(linear.size), np.ones(linear.size)
    best: list[tuple[float, Array]] = []
    budget = session.steps + STEPS_PER_RANDOM_STEP * session.plan.steps
    searching = session.clock() + 0.6 * max(until - session.clock(), 0.0)
    tries, stale, enough = 0, 0, _find_target_return(environment, random)
    while session.clock() < searching and session.steps < budget and stale < PATIENCE:
        drawn = mean + spread * rng.normal(size=(POPULATION, linear.size))
        scored = _score_policies(session, environment, linear, drawn, searching)
        if len(scored) < ELITE:
            break
        tries += len(scored)
        best, improved = _keep_best(best, scored)
        stale = 0 if improved else stale + 1
        mean, spread = _move_distribution(scored, mean, spread)
        if scored[0][0] >= enough:
            break
    if not best:
        return None
    weights = _pick_finalist(session, environment, linear, [*best, (0.0, mean)], searching)
    return play(
        session,
        environment,
        linear.policy(weights),
        policy="search",
        told=f"the best of {tries} linear policies, by the cross-entropy method",
        steps=1,
        episodes=session.plan.episodes,
        until=until,
        keep=session.plan.steps // 2,
    )


def _find_target_return(environment: Environment, random: Play) -> float:
    """The return at which the search ends: what the environment calls solved, or far above random play."""
    threshold = environment.facts.get("reward_threshold")
    if isinstance(threshold, int | float):
        return float(threshold)
    if not random.episodes:
        return np.inf
    return float(random.returns.mean() + FAR_BETTER * max(random.returns.std(), 1e-3 * abs(random.returns.mean())))


def _score_policies(
    session: SurveySession, environment: Environment, linear: LinearPolicies, drawn: Array, until: float
) -> list[tuple[float, Array]]:
    scored: list[tuple[float, Array]] = []
    for weights in drawn:
        result = _measure_mean_return(session, environment, linear.policy(weights), EPISODES, until)
        if result is None:
            break
        scored.append((result, weights))
    return sorted(scored, key=lambda one: -one[0])


def _measure_mean_return(
    session: SurveySession, environment: Environment, act: Policy, episodes: int, until: float
) -> float | None:
    tried = play(session, environment, act, policy="", steps=1, episodes=episodes, until=until)
    return float(tried.returns.mean()) if tried.episodes else None


def _keep_best(
    best: list[tuple[float, Array]], scored: list[tuple[float, Array]]
) -> tuple[list[tuple[float, Array]], bool]:
    together = sorted([*best, *scored], key=lambda one: -one[0])[:FINALISTS]
    return together, not best or together[0][0] > best[0][0]


def _move_distribution(scored: list[tuple[float, Array]], mean: Array, spread: Array) -> tuple[Array, Array]:
    """The next distribution; it stays where it is while no policy is better than another."""
    if scored[0][0] <= scored[-1][0]:
        return mean, spread
    elite = np.array([weights for _, weights in scored[:ELITE]])
    return elite.mean(axis=0), elite.std(axis=0) + 0.1


def _pick_finalist(
    session: SurveySession,
    environment: Environment,
    linear: LinearPolicies,
    finalists: list[tuple[float, Array]],
    until: float,
) -> Array:
    """The finalist that does best over more episodes: the first scores were of the lucky."""
    again = [
        (_measure_mean_return(session, environment, linear.policy(weights), FINAL_EPISODES, until + 1.0), weights)
        for _, weights in finalists
    ]
    known = [(score, weights) for score, weights in again if score is not None]
    return max(known, key=lambda one: one[0])[1] if known else finalists[0][1]


def make_linear_policies(environment: Environment, random: Play) -> LinearPolicies | None:
    """The linear policies for these spaces; None where they cannot be seen or done as numbers."""
    given = _make_action_decoder(environment.action)
    if given is None or random.observations is None or not environment.observation.size:
        return None
    inputs, features = _make_features(environment.observation, random)
    return LinearPolicies(inputs, given[0], features, given[1], environment.action.kind != "box")


def _make_features(space: Space, random: Play) -> tuple[int, Callable[[Any], Array]]:
    if space.kind == "discrete" and space.choices[0] <= MOST_CHOICES_SEEN:
        table, first = np.eye(space.choices[0]), space.first[0]
        return space.choices[0], lambda observation: np.asarray(table[int(observation) - first])
    rows = random.observations if random.observations is not None else np.zeros((1, space.size))
    usable = rows[np.isfinite(rows).all(axis=1)]
    usable = usable if len(usable) else np.zeros((1, rows.shape[1]))
    mean, spread = usable.mean(axis=0), usable.std(axis=0)
    scale = np.where(spread > 1e-9, 1.0 / np.maximum(spread, 1e-9), 0.0)
    flat = _make_row_reader(space)
    if len(mean) <= MOST_INPUTS:
        return len(mean), lambda observation: np.clip((flat(observation) - mean) * scale, -5.0, 5.0)
    mixing = np.random.default_rng(0).normal(size=(MOST_INPUTS, len(mean))) * scale / np.sqrt(max((scale > 0).sum(), 1))
    return MOST_INPUTS, lambda observation: np.asarray(mixing @ (flat(observation) - mean))


def _make_row_reader(space: Space) -> Callable[[Any], Array]:
    flat, columns = make_flattener(space), pick_columns(space)
    if columns is None:
        return flat
    places = np.asarray(columns)
    return lambda observation: np.asarray(flat(observation)).reshape(-1)[places]


def _make_action_decoder(space: Space) -> tuple[int, Callable[[Array], Any]] | None:
    """How many scores an action takes, and the action that they make."""
    if not space.size:
        return None
    if space.kind == "discrete":
        first = space.first[0]
        return space.choices[0], lambda scores: np.int64(int(scores.argmax()) + first)
    low, high = find_bounds(space)
    if space.kind == "box":
        middle, half = _find_range(low, high)
        shape, dtype = space.shape, np.dtype(space.dtype or "float64")
        return space.size, lambda scores: (middle + half * np.tanh(scores)).reshape(shape).astype(dtype)
    sizes = [1 if column.kind == "number" else int(column.high - column.low) + 1 for column in space.columns]
    edges = np.concatenate([[0], np.cumsum(sizes)])
    middle, half = _find_range(low, high)

    def action(scores: Array) -> Any:
        row = np.empty(len(sizes))
        for place, size in enumerate(sizes):
            part = scores[edges[place] : edges[place + 1]]
            row[place] = middle[place] + half[place] * np.tanh(part[0]) if size == 1 else low[place] + part.argmax()
        return unflatten(space, row)

    return int(edges[-1]), action


def _find_range(low: Array, high: Array) -> tuple[Array, Array]:
    bounded = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
    return (low + high) / 2, (high - low) / 2
