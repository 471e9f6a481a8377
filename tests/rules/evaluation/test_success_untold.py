from __future__ import annotations

import numpy as np

from tests.rules.evaluation.test_success_of_all import STEPS, survey
from tests.worlds import world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.evaluation.success_untold import success_untold

OVER = np.resize([TERMINATED, TRUNCATED], 40)


def before_the_step(rewards):
    """What was true before each step: at the first step of an episode and at its goal nothing is."""
    paid = rewards > 0.5
    return np.concatenate([[0.0], paid[:-1]]) * ((np.arange(len(rewards)) % STEPS) > 0)


def sick():
    return [
        survey(flags=before_the_step, ends=(1.0, -0.01), over=OVER),
        survey(flags=np.zeros_like, ends=(1.0,)),
    ]


def healthy():
    return [
        survey(flags=lambda rewards: (rewards > 0.5).astype(float), ends=(1.0, -0.01), over=OVER),
        # some ends terminate without the prize, the prize depends on the time, or a success is told now and then
        survey(flags=np.zeros_like, ends=(1.0, -0.01)),
        survey(flags=np.zeros_like, ends=(1.0, 0.9, 0.8)),
        survey(flags=lambda rewards: (np.cumsum(rewards > 0.5) % 7 == 0) * (rewards > 0.5), ends=(1.0,)),
        # told at other ends than these alone
        survey(flags=lambda rewards: np.where(rewards > 0.5, np.nan, 0.0), ends=(1.0, -0.01), over=OVER),
    ]


def test_what_is_never_told_cannot_be_judged():
    assert isinstance(success_untold(world()), CannotTell)


def test_it_says_what_it_saw():
    assert "All 60 ends that terminate pay 1, and every other step -0.01" in success_untold(sick()[0]).message
