from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.evidence.held import ExchangedAttribute

SHUFFLE = np.random.default_rng(5)


def exchanged(**given):
    return (ExchangedAttribute(**({"name": "order", "tried": 4, "shown": 4, "paid": 0, "reordered": 4} | given)),)


def walk(rng, step, before):
    return rng.normal(0, 1, 6) if before is None else before + rng.normal(0, 0.1, 6)


def order(rng, step, before):
    return rng.permutation(6) if before is None else before


def survey(show, attributes=None, **given):
    play = held(attributes or {"loads": walk, "order": order}, show, episodes=10)
    return changed(world(), observation=box(play.observations.shape[1]), held=play, **given)


def see_shuffled(now, before, ended):
    return SHUFFLE.permutation(now["loads"])


def see_ordered(now, before, ended):
    return now["loads"][now["order"].astype(int)]


def sick():
    return [survey(see_shuffled), survey(see_ordered, exchanged=exchanged())]


def healthy():
    return [
        survey(lambda now, before, ended: now["loads"]),
        survey(lambda now, before, ended: now["loads"][::-1]),
        # seen from where one stands on a ring
        survey(lambda now, before, ended: np.roll(now["loads"], SHUFFLE.integers(6))),
        # sorted, by size and by what a thing is near to, each with its two numbers
        survey(lambda now, before, ended: np.sort(now["loads"])),
        survey(lambda now, before, ended: now["loads"].reshape(3, 2)[SHUFFLE.permutation(3)].reshape(-1)),
        # an order that decides what is paid too, one that is seen in other ways, and one that was not exchanged
        survey(see_ordered, exchanged=exchanged(paid=3, reordered=0)),
        survey(see_ordered, exchanged=exchanged(reordered=1)),
        survey(see_ordered),
        # noise that an attribute of another kind draws
        survey(lambda now, before, ended: now["loads"], exchanged=exchanged(name="loads")),
    ]
