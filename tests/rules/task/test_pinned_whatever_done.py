from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import survey_of
from tests.worlds import box, play, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.task.pinned_whatever_done import pinned_whatever_done

POLICIES = ("random", "constant", "search")


def queues(share=lambda name: 1.0, begin=lambda rng: rng.integers(0, 8, 4), columns=4, policies=POLICIES, pay=True):
    """Queues that fill up within a few steps and then are full in a share of the steps, by policy."""
    plays = []
    for name in policies:
        rng = np.random.default_rng([3, *name.encode()])
        rows = []
        for _ in range(20):
            full = rng.random((50, 4)) < share(name)
            course = np.where(full, 30, rng.integers(0, 30, (50, 4)))
            course[0] = begin(rng)
            course[:, columns:] = rng.integers(0, 30, (50, 4 - columns))
            rows.append(np.vstack([course, course[-1:]]))
        seen = np.concatenate([part[:-1] for part in rows]).astype(float)
        after = np.concatenate([part[1:] for part in rows]).astype(float)
        rewards = -after.sum(axis=1) if pay else np.random.default_rng(0).normal(0, 1, len(after))
        if columns < 4:
            rewards = np.full(len(after), -1.0)
        plays.append(play(name, episodes=20, length=50, observations=seen, successors=after, rewards=rewards))
    return survey_of(*plays, observation=box(4, 0.0, 30.0))


def sick():
    return [queues(), queues(columns=2), queues(share=lambda name: 0.99)]


def healthy():
    return [
        world(),
        # a search that keeps them short, random play too
        queues(share=lambda name: 0.3 if name == "search" else 1.0),
        queues(share=lambda name: 0.2),
        # one of four, what begins at its limit, and what is paid otherwise
        queues(columns=1),
        queues(begin=lambda rng: np.full(4, 30)),
        queues(pay=False),
    ]


def test_the_search_is_asked_for():
    assert isinstance(pinned_whatever_done.rule.ask(queues(policies=("random", "constant"))), CannotTell)
