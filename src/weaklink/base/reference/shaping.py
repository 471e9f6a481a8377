"""Whether a shaping term is the difference of a potential, or pays for going round in a loop.

A term F(s, s') = gamma * Phi(s') - Phi(s), with Phi = 0 in terminal states, leaves the best policy as it is, whatever
Phi is (Ng, Harada and Russell, 1999). The question is linear in Phi. Where states repeat, Phi has one unknown a state
and is solved for exactly; elsewhere it is a sum of smooth features, fitted on one half of the steps and tried on the
other. What no potential explains is compared with what no function of the two states explains, which is noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink.base.reference._loops import (
    NEAR,
    Array,
    Flags,
    Ints,
    LoopSteps,
    PayingLoop,
    find_idle_steps,
    find_paying_loop,
)

POTENTIAL, PAYS, UNDECIDED = "potential", "pays for a loop", "undecided"

FEWEST_STEPS, MOST_STATES, MOST_COLUMNS = 60, 1500, 200
WAVES = 120
"""Random waves of the smooth features (Rahimi and Recht, 2007)."""

KNOTS = 33
RIDGES = (1e-6, 1e-4, 1e-2)
SAME = 0.5
"""How closely a loop must close, in usual steps, and what it must pay, in largest payments, without a potential."""

MOST_UNEXPLAINED = 0.2
"""The largest share of a term that may be noise while the rest is called a potential."""


@dataclass(frozen=True, slots=True)
class ShapingLoop:
    """A way back to where it began that pays: the steps from `start` up to but not including `end`.

    `gain` is the plain sum of the term along it, `discounted` the discounted one, `state` where it begins and ends.
    """

    start: int
    end: int
    episode: int
    gain: float
    discounted: float
    state: Array

    @property
    def steps(self) -> int:
        """How long the loop is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Shaping:
    """What a shaping term is.

    `residual` is the share of its mean square that no potential explains, `noise` the share that no function of both
    states explains. `gamma` is the discount that fits: the one given, or 1. `terminal` is the size of the potential
    that terminal states have and should not have, None where it is zero or no episode terminated.
    """

    verdict: str
    residual: float = 1.0
    noise: float = 1.0
    gamma: float = 1.0
    terminal: float | None = None
    loop: ShapingLoop | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Fit:
    """One attempt: its discount, whether terminal states were held at zero, and what it leaves over at each step.

    `terminal` are the potentials of terminal states, where they were not held.
    """

    gamma: float
    held: bool
    residual: float
    left: Array
    terminal: Array


@dataclass(frozen=True, slots=True)
class _Solver:
    """How to fit a potential, what no function explains, and how close a fit can come at all."""

    fit: Callable[[float, bool], _Fit]
    noise: float
    tolerance: float


def examine_shaping(
    states: Array,
    successors: Array,
    terms: Array,
    gamma: float,
    episode: Ints,
    terminated: Flags | None = None,
    *,
    longest: int = 100,
    seed: int = 0,
) -> Shaping:
    """Tells what the term of consecutive steps is, from a row of states and of successors for each of them."""
    doubt = _explain_doubt(states, successors, terms)
    if doubt:
        return Shaping(UNDECIDED, why=doubt)
    size = float(np.max(np.abs(terms)))
    if size == 0.0:
        return Shaping(POTENTIAL, 0.0, 0.0, gamma)
    ends = np.zeros(len(terms), dtype=bool) if terminated is None else np.asarray(terminated, dtype=bool)
    steps = _make_steps(states, successors, terms / size, episode, ends)
    if steps.here.shape[1] == 0:
        return Shaping(UNDECIDED, why="the observed state never changes")
    solver = _make_exact_solver(steps) if steps.repeat else _smooth(steps, seed)
    if solver is None:
        return Shaping(UNDECIDED, why="too few different steps between the same states")
    fits = _list_fits(solver, gamma, bool(ends.any()))
    enough = max(solver.tolerance, 1.1 * solver.noise)
    chosen = min(fits, key=lambda fit: fit.residual)
    if chosen.residual <= enough:
        chosen = next(fit for fit in fits if fit.residual <= min(enough, 3 * chosen.residual + 1e-9))
    facts = (chosen.residual, solver.noise, chosen.gamma)
    if chosen.residual <= min(enough, MOST_UNEXPLAINED):
        terminal = None if chosen.held else size * _measure_terminal(chosen)
        return Shaping(POTENTIAL, *facts, terminal)
    found = _find_loop(steps, solver, chosen, gamma, longest)
    if isinstance(found, str):
        return Shaping(UNDECIDED, *facts, why=found)
    start, length = found.start, found.length
    loop = ShapingLoop(
        start, start + length, int(episode[start]), found.plain * size, found.discounted * size, states[start]
    )
    return Shaping(PAYS, *facts, loop=loop)


def _explain_doubt(states: Array, successors: Array, terms: Array) -> str:
    """Why these steps cannot be judged at all, or nothing."""
    if len(terms) < FEWEST_STEPS:
        return f"fewer than {FEWEST_STEPS} steps"
    if states.ndim != 2 or states.shape != successors.shape or len(states) != len(terms):
        return "states, successors and terms do not belong together"
    if states.shape[1] > MOST_COLUMNS:
        return f"more than {MOST_COLUMNS} columns"
    sound = all(bool(np.all(np.abs(values) < 1e100)) for values in (states, successors, terms))
    return "" if sound else "values that are not finite"


def _make_steps(states: Array, successors: Array, terms: Array, episode: Ints, ends: Flags) -> LoopSteps:
    """States in units of the spread of each column, those that never change left out, and numbered."""
    both = np.concatenate([states, successors]).astype(np.float64)
    middle, spread = both.mean(axis=0), both.std(axis=0)
    live = spread > 1e-9 * np.maximum(1.0, np.abs(middle))
    scaled = (both[:, live] - middle[live]) / spread[live]
    numbers, count = _number_rows(scaled), len(terms)
    repeat = int(numbers.max()) < min(count // 3, MOST_STATES)
    return LoopSteps(scaled[:count], scaled[count:], numbers[:count], numbers[count:], terms, episode, ends, repeat)


def _number_rows(rows: Array) -> Ints:
    """The same number for the same row, from 0."""
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    rounded = np.round(rows, 6)
    order = np.lexsort(rounded.T)
    numbers = np.empty(len(rows), dtype=np.int64)
    numbers[order] = np.cumsum(np.append(False, np.any(np.diff(rounded[order], axis=0) != 0, axis=1)))
    return numbers


def _list_fits(solver: _Solver, gamma: float, ends: bool) -> list[_Fit]:
    """Attempts in the order of preference: terminal states at zero before free ones, the discount given before 1."""
    ways = [(gamma, True), (1.0, True)]
    if ends:
        ways += [(gamma, False), (1.0, False)]
    return [solver.fit(*way) for way in ways]


def _make_exact_solver(steps: LoopSteps) -> _Solver | None:
    """Least squares with one unknown a state; None where there are too few different steps to check it against."""
    before, after, terms, total = steps.before, steps.after, steps.terms, len(steps.terms)
    count = int(max(before.max(), after.max())) + 1
    edges = _number_rows(np.stack([before, after], axis=1).astype(np.float64))
    kinds = int(edges.max()) + 1
    if kinds - count < max(10, count // 10) or total - kinds < 20:
        return None
    means = np.bincount(edges, weights=terms) / np.bincount(edges)
    noise = float(np.sum((terms - means[edges]) ** 2)) / (total - kinds) / steps.square

    def fit(gamma: float, held: bool) -> _Fit:
        weight = np.where(steps.ends & held, 0.0, gamma)
        matrix, right = np.zeros((count, count)), np.zeros(count)
        np.add.at(matrix, (before, before), 1.0)
        np.add.at(matrix, (after, after), weight**2)
        np.add.at(matrix, (before, after), -weight)
        np.add.at(matrix, (after, before), -weight)
        np.add.at(right, before, -terms)
        np.add.at(right, after, weight * terms)
        matrix[np.diag_indices(count)] += 1e-9
        values: Array = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        left = terms - (weight * values[after] - values[before])
        residual = float(left @ left) / max(total - count, 1) / steps.square
        return _Fit(gamma, held, residual, left, values[after][steps.ends])

    return _Solver(fit, noise, 1e-3)


def _smooth(steps: LoopSteps, seed: int) -> _Solver:
    """Ridge regression on smooth features, and what the same features leave over when no potential binds them."""
    rng = np.random.default_rng(seed)
    features = _make_features(steps.here, rng)
    here, there = features(steps.here), features(steps.there)
    half = _split_half(steps.episode)

    def fit(gamma: float, held: bool) -> _Fit:
        weight = np.where(steps.ends & held, 0.0, gamma)[:, None]
        design = weight * there - here
        left = _fit_halves(design, steps.terms, half)
        matrix = design.T @ design + RIDGES[0] * len(design) * np.eye(design.shape[1])
        ends = there[steps.ends] @ np.linalg.solve(matrix, design.T @ steps.terms)
        return _Fit(gamma, held, float(np.mean(left**2)) / steps.square, left, np.asarray(ends, dtype=np.float64))

    moves = steps.there - steps.here
    moved = moves / np.maximum(moves.std(axis=0), 1e-12)
    joint = np.hstack([steps.here, moved])
    free = np.hstack([here, there, _make_features(joint, rng)(joint), steps.ends[:, None]])
    left = _fit_halves(free, steps.terms, half)
    return _Solver(fit, float(np.mean(left**2)) / steps.square, 0.03)


def _make_features(rows: Array, rng: np.random.Generator) -> Callable[[Array], Array]:
    """A constant, the columns, their squares and products where they are few, and waves of several lengths.

    The waves run over ranks, half of them over values too, so that they are short where most states are.
    """
    columns = rows.shape[1]
    lengths = np.sqrt(columns) * rng.choice([0.5, 1.0, 2.0], WAVES)
    turns = rng.normal(0.0, 1.0, (columns, WAVES)) / lengths
    phases = rng.uniform(0.0, 2.0 * np.pi, WAVES)
    first, second = np.triu_indices(columns) if columns <= 8 else (np.arange(columns), np.arange(columns))
    marks = np.linspace(-np.sqrt(3.0), np.sqrt(3.0), KNOTS)
    knots = np.sort(rows, axis=0)[np.linspace(0, len(rows) - 1, KNOTS).astype(int)]

    def made(rows: Array) -> Array:
        near = np.clip(rows, -5.0, 5.0)
        ranks = np.stack([np.interp(rows[:, place], knots[:, place], marks) for place in range(columns)], axis=1)
        waves = np.hstack([ranks @ turns[:, ::2], near @ turns[:, 1::2]]) + np.hstack([phases[::2], phases[1::2]])
        return np.hstack([np.ones((len(rows), 1)), near, near[:, first] * near[:, second], np.cos(waves)])

    return made


def _split_half(episode: Ints) -> Flags:
    """Which of two halves each step belongs to: whole episodes, or blocks of one where they are few."""
    if int(episode.max() - episode.min()) >= 3:
        return np.asarray(episode % 2 == 1)
    return np.asarray((np.arange(len(episode)) * 16 // len(episode)) % 2 == 1)


def _fit_halves(design: Array, terms: Array, half: Flags) -> Array:
    """What is left of each half of the terms by the fit on the other half, with the ridge that does best."""
    scale = np.sqrt(np.mean(design**2, axis=0))
    scaled = design[:, scale > 1e-12] / scale[scale > 1e-12]
    best = terms
    sums = [(part, scaled[part].T @ scaled[part], scaled[part].T @ terms[part]) for part in (half, ~half)]
    for ridge in RIDGES:
        left = np.empty(len(terms))
        for part, matrix, right in sums:
            firm = ridge * max(int(part.sum()), 1) * np.eye(len(right))
            left[~part] = terms[~part] - scaled[~part] @ np.linalg.solve(matrix + firm, right)
        if left @ left < best @ best:
            best = left
    return np.asarray(best)


def _measure_terminal(chosen: _Fit) -> float:
    """The size of the potential of terminal states; without a discount only their differences mean something."""
    values = chosen.terminal - (chosen.terminal.mean() if chosen.gamma == 1.0 else 0.0)
    return float(np.sqrt(np.mean(values**2)))


def _find_loop(steps: LoopSteps, solver: _Solver, chosen: _Fit, gamma: float, longest: int) -> PayingLoop | str:
    """The best loop that pays beyond any potential, or why none can be named."""
    size = float(np.sqrt(steps.square))
    found, plain = None, chosen.residual > 2 * solver.noise
    if plain:
        # a loop that does not quite close is paid for the gap by the part of the term that is a potential
        gap = 0.0 if steps.repeat else 2.0 * float(np.std(steps.terms - chosen.left)) + 0.15 * size

        def clear(length: int) -> float:
            return size * (0.1 + 4.0 * float(np.sqrt(solver.noise * length))) + gap

        found = find_paying_loop(steps, chosen.left, gamma, longest, clear)
    if found is None and float(steps.terms.min()) >= 0 and np.mean(steps.terms == 0) > 0.2:
        # a bonus that is often exactly zero: where one way round pays nothing, a potential lets no other way round pay
        # a new record or a first visit pays only where the episode has not been: so the loop must end with a payment
        fixed = float(np.min(steps.terms[steps.terms > 0])) > 0.99
        rules: dict[str, Any] = {"ending": steps.terms > 0.3, "near": NEAR if fixed else SAME}
        found = find_paying_loop(
            steps, steps.terms, gamma, longest, lambda _: SAME, starting=find_idle_steps(steps, longest), **rules
        )
        levels = None if found is not None or steps.repeat else _find_one_way(steps)
        if levels is not None:
            found = find_paying_loop(levels, steps.terms, gamma, longest, lambda _: SAME, **rules)
        plain = True
    return found or ("no loop was seen that pays" if plain else "noise hides what the term is made of")


def _find_one_way(steps: LoopSteps) -> LoopSteps | None:
    """The steps with the level of a potential for their state, where the term pays its rises and charges no falls."""
    features, half = _make_features(steps.here, np.random.default_rng(0)), _split_half(steps.episode)
    here, there = features(steps.here), features(steps.there)
    design = there - here
    if min(int(np.count_nonzero(steps.terms[part])) for part in (half, ~half)) < FEWEST_STEPS:
        return None
    change = np.empty(len(half))
    for part in (half, ~half):
        change[~part] = design[~part] @ _rises(design[part], steps.terms[part])
    left = steps.terms - np.maximum(change, 0.0)
    fall, rise = change[steps.terms == 0].mean(), steps.terms[steps.terms > 0].mean()
    if float(np.mean(left**2)) > 0.25 * steps.square or float(fall) > -0.2 * float(rise):
        return None
    weights = _rises(design, steps.terms)
    levels = [np.asarray(rows @ weights, dtype=np.float64)[:, None] for rows in (here, there)]
    return LoopSteps(levels[0], levels[1], steps.before, steps.after, steps.terms, steps.episode, steps.ends, False)


def _rises(design: Array, terms: Array) -> Array:
    """The fit of max(0, change) to the terms: steps that pay nothing count only where the fit would have them pay."""
    weights, counted = np.zeros(design.shape[1]), terms > 0
    for _ in range(8):
        seen = design[counted]
        matrix = seen.T @ seen + RIDGES[1] * len(design) * np.diag(np.mean(design**2, axis=0) + 1e-12)
        weights = np.asarray(np.linalg.solve(matrix, seen.T @ terms[counted]), dtype=np.float64)
        counted = (terms > 0) | (design @ weights > 0)
    return weights
