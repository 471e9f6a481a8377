from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import changed, discrete, held, world


def survey(moves, draw=lambda rng: rng.integers(0, 6, 2), limit=5, **given):
    """A walk on a grid whose episodes end at the goal."""
    rng = np.random.default_rng(0)
    steps = {key: [] for key in ("before", "after", "actions")}
    lengths, ends = [], []
    for _ in range(60):
        place, goal = rng.integers(0, 6, 2), draw(rng)
        while (place == goal).all():
            place = rng.integers(0, 6, 2)
        for clock in range(1, 26):
            before, action = place, rng.integers(len(moves))
            place = np.clip(place + moves[action], 0, limit)
            steps["actions"].append([action])
            steps["before"].append([*before, *goal])
            steps["after"].append([*place, *goal])
            if (place == goal).all() or clock == 25:
                lengths.append(clock)
                ends.append(bool((place == goal).all()))
                break
    rows = {key: np.array(value, dtype=float) for key, value in steps.items()}
    made = held({"place": lambda rng, step, before: np.zeros(2)}, lambda *given: np.zeros(2), episodes=1)
    made = msgspec.structs.replace(
        made,
        names=("place", "place", "goal", "goal"),
        **rows,
        observations=rows["before"],
        successors=rows["after"],
        rewards=np.zeros(len(rows["after"])),
        lengths=np.array(lengths),
        terminated=np.array(ends),
    )
    return changed(world(), action=discrete(len(moves)), held=made, **given)


ALL = ((0, 1), (1, 0), (0, -1), (-1, 0))


def away(rng):
    """Goals that nobody can reach, so that the moves alone tell."""
    return rng.integers(20, 30, 2)


def sick():
    return [
        survey(((0, 0), (0, 1), (1, 0), (0, -1))),
        survey(((0, 1), (0, 1), (1, 0), (-1, 0))),
        # a typing error in the table of moves, wherever the goals lie
        survey(((0, 1), (1, 0), (0, -1), (1, 0)), draw=away),
    ]


def healthy():
    return [
        survey(ALL),
        # no step back is needed: all goals lie ahead
        survey(((0, 1), (1, 0), (0, -1)), draw=lambda rng: np.array([5, rng.integers(0, 6)])),
        # a goal that ends nothing
        survey(((0, 1), (1, 0)), draw=lambda rng: rng.integers(20, 30, 2)),
        survey(ALL, draw=away),
        # two ways to do the same, beside all directions
        survey((*ALL, (1, 0)), draw=away),
        # everything falls, and only two choices go aside
        survey(((1, 1), (-1, 1), (0, 1), (0, 1)), draw=away),
    ]
