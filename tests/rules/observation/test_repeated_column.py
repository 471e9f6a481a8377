from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import Level
from weaklink.judge.rules.observation.repeated_column import repeated_column

FOUR = np.ones((2, 2))


def shown(width=4, copy=(3, 2), space=None, columns=None, **fields):
    """Random play whose column is a copy of another."""
    made = play("random", columns=width)
    rows, after = made.observations.copy(), made.successors.copy()
    for array in (rows, after):
        if columns is not None:
            array[:] = columns(array)
        array[:, copy[0]] = array[:, copy[1]]
    seen = changed(made, observations=rows, successors=after)
    return changed(world(), observation=space or box(width), plays={"random": seen}, **fields)


def piped():
    """What a tap is set to stands beside a pipe that it was let into, of which the newest part is the same number."""
    tap = np.cumsum(np.random.default_rng(0).integers(-1, 2, 1003)).astype(float)
    rows = np.stack([tap[:-2], tap[1:-1], tap[2:], tap[2:]], axis=1)
    seen = play("random", columns=4, lengths=[1000], observations=rows[:-1], successors=rows[1:])
    return changed(world(), observation=box(4), plays={"random": seen})


def sick():
    return [
        shown(),
        shown(columns=lambda rows: np.clip(np.round(5 * rows), 0, 4)),
        shown(space=Space(kind="multi_discrete", shape=(4,), dtype="int64", choices=(9,) * 4, first=(0,) * 4)),
    ]


def healthy():
    goal = Space(kind="dict", parts={"observation": box(3), "achieved_goal": box(1)})
    return [
        world(),
        # what is achieved stands in the observation too
        shown(space=goal),
        # bodies that are one have one velocity
        shown(width=60),
        # two flags, a stack of frames, a vector that is given twice
        shown(columns=lambda rows: (rows > 0).astype(float)),
        shown(equal_frames=2),
        # two agents that see the same
        shown(
            space=Space(kind="box", shape=(2, 2), dtype="float64", low=np.full((2, 2), -9.0), high=np.full((2, 2), 9.0))
        ),
        shown(width=2, copy=(1, 0)),
        piped(),
        # nearly the same is not the same
        with_play(world(), random=play("random")),
    ]


def test_names_both_columns():
    answer = repeated_column.rule.ask(shown())
    assert answer.severity is Level.WARN
    assert "observation[3] is equal to observation[2] at each of 5,000 steps under 1 policy" in answer.message
