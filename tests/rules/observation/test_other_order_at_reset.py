from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.observation.other_order_at_reset import other_order_at_reset


def fall(rng, step, before):
    return rng.uniform(6, 12) if before is None else before - 0.1 * step


def speed(rng, step, before):
    return 0.0 if before is None else before - 0.3 + rng.normal(0, 0.1)


def probe(show, episodes=12, **attributes):
    seen = held({"h": fall, "v": speed, **attributes}, show, episodes=episodes)
    return changed(world(), observation=box(seen.observations.shape[1]), held=seen)


def see(now, swapped=False):
    row = [now["h"][0] / 20, now["v"][0] / 10]
    return np.array(row[::-1] if swapped else row)


def sick():
    return [
        probe(lambda now, before, ended: see(now, swapped=before is not None)),
        probe(lambda now, before, ended: see(now, swapped=before is None)),
    ]


def healthy():
    return [
        world(),
        probe(lambda now, before, ended: see(now)),
        probe(lambda now, before, ended: see(now, swapped=True)),
        # a sign that is shown once, a second view that is empty at first, and the height twice
        probe(lambda now, before, ended: np.array([*see(now), before is None])),
        probe(lambda now, before, ended: np.array([*see(now), 0.0 if before is None else now["h"][0]])),
        probe(lambda now, before, ended: np.array([now["h"][0], now["h"][0]])),
    ]


def test_few_episodes_do_not_tell():
    assert isinstance(other_order_at_reset.rule.ask(probe(lambda now, before, ended: see(now), episodes=4)), CannotTell)
