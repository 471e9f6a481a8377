"""The agent with a table: exact dynamic programming where transitions are listed, Q-learning elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment, Policy
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, make_flattener, unflatten_rows
from weaklink.base.evidence.survey import Q_LEARNING, Play
from weaklink.collect.survey.sampler import play
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.sweeps import pick_values

MOST_STATES = 20_000
BINS = 8
WIDEST_BINNED = 4
GREEDY = 0.9
STEPS_PER_RANDOM_STEP = 2
SWEEPS = 5_000

State = Callable[[Any], Hashable]


def play_tabular(session: SurveySession, environment: Environment, random: Play, until: float) -> Play | None:
    """Plays the best policy that a table can hold; None where states or actions are too many for one."""
    if environment.action.kind != "discrete" or environment.observation.kind == "other":
        return None
    moves = _list_transitions(environment)
    if moves is not None:
        act, told = _solve_exactly(moves, session.plan.gamma, environment), "exact dynamic programming"
    else:
        state = _make_state_key(environment.observation, random)
        if state is None:
            return None
        act, told = _learn_policy(session, environment, state, session.clock() + 0.6 * (until - session.clock()))
    return play(
        session,
        environment,
        act,
        policy="tabular" if moves is not None else Q_LEARNING,
        told=told,
        steps=1,
        episodes=session.plan.episodes,
        until=until,
        keep=session.plan.steps // 4,
    )


def _list_transitions(environment: Environment) -> list[tuple[Any, ...]] | None:
    """Every transition as the toy texts of Gymnasium list them: `P[state][action]`; None where P is something else."""
    listed, seen, done = getattr(environment.inner, "P", None), environment.observation, environment.action
    if not isinstance(listed, Mapping) or seen.kind != "discrete" or seen.first != (0,):
        return None
    states, actions = set(range(seen.choices[0])), set(range(done.choices[0]))
    if set(listed) != states or not all(isinstance(row, Mapping) and set(row) == actions for row in listed.values()):
        return None
    moves = [
        (state, action, *outcome)
        for state, by_action in listed.items()
        for action, outcomes in by_action.items()
        for outcome in outcomes
    ]
    return moves if all(len(move) == 6 and move[3] in states for move in moves) else None


def _solve_exactly(moves: list[tuple[Any, ...]], gamma: float, environment: Environment) -> Policy:
    """Value iteration."""
    states, actions = environment.observation.choices[0], environment.action.choices[0]
    start, chosen, chance, following, paid, done = (np.array(column) for column in zip(*moves, strict=True))
    place = start.astype(int) * actions + chosen.astype(int)
    value = np.zeros(states)
    worth = np.zeros(states * actions)
    for _ in range(SWEEPS):
        ahead = chance * (paid + gamma * np.where(done, 0.0, value[following.astype(int)]))
        worth = np.bincount(place, weights=ahead, minlength=states * actions).astype(float)
        better = worth.reshape(states, actions).max(axis=1)
        if np.abs(better - value).max() < 1e-10:
            break
        value = better
    best = worth.reshape(states, actions).argmax(axis=1)
    first = environment.action.first[0]
    return lambda observation: np.int64(best[int(observation)] + first)


def _make_state_key(space: Space, random: Play) -> State | None:
    """What to call a state: the observation itself where it is made of choices, bins of it where it is small."""
    flat = make_flattener(space)
    kinds = {column.kind for column in space.columns} if space.size <= 64 else {"pixel"}
    if kinds <= {"category", "binary"}:
        return lambda observation: np.asarray(flat(observation), dtype=float).tobytes()
    if kinds != {"number"} or space.size > WIDEST_BINNED or random.observations is None:
        return None
    edges = np.quantile(random.observations, np.linspace(0, 1, BINS + 1)[1:-1], axis=0)
    weights = BINS ** np.arange(space.size)
    return lambda observation: int(((np.asarray(flat(observation)) > edges).sum(axis=0) * weights).sum())


def _learn_policy(session: SurveySession, environment: Environment, state: State, until: float) -> tuple[Policy, str]:
    """Q-learning, greedy nine times of ten."""
    choices = pick_values(environment.action, 0, environment.action.columns[0])
    actions = unflatten_rows(environment.action, choices[:, None])
    rng = np.random.default_rng(session.plan.seed + 5)
    table: dict[Hashable, Array] = {}
    counts: dict[Hashable, Array] = {}
    budget = session.steps + STEPS_PER_RANDOM_STEP * session.plan.steps
    gamma = session.plan.gamma

    def row(key: Hashable) -> Array:
        if key not in table:
            table[key], counts[key] = np.zeros(len(actions)), np.zeros(len(actions))
        return table[key]

    call = "reset"
    try:
        while session.steps < budget and session.clock() < until and len(table) < MOST_STATES:
            call = "reset"
            key = state(environment.reset(None)[0])
            call = "step"
            for _ in range(1000):
                worth = row(key)
                place = int(worth.argmax()) if rng.random() < GREEDY else int(rng.integers(len(actions)))
                observation, reward, terminated, truncated, _ = environment.step(actions[place])
                session.steps += 1
                following = state(observation)
                target = float(reward) + (0.0 if terminated else gamma * float(row(following).max()))
                counts[key][place] += 1
                worth[place] += (target - worth[place]) / max(counts[key][place] ** 0.7, 1.0)
                key = following
                if terminated or truncated or (not session.steps & session.mask and session.tick() > until):
                    break
    except Exception as error:
        session.blame(error, call)

    def act(observation: Any) -> Any:
        known = table.get(state(observation))
        return actions[0 if known is None else int(known.argmax())]

    return act, f"Q-learning over {len(table)} states"
