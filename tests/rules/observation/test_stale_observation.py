from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, world

FACTS = {"wrappers": ("DelayObservation",)}


def walk(rng, step, before):
    return rng.normal(0, 1, 2) if before is None else before + rng.normal(0, 0.1, 2)


def draw(rng, step, before):
    return rng.normal(0, 1, 2) if before is None else before


def count(rng, step, before):
    return step


def survey(show, attributes=None, facts=None, **given):
    play = held(attributes or {"place": walk, "clock": count}, show, **given)
    size = play.observations.shape[1]
    return changed(world(), observation=box(size), held=play, facts=facts or {})


def see_before(now, before, ended):
    return (now if before is None else before)["place"] * 2.0 + 1.0


def see_last_drawn(now, before, ended):
    """What the step before was judged on; nothing with the first observation."""
    return np.zeros(2) if before is None else before["place"]


def see_angle_before(now, before, ended):
    angle = (now if before is None else before)["place"][0]
    return [np.cos(angle), np.sin(angle)]


def see_old_reset(now, before, ended):
    return (now if before is not None or ended is None else ended)["place"]


def freeze(*others):
    """A sensor that is read once an episode."""
    read = {}

    def show(now, before, ended):
        if before is None:
            read["place"] = now["place"]
        return [read["place"][0], *(now[name][0] for name in others)]

    return show


def hop(rng, step, before):
    return rng.integers(0, 4) if before is None else (before + rng.choice([-1, 1])) % 4


def deal(rng, step, before):
    """Eight fields of a board, of which each step fills one of one's own and one of the other side."""
    if before is None:
        return rng.integers(0, 2, 8)
    return np.where(np.arange(8) % 4 == step % 4, before + 1 + rng.integers(0, 3, 8), before)


def see_own_half(now, before, ended):
    """One's own move is in it, the reply is not; at a reset all is."""
    return [*now["board"][:4], *(before or now)["board"][4:]]


CELLS = {"cell": hop, "clock": count}


def see_cell(state):
    return np.eye(4)[int(state["cell"][0])]


def sick():
    return [
        # a picture of the cell before; and one that a reset does not paint anew
        survey(lambda now, before, ended: see_cell(before or now), CELLS, episodes=40),
        survey(see_before),
        survey(see_angle_before),
        survey(see_old_reset),
        survey(see_old_reset, length=5),
        survey(lambda now, before, ended: (ended or now)["place"] ** 3, length=8),
        survey(freeze()),
        survey(see_own_half, {"board": deal}),
        survey(see_last_drawn, {"place": lambda rng, step, before: rng.normal(0, 1, 2)}),
    ]


def healthy():
    return [
        survey(lambda now, before, ended: now["place"]),
        survey(lambda now, before, ended: see_cell(now), CELLS, episodes=40),
        # frames of now and of the step before
        survey(lambda now, before, ended: [*see_cell(now), *see_cell(before or now)], CELLS, episodes=40),
        # the place and that of the step before, from which a speed is read
        survey(lambda now, before, ended: [*now["place"], *(before or now)["place"]]),
        # a clock that is put forward after the observation was made
        survey(lambda now, before, ended: [*now["place"], (before or now)["clock"][0]]),
        # nothing but that clock moves; and what was drawn last beside what is there now
        survey(lambda now, before, ended: [-1.0] if before is None else before["clock"], episodes=60, length=60),
        survey(
            lambda now, before, ended: [*see_last_drawn(now, before, ended), now["stock"][0]],
            {"place": lambda rng, step, before: rng.normal(0, 1, 2), "stock": lambda rng, step, before: rng.random()},
        ),
        # a board as it is, one that shows one side only, and one that never shows the last reply
        survey(lambda now, before, ended: now["board"], {"board": deal}),
        survey(lambda now, before, ended: now["board"][:4], {"board": deal}),
        survey(lambda now, before, ended: [*now["board"][:4], *np.zeros(4)], {"board": deal}),
        # meant to be late
        survey(see_before, facts=FACTS),
        # noise
        survey(lambda now, before, ended: now["place"] + np.sin(1e6 * now["place"])),
        # a place that is not moved in the first step, seen as it is
        survey(
            lambda now, before, ended: now["place"],
            {"place": lambda rng, step, before: rng.normal(0, 1, 2) if before is None else before + (step > 1) * 0.1},
        ),
        survey(see_before, episodes=2),
        # where it began and where it is
        survey(freeze("place")),
        # a goal that no step moves
        survey(lambda now, before, ended: [*now["goal"], *now["place"]], {"place": walk, "goal": draw}),
    ]
