from __future__ import annotations

import numpy as np

from tests.worlds import changed, held, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.owed_at_the_end import owed_at_the_end


def shift(*, late=True, last=-5.0, ended=True, episodes=30):
    """Parcels that are packed: what each earns is held, and paid with the next one or at once."""
    length = 15

    def due(rng, step, before):
        return 0.0 if before is None else last if step == length else float(rng.integers(0, 5))

    kept = held(
        {"due": due},
        lambda now, before, over: [1.0],
        pay=lambda before, after: (before if late else after)["due"][0],
        episodes=episodes,
        length=length,
        terminated=np.full(episodes, ended),
    )
    return changed(world(), held=kept)


def sick():
    return [shift(), shift(last=3.0)]


def healthy():
    return [
        world(),
        # paid at once, and nothing owed at the end
        shift(late=False),
        shift(last=0.0),
        # a time limit cuts it short: what is owed is the start of the next stretch
        changed(shift(ended=False), plays=world().plays),
    ]


def test_what_is_lost_is_told():
    assert "30 of 30 episodes terminate with -5 on average" in owed_at_the_end.rule.ask(shift()).message


def test_few_ends_do_not_tell():
    assert isinstance(owed_at_the_end.rule.ask(shift(episodes=5)), CannotTell)
