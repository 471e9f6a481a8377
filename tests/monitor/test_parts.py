"""Parts of the watching that fail: they rest longer each time, come back, and say both."""

from __future__ import annotations

import pytest

from weaklink.collect.monitor.parts import FIRST_PAUSE, LONGEST_PAUSE, PartRunner


class World:
    """A clock, a step, what was said, and a part of the watching that may be broken."""

    def __init__(self):
        self.now, self.step, self.said, self.returned, self.broken, self.done = 0.0, 0.0, [], [], True, 0
        self.parts = PartRunner(self.said.append, lambda: self.step, lambda: self.now)
        self.parts.on_return = lambda *told: self.returned.append(told)

    def work(self):
        if self.broken:
            raise OSError("the disk is away")
        self.done += 1
        return self.done

    def attempt(self):
        return self.parts.attempt("recording", self.work)


@pytest.fixture
def world():
    return World()


def test_a_part_that_failed_rests_and_comes_back(world):
    world.step = 100.0
    assert world.attempt() is None
    world.broken = False
    assert world.attempt() is None
    assert world.done == 0
    world.now, world.step = FIRST_PAUSE, 500.0
    assert world.attempt() == 1
    assert world.returned == [("recording", 100.0, 2)]
    assert "tried again in 10 s: OSError: the disk is away" in world.said[0]
    assert "works again" in world.said[1]


def test_the_pauses_grow_up_to_a_limit(world):
    pauses = []
    for _ in range(12):
        began = world.now
        world.attempt()
        while len(world.said) == len(pauses) + 1:
            world.now += 1.0
            world.attempt()
        pauses.append(world.now - began)
    assert pauses[:3] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    assert max(pauses) == LONGEST_PAUSE


def test_other_parts_go_on(world):
    world.attempt()
    assert world.parts.attempt("episodes", lambda: 7) == 7


def test_nothing_is_done_once_it_is_closed(world):
    world.broken, world.parts.closed = False, True
    assert world.attempt() is None
    assert world.done == 0
