from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import survey_of
from tests.worlds import box, changed, discrete, play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.only_one_way import only_one_way

EPISODES, LENGTH = 20, 60


def servers(moves=(0, 1, 2), begin=lambda rng: rng.integers(1, 20), ends=TRUNCATED, episodes=EPISODES, heard=True):
    """A number of servers that three choices change, between 1 and 20."""
    plays = []
    for name in ("random", "search"):
        rng = np.random.default_rng([4, *name.encode()])
        seen, after, taken = [], [], rng.integers(0, 3, (episodes * LENGTH, 1))
        for number, action in enumerate(taken[:, 0]):
            now = after[-1] if number % LENGTH else int(begin(rng))
            seen.append(now)
            after.append(int(np.clip(now + (moves[action] if heard else 1), 1, 20)))
        load = rng.normal(0, 1, len(seen) + 1)
        made = play(
            name,
            episodes=episodes,
            length=LENGTH,
            ends=ends,
            observations=np.column_stack([seen, load[:-1]]).astype(float),
            successors=np.column_stack([after, load[1:]]).astype(float),
        )
        plays.append(changed(made, actions=taken.astype(float)))
    return survey_of(*plays, observation=box(2), action=discrete(3))


def sick():
    return [servers(), servers(moves=(0, -1, -2))]


def healthy():
    return [
        world(),
        servers(moves=(-1, 0, 1)),
        # fuel that is full at the start, a pile that is taken away until the game ends, and a clock
        servers(moves=(0, -1, -1), begin=lambda rng: 20),
        servers(moves=(0, -1, -2), ends=TERMINATED),
        servers(heard=False),
    ]


def test_the_way_is_told():
    answer = only_one_way.rule.ask(servers())
    assert "only ever moved up" in answer.message
    assert "rests at 20" in answer.message
    assert isinstance(only_one_way.rule.ask(servers(episodes=5)), CannotTell)
