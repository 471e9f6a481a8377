from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, discrete, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.too_wide import too_wide


def image(*shape):
    size = int(np.prod(shape))
    return Space(kind="box", shape=shape, dtype="uint8", low=np.zeros(size), high=np.full(size, 255.0))


def both(**parts):
    return Space(kind="dict", parts=parts)


def sick():
    return [
        changed(world(), observation=space)
        for space in (box(1001), discrete(5000), both(camera=image(84, 84, 3), scan=box(2000)))
    ]


def healthy():
    return [
        changed(world(), observation=space)
        for space in (
            box(1000),
            discrete(500),  # Taxi
            image(210, 160, 3),
            image(4, 84, 84),
            both(camera=image(84, 84, 3), scan=box(20)),
            image(7, 7, 3),  # MiniGrid
        )
    ]


def test_is_worth_knowing_only_and_says_the_width():
    answer = too_wide.rule.ask(changed(world(), observation=both(camera=image(84, 84, 3), scan=box(2000))))
    assert answer.severity is Level.INFO
    assert "2,000 numbers (limit 1,000) besides 1 image" in answer.message


def test_the_limit_can_be_set():
    assert isinstance(too_wide.rule.ask(world(), {"widest": 2}), Finding)


def test_could_not_tell_of_text():
    assert isinstance(too_wide.rule.ask(changed(world(), observation=Space(kind="other"))), CannotTell)
