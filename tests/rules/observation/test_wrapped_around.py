from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.finding import Level
from weaklink.judge.rules.observation.wrapped_around import wrapped_around


def fill(rng, step, before):
    """A buffer of up to 2,000 packets."""
    return rng.integers(0, 900, 2) if before is None else np.clip(before + rng.integers(-40, 60, 2), 0, 2000)


def survey(show, attribute=fill):
    made = held({"fill": attribute}, show, episodes=12, length=40)
    return changed(world(), observation=box(made.observations.shape[1]), held=made)


def walk(rng, step, before):
    """A place on a line of forty."""
    return rng.integers(0, 40) if before is None else np.clip(before[0] + rng.integers(-3, 4), 0, 39)


def hour(rng, step, before):
    return 0 if before is None else before[0] + 1


def mark(width):
    return lambda now, before, ended: np.eye(width)[int(now["fill"][0]) % width]


def sick():
    return [
        survey(lambda now, before, ended: now["fill"] % 256),
        survey(lambda now, before, ended: (now["fill"] + 128) % 256 - 128),
        survey(mark(8), walk),
        # litres, of which the decimals are lost too
        survey(lambda now, before, ended: np.trunc(now["fill"]) % 256, lambda *given: fill(*given) + 0.4),
    ]


def healthy():
    return [
        survey(lambda now, before, ended: now["fill"]),
        survey(lambda now, before, ended: np.minimum(now["fill"], 255)),
        survey(lambda now, before, ended: now["fill"] / 2000),
        # small enough for a byte
        survey(lambda now, before, ended: now["fill"], lambda *given: np.clip(fill(*given), 0, 200)),
        # as many places as states, and the hour of the day
        survey(mark(40), walk),
        survey(mark(24), hour),
        # decimals alone
        survey(lambda now, before, ended: np.trunc(now["fill"]), lambda *given: fill(*given) + 0.4),
        # the hour of the day
        survey(lambda now, before, ended: now["fill"] % 24),
    ]


def test_names_the_attribute_and_its_largest_number():
    answer = wrapped_around.rule.ask(sick()[0])
    assert answer.severity is Level.ERROR
    assert "observation[0] is `fill[0]` modulo 256 at each of 480 steps" in answer.message


def test_fewer_marks_than_states():
    answer = wrapped_around.rule.ask(survey(mark(8), walk))
    assert "8 columns of the observation, of which one is 1, show `fill` modulo 8" in answer.message
