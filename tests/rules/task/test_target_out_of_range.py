from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.task.target_out_of_range import target_out_of_range

POLICIES = ("random", "constant", "search")
EPISODES, LENGTH = 40, 50


def tracking(low, high, paid=True, speed=0.4, drawn=True):
    """A room between 0 and about 30 degrees, and a setpoint drawn between two numbers; the distance costs."""
    plays = {}
    for number, name in enumerate(POLICIES):
        rng = np.random.default_rng(number)
        room = rng.uniform(10, 20, EPISODES)[:, None] + np.cumsum(rng.normal(0, speed, (EPISODES, LENGTH + 1)), axis=1)
        room = np.clip(room, 0, 30)
        wanted = np.repeat(rng.uniform(low, high, EPISODES)[:, None], LENGTH + 1, axis=1)
        wanted = wanted if drawn else np.full_like(wanted, high)
        plays[name] = record(name, room, wanted, -np.abs(room - wanted)[:, 1:] if paid else None)
    return changed(world(), observation=box(2), plays=plays)


def record(name, moving, wanted, rewards=None, **given):
    rows = np.stack([moving, wanted], axis=2)
    pay = {} if rewards is None else {"rewards": rewards.reshape(-1)}
    return play(
        name,
        lengths=np.full(EPISODES, LENGTH),
        observations=rows[:, :-1].reshape(-1, 2),
        successors=rows[:, 1:].reshape(-1, 2),
        **pay,
        **given,
    )


def fenced(field, fence=1.0, tolerance=0.3):
    """A robot that walks at random inside of a fence, and beacons that are drawn over a field; nothing but success."""
    plays = {}
    for number, name in enumerate(POLICIES):
        rng = np.random.default_rng(number)
        place, places = np.zeros(EPISODES), [np.zeros(EPISODES)]
        for _ in range(LENGTH):
            place = np.clip(place + rng.normal(0, 0.3, EPISODES), -fence, fence)
            places.append(place)
        moving = np.stack(places, axis=1)
        wanted = np.repeat(rng.uniform(-field, field, EPISODES)[:, None], LENGTH + 1, axis=1)
        found = (np.abs(moving - wanted) < tolerance)[:, 1:].reshape(-1).astype(float)
        plays[name] = record(name, moving, wanted, metrics={"is_success": found})
    return changed(world(), observation=box(2), plays=plays)


def room(reach, prize=5.0):
    """A walk to a flag in a square of ten by ten, whose walls hold it; only arriving tells itself, by what it pays."""
    plays = {}
    for number, name in enumerate(POLICIES):
        rng = np.random.default_rng(number)
        rows, lengths, rewards = [], [], []
        for _ in range(3 * EPISODES):
            place, flag = rng.uniform(0, 10, 2), rng.uniform(0, reach, 2)
            rows.append([*place, *flag])
            for step in range(LENGTH):
                place = np.clip(place + rng.uniform(-1.5, 1.5, 2), 0, 10)
                rows.append([*place, *flag])
                there = np.linalg.norm(place - flag) < 0.7
                rewards.append(prize if there else 0.1 * rng.normal())
                if there or step == LENGTH - 1:
                    lengths.append(step + 1)
                    break
        seen, firsts = np.array(rows), np.cumsum([0, *np.add(lengths[:-1], 1)])
        plays[name] = play(
            name,
            lengths=lengths,
            ends=[TERMINATED if length < LENGTH else TRUNCATED for length in lengths],
            observations=np.delete(seen, firsts + lengths, axis=0),
            successors=np.delete(seen, firsts, axis=0),
            rewards=np.array(rewards),
        )
    return changed(world(), observation=box(4), plays=plays)


def tanks(low, high):
    """Two levels between 0 and 1 with a set point each, drawn between two numbers; both distances cost."""
    plays = {}
    for number, name in enumerate(("random", "search")):
        rng = np.random.default_rng(number)
        level = rng.uniform(0, 1, (EPISODES, 1, 2)) + np.cumsum(rng.normal(0, 0.1, (EPISODES, LENGTH + 1, 2)), axis=1)
        wanted = np.repeat(rng.uniform(low, high, (EPISODES, 1, 2)), LENGTH + 1, axis=1)
        rows = np.concatenate([np.clip(level, 0, 1), wanted], axis=2)
        plays[name] = play(
            name,
            lengths=np.full(EPISODES, LENGTH),
            observations=rows[:, :-1].reshape(-1, 4),
            successors=rows[:, 1:].reshape(-1, 4),
            rewards=-np.abs(rows[:, 1:, :2] - rows[:, 1:, 2:]).sum(axis=2).reshape(-1),
        )
    return changed(world(), observation=box(4), plays=plays)


def sick():
    return [tanks(1.4, 2.0), tracking(66, 73), tracking(-60, -50), fenced(4.0), room(14.0)]


def healthy():
    return [
        tracking(18, 23),
        tanks(0.2, 0.7),
        tanks(0.8, 1.2),
        # from below, and some come near
        tracking(24, 29),
        # one setpoint by design, which nothing draws
        tracking(66, 73, drawn=False),
        # not what is paid for
        tracking(66, 73, paid=False),
        room(10.0),
        # nothing tells which ends are successes
        room(14.0, prize=0.0),
        # beacons inside of the fence, and a little beyond
        fenced(1.0),
        fenced(1.2),
    ]


def test_says_where_both_are():
    answer = target_out_of_range.rule.ask(tracking(66, 73))
    assert answer.severity is Level.WARN
    assert "100% of the targets in observation[1] lie where observation[0] never comes" in answer.message
    assert "it is held between -1 and 1" in target_out_of_range.rule.ask(fenced(4.0)).message


def test_needs_a_policy_that_searches():
    survey = tracking(66, 73)
    few = changed(survey, plays={name: survey.plays[name] for name in ("random", "constant")})
    assert isinstance(target_out_of_range.rule.ask(few), CannotTell)
