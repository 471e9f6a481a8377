from __future__ import annotations

import numpy as np

from tests.rules.evaluation.test_success_of_all import at_ends, survey
from tests.worlds import world
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.evaluation.success_of_losses import success_of_losses


def cards(flags, ends=(1.0, -1.0, -1.0, -1.0), **given):
    """Games that are won, lost, lost with too many points, and lost again, by turns."""
    return survey(flags=at_ends(flags), ends=ends, **given)


def forget_the_limit(rewards):
    """What is over the limit counts as more points, and so as won."""
    over = np.cumsum(np.abs(rewards) > 0.5) % 4 == 3
    return ((rewards > 0.5) | over).astype(float)


def tell(rewards):
    return (rewards > 0.5).astype(float)


def sick():
    return [cards(forget_the_limit)]


def healthy():
    return [
        cards(tell),
        # a success that costs, as each of them does; one that pays less than others; nothing that is lost
        cards(lambda rewards: (rewards < -0.5).astype(float)),
        cards(forget_the_limit, ends=(1.0, -1.0, 0.7, -1.0)),
        cards(np.ones_like, ends=(1.0, -1.0)),
        # a time limit is no end of the task
        cards(forget_the_limit, over=TRUNCATED),
        # failures pay less still
        cards(forget_the_limit, ends=(1.0, -5.0, -1.0, -5.0)),
    ]


def test_without_a_flag_it_cannot_tell():
    assert isinstance(success_of_losses(world()), CannotTell)


def test_it_counts():
    assert "of which 30 pay more than any other step does" in success_of_losses(sick()[0]).message
    assert "it calls losses a success" in success_of_losses(sick()[0]).message
