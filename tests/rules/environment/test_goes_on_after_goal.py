from __future__ import annotations

import numpy as np

from tests.worlds import changed, discrete, play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.environment.goes_on_after_goal import goes_on_after_goal

EPISODES, LENGTH, GOAL = 30, 60, 6


def walk(leaves=False, prize=1.0, step=-0.01, ends=TRUNCATED, one_action=False):
    """A walk along a corridor to the goal, where it stays, but where actions may leave it again."""
    rng = np.random.default_rng(0)
    seen, after, paid = [], [], []
    actions = np.zeros((EPISODES * LENGTH, 1)) if one_action else rng.integers(0, 4, (EPISODES * LENGTH, 1))
    for number, action in enumerate(actions[:, 0]):
        place = after[-1] if number % LENGTH else 0
        there = place == GOAL
        onward = place if one_action else max(place + (1 if action % 2 == 0 else -1), 0)
        seen.append(place)
        after.append((GOAL - 1 if leaves and action == 0 else GOAL) if there else onward)
        paid.append(prize if there else step)
    made = play(
        "random",
        episodes=EPISODES,
        length=LENGTH,
        ends=ends,
        observations=np.array(seen, dtype=float)[:, None],
        successors=np.array(after, dtype=float)[:, None],
        rewards=np.array(paid),
    )
    return changed(world(), action=discrete(4), plays={"random": changed(made, actions=actions.astype(float))})


def sick():
    return [walk(), walk(prize=10.0, step=0.0)]


def healthy():
    return [
        world(),
        # a place that can be left again, one that costs, and one that pays what every step pays
        walk(leaves=True),
        walk(prize=-1.0),
        walk(prize=0.0),
        walk(prize=1.0, step=1.0),
        walk(ends=TERMINATED),
        # nothing else was tried there
        walk(one_action=True),
    ]


def test_few_episodes_do_not_tell():
    few = changed(world(), plays={"random": play("random", episodes=5)})
    assert isinstance(goes_on_after_goal.rule.ask(few), CannotTell)
