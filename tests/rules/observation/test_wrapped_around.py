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


def sick():
    return [
        survey(lambda now, before, ended: now["fill"] % 256),
        survey(lambda now, before, ended: (now["fill"] + 128) % 256 - 128),
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
        # decimals alone
        survey(lambda now, before, ended: np.trunc(now["fill"]), lambda *given: fill(*given) + 0.4),
        # the hour of the day
        survey(lambda now, before, ended: now["fill"] % 24),
    ]


def test_names_the_attribute_and_its_largest_number():
    answer = wrapped_around.rule.ask(sick()[0])
    assert answer.severity is Level.ERROR
    assert "observation[0] is `fill[0]` modulo 256 at each of 480 steps" in answer.message
