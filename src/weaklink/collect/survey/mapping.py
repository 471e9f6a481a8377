"""A small world, mapped: every action tried in every state that any course of actions reaches from a start.

A state is what is seen. Where an action that is taken again from the same state leads elsewhere, what is seen is not
all there is: of such a world only what was reached is said, and nothing of what cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import count
from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.reachable import ReachedStates
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import unflatten_rows
from weaklink.base.evidence.survey import SUCCESS
from weaklink.collect.survey.masks import freeze
from weaklink.collect.survey.resets import list_generators
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.sweeps import MOST_CHOICES, pick_values
from weaklink.collect.survey.world_map import MappedStep, WorldMap

STARTS = 24
FIRST_SEED = 4000
MOST_STATES = 4000
"""States of one start: a key that may lie anywhere in two rooms makes as many."""

MOST_STEPS = 50
"""Steps of all maps together for each step of random play: who asks for a short survey gets one."""

EARLY, FEWEST_RETURNS = 300, 0.1
"""From so many states on, the share of actions that must have led to a state seen before: in a small world most do."""

FEWEST_CIRCLED = 20
"""Steps within which circles must have paid."""

CIRCLING = 200
"""Steps over which what circles pay is looked for and then played: far more than the circles that matter take."""

HEARD = 8
"""Episodes of a start after which it is looked whether steps drew random numbers."""

CHECKED = 60
"""Steps of the way on which a map is checked again."""

SOONER = 0.99
"""What is paid a step later counts for a little less: otherwise waiting would do as well as going round."""


class _TooLarge(Exception):
    """Hardly any step leads to a state that was seen before."""


def map_small_world(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Maps as many starts as the time allows; nothing where the world is not small, or holds more than is seen."""
    space = environment.action
    if not session.deterministic or space.kind != "discrete" or space.choices[0] > MOST_CHOICES:
        return {}
    actions = unflatten_rows(space, pick_values(space, 0, space.columns[0])[:, None])
    limit = environment.facts.get("max_episode_steps") or np.inf
    worlds: list[tuple[WorldMap, float]] = []
    last = session.steps + MOST_STEPS * session.plan.steps

    def is_over() -> bool:
        return session.over or session.steps >= last

    try:
        for start in range(STARTS):
            world = WorldMap(actions, limit)
            _explore(session, environment, world, FIRST_SEED + start, is_over)
            if not world.steps:  # the time was up before
                break
            _check_again(session, environment, world, FIRST_SEED + start)
            worlds.append((world, _play_circles(session, environment, world, FIRST_SEED + start)))
            if world.holds and (way := world.find_prized_way()) is not None:
                session.ways[FIRST_SEED + start] = [actions[action] for action in way]
            if is_over():
                break
    except _TooLarge:
        return {}
    except Exception as error:
        session.blame(error, "step")
        return {}
    if not worlds:
        return {}
    # chance, or something hidden, that some starts show has its part in all of them
    holds = all(world.holds for world, _ in worlds) and _agree([world for world, _ in worlds])
    found = [_summarise_map(world, FIRST_SEED + start, loop, holds) for start, (world, loop) in enumerate(worlds)]
    return {"reached": tuple(found)}


def _agree(worlds: list[WorldMap]) -> bool:
    """Whether an action leads to the same from what looks the same, in whichever start; what ends pay is apart."""
    known: dict[tuple[bytes, int], tuple[bytes, float]] = {}
    for world in worlds:
        seen = {state: look for look, state in world.numbers.items()}
        for state, steps in enumerate(world.steps):
            for action, step in steps.items():
                led = (b"", 0.0) if step.following is None else (seen[step.following], step.paid)
                if known.setdefault((seen[state], action), led) != led:
                    return False
    return True


def _explore(
    session: SurveySession, environment: Environment, world: WorldMap, seed: int, is_over: Callable[[], bool]
) -> None:
    """Plays episode after episode until every action was tried everywhere, or the states or the time are too many."""

    def look(observation: Any) -> int:
        return world.number(freeze(observation))

    for episode in count():
        if is_over() or len(world.steps) >= MOST_STATES:
            return
        state = look(environment.reset(seed)[0])
        way = world.find_way(state)
        if state != 0 or way is None or len(way) >= world.limit:
            return
        drawn = dict(list_generators(environment)) if episode < HEARD else {}
        _walk(session, environment, world, look, way, is_over)
        # where steps draw random numbers, the map is of what chance had in store for one seed
        world.holds &= episode >= HEARD or drawn == dict(list_generators(environment))
        if len(world.steps) >= EARLY and world.measure_returns() < FEWEST_RETURNS:
            raise _TooLarge


def _walk(
    session: SurveySession,
    environment: Environment,
    world: WorldMap,
    look: Callable[[Any], int],
    way: list[int],
    is_over: Callable[[], bool],
) -> None:
    """One episode: along a known way, then by actions that were not tried, or by the next way to one."""
    state, time, onward = 0, 0, iter(way)
    while time < world.limit and not is_over() and len(world.steps) < MOST_STATES:
        action = next(onward, None)
        action = world.find_untried(state) if action is None else action
        if action is None:
            way = world.find_way(state) or []
            if not way:
                return
            action, onward = way[0], iter(way[1:])
        observation, reward, terminated, truncated, info = environment.step(world.actions[action])
        session.steps += 1
        session.tick()
        time += 1
        success = any(bool(np.any(info[key])) for key in SUCCESS if key in info)
        step = MappedStep(None if terminated else look(observation), float(reward), success, bool(terminated))
        if not world.note(state, action, step):
            onward = iter(())
        if step.following is None or truncated:
            return
        state = step.following


def _check_again(session: SurveySession, environment: Environment, world: WorldMap, seed: int) -> None:
    """Takes actions at random where all of them were tried: does each lead where it led?"""
    rng = np.random.default_rng(seed)
    environment.reset(seed)
    state, time = 0, 0
    while len(world.steps[state]) == len(world.actions) and time < min(world.limit, CHECKED) and not session.over:
        action = int(rng.integers(len(world.actions)))
        _, reward, terminated, truncated, _ = environment.step(world.actions[action])
        session.steps += 1
        time += 1
        known = world.steps[state][action]
        world.holds &= (known.paid, known.terminated) == (float(reward), bool(terminated))
        if known.following is None or terminated or truncated:
            return
        state = known.following


def _summarise_map(world: WorldMap, seed: int, loop: float, holds: bool) -> ReachedStates:
    distances = world.measure_distances()
    inside = {state for state, steps in distances.items() if steps < world.limit}
    tried = all(world.find_untried(state) is None for state in inside)
    whole = holds and tried and len(world.steps) < MOST_STATES
    course, ends = _digest_map(world) if whole else ("", {})
    prized = [(distances[at] + 1, step.paid) for (at, _), step in world.find_prizes().items() if at in inside]
    return ReachedStates(
        seed=seed,
        states=len(world.steps),
        whole=whole,
        nearest=min((steps for steps, _ in prized), default=None),
        prize=max((paid for _, paid in prized), default=0.0),
        loop=loop if holds else 0.0,
        course=course,
        ends=ends,
    )


def _digest_map(world: WorldMap) -> tuple[str, dict[tuple[str, int], float]]:
    """What stands for all that is seen and paid on the way, in whatever order it was found, and what ends pay."""
    seen = {state: blake2b(look, digest_size=12).hexdigest() for look, state in world.numbers.items()}
    course, ends = [], {}
    for state, steps in enumerate(world.steps):
        for action, step in steps.items():
            if step.following is None:
                ends[seen[state], action] = step.paid
            there = "end" if step.following is None else f"{seen[step.following]} {step.paid!r}"
            course.append(f"{seen[state]} {action} {there}")
    return blake2b("\n".join(sorted(course)).encode(), digest_size=12).hexdigest(), ends


def _play_circles(session: SurveySession, environment: Environment, world: WorldMap, seed: int) -> float:
    """What a step pays on average where the best circles of the map are played, until the time is up.

    0 where they do not pay as mapped.
    """
    best = _find_best_circling(world) if world.holds else None
    if best is None:
        return 0.0
    state, paid, steps, is_up = 0, 0.0, 0, False
    environment.reset(seed)
    while steps < min(world.limit - 1, CIRCLING) and not is_up:
        action = best[state]
        _, reward, terminated, is_up, _ = environment.step(world.actions[action])
        session.steps += 1
        known = world.steps[state][action]
        if terminated or known.following is None or known.paid != float(reward):
            return 0.0
        state, paid, steps = known.following, paid + float(reward), steps + 1
    return max(paid / steps, 0.0) if steps >= FEWEST_CIRCLED else 0.0


def _find_best_circling(world: WorldMap) -> list[int] | None:
    """The action of each state that earns most over many steps without an end; None where none of them pays."""
    edges = [
        (state, action, step.following, step.paid)
        for state, steps in enumerate(world.steps)
        for action, step in steps.items()
        if step.following is not None
    ]
    if not any(paid > 0.0 for *_, paid in edges):
        return None
    here, action, there, paid = (np.array(column) for column in zip(*edges, strict=True))
    worth: Array = np.zeros(len(world.steps))
    for _ in range(CIRCLING):
        ahead = paid + SOONER * worth[there]
        worth = np.full(len(worth), -np.inf)
        np.maximum.at(worth, here, ahead)
    order = np.argsort(paid + SOONER * worth[there], kind="stable")
    best = np.zeros(len(worth), dtype=int)
    best[here[order]] = action[order]
    return best.tolist() if worth[0] > 0.0 else None
