from __future__ import annotations

import numpy as np

from tests.worlds import changed, held, world


def walk(rng, step, before):
    return rng.normal(0, 1, 3) if before is None else before + rng.normal(0, 0.1, 3)


def hop(rng, step, before):
    return rng.integers(0, 9, 2) if before is None else before + rng.permutation([0, rng.choice([-1, 1])])


def draw(rng, step, before):
    return rng.integers(0, 9, 2) if before is None else before


def measure(before, after):
    there = before["goal"]
    return (np.linalg.norm(one["place"][:2] - there) for one in (before, after))


def survey(pay, moves=walk, episodes=12):
    attributes = {"place": moves, "goal": draw}
    return changed(world(), held=held(attributes, lambda now, *rest: now["place"], pay=pay, episodes=episodes))


def pay_progress(before, after):
    near, far = measure(before, after)
    return 2.0 * max(near - far, 0.0) - 0.001


def pay_nearer_cell(before, after):
    near, far = (np.abs(one["place"][:2] - before["goal"]).sum() for one in (before, after))
    return 0.5 if far < near else 0.0


def pay_difference(before, after):
    near, far = measure(before, after)
    return near - far - 0.001


def pay_progress_and_more(before, after):
    """Beside the progress a small cost of something else."""
    return pay_progress(before, after) + cost_more(after)


def cost_more(after):
    return -0.001 * abs(float(after["place"][2]))


def sick():
    return [survey(pay_progress), survey(pay_nearer_cell, hop), survey(pay_progress_and_more, episodes=40)]


def healthy():
    return [
        survey(pay_difference),
        survey(
            lambda before, after: pay_difference(before, after) - 0.001 * abs(float(after["place"][2])), episodes=40
        ),
        survey(lambda before, after: -float(np.linalg.norm(after["place"][:2] - after["goal"]))),
        # the way there and back costs more than it pays
        survey(lambda before, after: pay_nearer_cell(before, after) - 0.3, hop),
        # each step is paid, and nothing is
        survey(lambda before, after: 1.0),
        survey(lambda before, after: 0.0),
        # speed is paid, whatever the direction
        survey(lambda before, after: float(np.abs(after["place"] - before["place"]).sum())),
        # only a place nearer than some line pays
        survey(lambda before, after: float(np.linalg.norm(after["place"][:2] - after["goal"]) < 2.0)),
    ]
