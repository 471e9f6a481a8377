from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.observation.cut_off_view import cut_off_view


def crater(show, bound=1.0, episodes=40, reach=50.0):
    """A place in a crater and the base to drive to, and how they are shown."""

    def place(rng, step, before):
        return rng.uniform(-reach, reach, 2) if before is None else before + rng.normal(0, 2.0, 2)

    def base(rng, step, before):
        return rng.uniform(-reach, reach, 2) if before is None else before

    def look(now, before, ended):
        return show(np.concatenate([now["place"], now["base"]]))

    kept = held({"place": place, "base": base}, look, episodes=episodes, length=15)
    return changed(world(), observation=box(kept.observations.shape[1], -bound, bound), held=kept)


def sick():
    return [
        crater(lambda seen: np.clip(seen, -1.0, 1.0)),
        crater(lambda seen: np.clip(seen, -3.0, 3.0), bound=3.0),
        # in other units, and in some of its own for each column
        crater(lambda seen: np.clip(seen / 4.0, -1.0, 1.0)),
        crater(lambda seen: np.clip(seen * [0.5, -0.3, 0.3, 2.0] + [0.0, 0.1, 0.0, -0.5], -1.0, 1.0)),
    ]


def healthy():
    return [
        world(),
        crater(lambda seen: seen / 100.0),
        crater(lambda seen: np.clip(seen / 50.0, -1.0, 1.0)),
        # the bounds are those of the crater, and cut off what is rare
        crater(lambda seen: np.clip(seen, -45.0, 45.0), bound=45.0),
        # the side of the base is a flag beside where it is
        crater(lambda seen: np.concatenate([seen / 60.0, seen[2:] / 60.0, np.sign(seen[2:]), [0.0]])),
        # a feeler that reaches a short way, beside what is seen in full
        crater(lambda seen: np.concatenate([seen / 60.0, np.clip(seen[:1], -1.0, 1.0)])),
        # signs, and nothing but signs
        crater(np.sign),
    ]


def test_what_is_cut_off_is_told():
    answer = cut_off_view.rule.ask(sick()[0])
    assert "4 of 4 columns" in answer.message
    assert "`place[0]`" in answer.message


def test_few_steps_do_not_tell():
    assert isinstance(cut_off_view.rule.ask(crater(lambda seen: np.clip(seen, -1.0, 1.0), episodes=5)), CannotTell)
