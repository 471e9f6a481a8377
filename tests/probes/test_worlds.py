"""The problems of the ladder against slow and independent ways to their answers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from weaklink.base.reference.backups import MISTAKES
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.world import World

GAMMA = 0.9
WORLDS = list({type(probe.world): probe.world for probe in ALL_PROBES}.values())
VALUED = [world for world in WORLDS if "value" in world.asked]
STEPS = 6000


def named(world: World) -> str:
    return type(world).__name__


def drawn(rng: np.random.Generator, options):
    point, total = rng.random(), 0.0
    for option in options:
        total += option[0]
        if point < total:
            return option
    return options[-1]


class Played:
    """A right agent's steps, one after the other, as a collector would see them."""

    def __init__(self, world: World, steps: int = STEPS, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.world = world
        self.states, self.ways, self.then = [], [], []
        state = drawn(rng, world.restart(None))[1]
        for _ in range(steps):
            way = drawn(rng, world.law(state, world.oracle(state)))
            then = drawn(rng, world.restart(way.to))[1] if way.ends else way.to
            self.states.append(state)
            self.ways.append(way)
            self.then.append(then)
            state = then


@pytest.mark.parametrize("world", WORLDS, ids=named)
def test_a_problem_is_whole(world):
    assert len(world.labels) == len(world.looks) == world.states
    assert len({len(look) for look in world.looks}) == 1
    assert all(-1.0 <= number <= 1.0 for look in world.looks for number in look)
    for state in range(world.states):
        for choice in (*world.right(state), *range(world.choices)):
            ways = world.law(state, choice)
            assert sum(way.chance for way in ways) == pytest.approx(1.0)
            assert all(0 <= way.to < world.states for way in ways)
            assert not any(way.terminated and way.truncated for way in ways)
    for last in (None, *range(world.states)):
        if last is None or last in world.starts:
            assert sum(chance for chance, _ in world.restart(last)) == pytest.approx(1.0)


@pytest.mark.parametrize("world", WORLDS, ids=named)
def test_last_observations_are_such_that_an_episode_can_begin_after_them(world):
    ends = [
        way for state in range(world.states) for choice in (0, 1) for way in tried(world, state, choice) if way.ends
    ]
    assert ends
    for way in ends:
        assert all(start in world.starts for _, start in world.restart(way.to))


def tried(world, state, choice):
    return world.law(state, choice if choice < world.choices else world.oracle(state))


@pytest.mark.parametrize("world", WORLDS, ids=named)
def test_paths_lead_there(world):
    paths = world.paths()
    assert set(world.visited) <= set(paths)
    for state, path in paths.items():
        way = [*path, state]
        assert way[0] in world.starts
        for before, after in itertools.pairwise(way):
            options = (*world.right(before), *range(world.choices))
            assert after in {way.to for choice in options for way in world.law(before, choice) if not way.ends}


def earned(world: World, choose, seed: int = 0) -> float:
    """The mean discounted return of many episodes, a truncated one being worth its steps."""
    rng, total, episodes = np.random.default_rng(seed), 0.0, 400
    for _ in range(episodes):
        state, weight = drawn(rng, world.restart(None))[1], 1.0
        for _ in range(60):
            way = drawn(rng, world.law(state, choose(state, rng)))
            total, state, weight = total + weight * way.reward, way.to, weight * GAMMA
            if way.ends:
                break
    return total / episodes


@pytest.mark.parametrize("world", [world for world in WORLDS if any(map(world.right, range(world.states)))], ids=named)
def test_nobody_earns_more_than_the_oracle(world):
    best = earned(world, lambda state, rng: world.oracle(state))
    for seed in range(5):
        if world.choices:
            fixed = np.random.default_rng(seed).integers(world.choices, size=world.states)
            other = earned(world, lambda state, rng, fixed=fixed: int(fixed[state]))
        else:
            other = earned(world, lambda state, rng: rng.uniform(*world.bounds))
        assert other <= best + 0.1 * max(1.0, abs(best))
    if world.choices:
        chance = earned(world, lambda state, rng: int(rng.integers(world.choices)))
        assert chance < best


@pytest.mark.parametrize("world", VALUED, ids=named)
def test_right_values_are_the_mean_of_discounted_returns(world):
    values = world.values(GAMMA)[0]
    seen = [returns(Played(world, steps=800, seed=seed), values) for seed in range(20)]
    for state in world.visited:
        mine = [value for each in seen for at, value in each if at == state]
        assert len(mine) > 20
        assert np.mean(mine) == pytest.approx(values[state], abs=0.08)


def returns(played: Played, values: np.ndarray) -> list[tuple[int, float]]:
    """For each step its state and the discounted return; a truncated one goes on with the value that is known."""
    after, found = 0.0, []
    for state, way in reversed(list(zip(played.states, played.ways, strict=True))):
        if way.terminated:
            after = 0.0
        elif way.truncated or not found:
            after = values[way.to]
        after = way.reward + GAMMA * after
        found.append((state, after))
    return found


def learned(world: World, target, *, rounds: int) -> np.ndarray:
    """A table of looks, learned from rows in their order with steps that shrink; the mistake is in `target`."""
    played, table, seen = Played(world), np.zeros(world.states), np.zeros(world.states)
    kinds = world.kinds
    for _ in range(rounds):
        for at in range(1, STEPS - 1):
            here = kinds[played.states[at]]
            seen[here] += 1
            step = max(0.5 / (1.0 + 0.01 * seen[here]), 0.005)
            table[here] += step * (target(at, played, table, kinds) - table[here])
    return table[kinds]


def ahead(way, table, kinds):
    return GAMMA * table[kinds[way.to]]


def only_reward(at, played, table, kinds):
    return played.ways[at].reward


def through_the_end(at, played, table, kinds):
    return played.ways[at].reward + ahead(played.ways[at], table, kinds)


def next_start(at, played, table, kinds):
    return played.ways[at].reward + GAMMA * table[kinds[played.then[at]]]


def any_end(at, played, table, kinds):
    return played.ways[at].reward + (0.0 if played.ways[at].ends else ahead(played.ways[at], table, kinds))


def at_the_end_only(at, played, table, kinds):
    return played.ways[at].reward + (ahead(played.ways[at], table, kinds) if played.ways[at].ends else 0.0)


def squared_discount(at, played, table, kinds):
    way = played.ways[at]
    return way.reward + (0.0 if way.terminated else GAMMA * ahead(way, table, kinds))


def own_value(at, played, table, kinds):
    way = played.ways[at]
    return way.reward + (0.0 if way.terminated else GAMMA * table[kinds[played.states[at]]])


def turned(at, played, table, kinds):
    way = played.ways[at]
    return -way.reward + (0.0 if way.terminated else ahead(way, table, kinds))


def earlier_reward(at, played, table, kinds):
    way = played.ways[at]
    return played.ways[at - 1].reward + (0.0 if way.terminated else ahead(way, table, kinds))


def later_reward(at, played, table, kinds):
    way = played.ways[at]
    return played.ways[at + 1].reward + (0.0 if way.terminated else ahead(way, table, kinds))


def above_zero(at, played, table, kinds):
    way = played.ways[at]
    return max(0.0, way.reward + (0.0 if way.terminated else ahead(way, table, kinds)))


SLOWLY = {
    "terminal ignored": through_the_end,
    "bootstraps from the next episode's start": next_start,
    "time limit taken for a terminal": any_end,
    "mask inverted": at_the_end_only,
    "only the immediate reward": only_reward,
    "discounted twice": squared_discount,
    "bootstraps from its own value": own_value,
    "reward with the wrong sign": turned,
    "reward one step late": earlier_reward,
    "reward one step early": later_reward,
    "never negative": above_zero,
}
SLOWEST = "ShiftedPairing"
SHORT = [world for world in VALUED if named(world) in ("ObservedReward", "TimeLimit", "Terminal", SLOWEST)]


@pytest.mark.parametrize("world", SHORT, ids=named)
@pytest.mark.parametrize("mistake", SLOWLY)
def test_what_a_mistake_ends_with_is_what_a_slow_learner_comes_to(mistake, world):
    predicted = world.values(GAMMA)[1][mistake]
    came_to = learned(world, SLOWLY[mistake], rounds=12 if named(world) == SLOWEST else 4)
    for state in world.visited:
        assert came_to[state] == pytest.approx(predicted[state], abs=0.12 * max(1.0, np.abs(predicted).max()))


@pytest.mark.parametrize("world", VALUED, ids=named)
def test_every_mistake_gives_numbers_or_says_that_nothing_is_learned(world):
    values, wrong = world.values(GAMMA)
    assert set(wrong) == set(MISTAKES)
    assert np.isfinite(values).all()
    assert not any(np.isinf(each).any() for each in wrong.values())
    assert not any(np.isnan(each).all() for each in wrong.values())
