"""Terms whose nature is known: what the audit must call them, and what it must never call them."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.reference.shaping import PAYS, POTENTIAL, UNDECIDED, examine_shaping

GAMMA = 0.99
SIDE = 6
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Walk:
    """Consecutive steps of random walks: states, successors, episodes and which steps terminated."""

    def __init__(self, states, successors, episodes, ends):
        self.states, self.successors = np.array(states, dtype=float), np.array(successors, dtype=float)
        self.episodes, self.ends = np.array(episodes), np.array(ends)

    def shaped(self, height, *, gamma=GAMMA, zero_at_ends=True):
        after = height(self.successors) * (np.where(self.ends, 0.0, 1.0) if zero_at_ends else 1.0)
        return gamma * after - height(self.states)

    def told(self, terms, **given):
        return examine_shaping(self.states, self.successors, terms, GAMMA, self.episodes, self.ends, **given)


def grid(episodes=60, steps=60, seed=0):
    """A room of squares with a goal in the corner that ends the episode."""
    rng = np.random.default_rng(seed)
    rows = []
    for episode in range(episodes):
        place = rng.integers(0, SIDE - 1, 2)
        for _ in range(steps):
            after = np.clip(place + MOVES[rng.integers(4)], 0, SIDE - 1)
            done = bool((after == SIDE - 1).all())
            rows.append((place, after, episode, done))
            place = after
            if done:
                break
    return Walk(*zip(*rows, strict=True))


def plane(columns=2, episodes=40, steps=100, seed=0, inertia=0.0, width=1.5):
    """A point that drifts about, with its velocity in the state where it has inertia; near (0.8, 0.8) it is done."""
    rng = np.random.default_rng(seed)
    rows = []
    for episode in range(episodes):
        place, speed = rng.uniform(-1, 1, columns).clip(-width, width), np.zeros(columns)
        for _ in range(steps):
            now = inertia * speed + 0.07 * (1 - 0.4 * inertia) * rng.normal(size=columns)
            after = np.clip(place + now, -width, width)
            done = bool(np.linalg.norm(after - 0.8) < 0.1)
            both = (place, after) if not inertia else (np.append(place, speed), np.append(after, now))
            rows.append((*both, episode, done))
            place, speed = after, now
            if done:
                break
    return Walk(*zip(*rows, strict=True))


def steps_left(states):
    return -np.abs(states[:, :2] - (SIDE - 1)).sum(axis=1)


def nearness(states):
    return -np.linalg.norm(states[:, :2] - 0.8, axis=1)


def noise(terms, share, seed=3):
    return terms + share * terms.std() * np.random.default_rng(seed).normal(size=len(terms))


@pytest.mark.parametrize("offset", [0.0, 7.0, -20.0])
def test_a_distance_in_a_grid_is_a_potential(offset):
    walk = grid()
    told = walk.told(walk.shaped(lambda states: steps_left(states) + offset))
    assert told.verdict == POTENTIAL
    assert told.residual < 1e-6
    assert told.gamma == GAMMA
    assert told.terminal is None
    assert told.loop is None


def test_a_plain_difference_is_a_potential_without_a_discount():
    walk = grid()
    told = walk.told(walk.shaped(steps_left, gamma=1.0))
    assert (told.verdict, told.gamma) == (POTENTIAL, 1.0)


@pytest.mark.parametrize("offset", [7.0, -3.0])
def test_a_potential_that_is_left_standing_in_terminal_states_is_measured(offset):
    walk = grid()
    told = walk.told(walk.shaped(lambda states: steps_left(states) + offset, zero_at_ends=False))
    assert told.verdict == POTENTIAL
    assert told.terminal == pytest.approx(abs(offset), rel=1e-3)


def test_a_bonus_for_staying_alive_is_a_potential_that_does_not_end():
    told = grid().told(np.ones(len(grid().states)))
    assert told.verdict == POTENTIAL
    assert told.terminal == pytest.approx(1 / (1 - GAMMA), rel=1e-3)


def test_noise_on_a_potential_does_not_make_it_pay():
    walk = grid()
    told = walk.told(noise(walk.shaped(steps_left), 0.3))
    assert told.verdict == POTENTIAL
    assert told.noise == pytest.approx(0.09, abs=0.03)


def waypoint(walk):
    inside = (walk.successors == 3).all(axis=1) & ~(walk.states == 3).all(axis=1)
    return inside.astype(float)


def test_a_waypoint_that_pays_every_time_pays_for_a_loop():
    walk = grid()
    told = walk.told(5.0 * waypoint(walk))
    assert told.verdict == PAYS
    assert told.residual > 0.3
    loop = told.loop
    assert loop is not None
    assert loop.steps == 2
    assert loop.gain == pytest.approx(5.0)
    assert (walk.states[loop.start] == walk.successors[loop.end - 1]).all()
    assert (walk.episodes[loop.start : loop.end] == loop.episode).all()
    assert loop.gain == pytest.approx(5.0 * waypoint(walk)[loop.start : loop.end].sum())


def test_a_waypoint_shows_through_a_potential_and_through_noise():
    walk = grid()
    assert walk.told(walk.shaped(steps_left) + 0.5 * waypoint(walk)).verdict == PAYS
    noisy = waypoint(walk) + 0.1 * np.random.default_rng(1).normal(size=len(walk.states))
    assert walk.told(noisy).verdict == PAYS


def test_a_waypoint_that_pays_once_an_episode_pays_for_no_loop():
    walk = grid()
    terms, seen = waypoint(walk), set()
    for step in np.flatnonzero(terms):
        terms[step] = float(walk.episodes[step] not in seen)
        seen.add(walk.episodes[step])
    assert walk.told(terms).verdict != PAYS


@pytest.mark.parametrize("make", [grid, plane])
def test_a_new_record_pays_for_no_loop(make):
    walk = make()
    height = steps_left if make is grid else nearness
    terms, record, before = np.zeros(len(walk.states)), 0.0, -1
    for step, value in enumerate(height(walk.successors)):
        if walk.episodes[step] != before:
            before, record = walk.episodes[step], height(walk.states[step : step + 1])[0]
        terms[step], record = max(0.0, value - record), max(record, value)
    assert walk.told(terms).verdict != PAYS


@pytest.mark.parametrize(
    "make", [grid, plane, lambda: plane(columns=5), lambda: plane(inertia=0.8)], ids=["grid", "2", "5", "inertia"]
)
def test_progress_that_is_never_charged_pays_for_a_loop(make):
    walk = make()
    height = steps_left if make is grid else nearness
    told = walk.told(np.maximum(0.0, height(walk.successors) - height(walk.states)))
    assert told.verdict == PAYS
    assert told.loop is not None
    assert told.loop.gain > 0


def test_going_round_one_way_pays():
    walk = grid()
    arm, move = walk.states - (SIDE - 1) / 2, walk.successors - walk.states
    assert walk.told(arm[:, 0] * move[:, 1] - arm[:, 1] * move[:, 0]).verdict == PAYS


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("gamma", [GAMMA, 1.0])
def test_a_distance_in_the_plane_is_a_potential_at_any_scale(gamma, size):
    walk = plane()
    told = walk.told(size * walk.shaped(nearness, gamma=gamma))
    assert (told.verdict, told.gamma) == (POTENTIAL, gamma)
    assert told.residual < 0.03
    assert told.terminal is None


@pytest.mark.parametrize("make", [plane, lambda: plane(columns=5), lambda: plane(inertia=0.8)])
def test_noise_on_a_distance_in_the_plane_does_not_make_it_pay(make):
    walk = make()
    assert walk.told(noise(walk.shaped(nearness), 0.3)).verdict == POTENTIAL


def test_a_bonus_for_speed_pays_for_a_loop():
    walk = plane()
    told = walk.told(np.linalg.norm(walk.successors - walk.states, axis=1))
    assert told.verdict == PAYS
    assert told.residual > 5 * told.noise


def test_a_place_that_pays_for_being_there_pays_for_a_loop():
    walk = plane()
    told = walk.told((np.linalg.norm(walk.successors, axis=1) < 0.4).astype(float))
    assert told.verdict == PAYS
    assert told.loop is not None
    assert np.linalg.norm(told.loop.state) < 0.6


def test_entering_a_place_again_and_again_pays_for_a_loop():
    walk = plane(episodes=12, steps=300, width=0.5)
    inside = [np.linalg.norm(states, axis=1) < 0.3 for states in (walk.states, walk.successors)]
    terms, seen = (inside[1] & ~inside[0]).astype(float), set()
    assert walk.told(terms).verdict == PAYS
    for step in np.flatnonzero(terms):
        terms[step] = float(walk.episodes[step] not in seen)
        seen.add(walk.episodes[step])
    assert walk.told(terms).verdict != PAYS


@pytest.mark.parametrize("make", [grid, plane, lambda: plane(inertia=0.8)])
def test_pure_noise_and_costs_pay_for_no_loop(make):
    walk = make()
    random = np.random.default_rng(5).normal(size=len(walk.states))
    assert walk.told(random).verdict == UNDECIDED
    assert walk.told(-np.sum((walk.successors - walk.states) ** 2, axis=1)).verdict != PAYS
    assert walk.told(-np.abs(random)).verdict != PAYS


def test_without_a_way_back_nothing_can_be_told():
    chain = np.arange(400.0)[:, None]
    told = examine_shaping(chain % 20, (chain + 1) % 20, np.ones(400), GAMMA, np.arange(400) // 20)
    assert told.verdict != PAYS
    assert told.loop is None


@pytest.mark.parametrize(
    ("states", "terms", "why"),
    [
        (np.zeros((10, 2)), np.ones(10), "fewer"),
        (np.zeros((100, 2)), np.ones(100), "never changes"),
        (np.full((100, 2), np.nan), np.ones(100), "finite"),
        (np.zeros((100, 2)), np.append(np.ones(99), np.inf), "finite"),
        (np.zeros((100, 300)), np.ones(100), "columns"),
    ],
)
def test_what_cannot_be_judged_is_said(states, terms, why):
    told = examine_shaping(states, states, terms, GAMMA, np.zeros(len(terms), dtype=np.int64))
    assert told.verdict == UNDECIDED
    assert why in told.why


def test_a_term_of_zero_is_a_potential():
    assert grid().told(np.zeros(len(grid().states))).verdict == POTENTIAL


def test_the_same_steps_give_the_same_answer():
    walk = plane(episodes=10)
    terms = walk.shaped(nearness) + 0.1 * np.linalg.norm(walk.successors - walk.states, axis=1)
    assert walk.told(terms).residual == walk.told(terms).residual
