from __future__ import annotations

import msgspec
import numpy as np

from tests.survey.small import Slider, prepared
from tests.worlds import changed, sweep, world
from weaklink.base.finding import Finding
from weaklink.collect.survey.fine_sweeps import sweep_finely
from weaklink.judge.rules.action.erratic_effect import erratic_effect

VALUES = np.linspace(-30.0, 30.0, 49)


def swept(effect, states=3, shift=0.4):
    """A dimension from -30 to 30, and what follows in one step, from states that differ a little."""
    fine = np.array([[[effect(value + shift * state), state] for value in VALUES] for state in range(states)])
    return changed(world(), sweeps=(msgspec.structs.replace(sweep(), fine=fine),))


def sick():
    # degrees taken for radians, and an angle that is wrapped after a gain that is too large
    return [swept(np.tan), swept(np.sin), swept(lambda value: (value + np.pi) % (2 * np.pi))]


def healthy():
    return [
        swept(lambda value: value),
        swept(lambda value: np.tan(np.radians(value))),
        # there and back, a limit, and ripples on a slope
        swept(lambda value: np.cos(np.radians(6 * value))),
        swept(lambda value: np.clip(value, -3, 3)),
        swept(lambda value: value + np.sin(value)),
        # one of several choices, each worth something else
        swept(lambda value: (7 * np.floor((value + 32) / 6)) % 11),
        # in one state only
        swept(np.tan, states=1),
        swept(lambda value: np.nan),
    ]


def ask(make):
    session, environment = prepared(make)
    made = sweep_finely(session, environment, sweep(), 10)
    return erratic_effect.rule.ask(changed(world(), sweeps=(made,))), made


class Turned(Slider):
    """Its first cart follows the sine of an action that is far too large."""

    def step(self, action):
        return super().step(np.array([np.sin(30 * action[0]), action[1]]))


class Lucky(Turned):
    """The same, with a coin in every step."""

    def step(self, action):
        self.np_random.random()
        return super().step(action)


def test_what_the_survey_sees_of_many_values():
    answer, made = ask(Turned)
    assert isinstance(answer, Finding)
    assert made.fine.shape == (3, 49, 2)
    assert "observation[0] shows next changes direction" in answer.message
    assert ask(Slider)[0] is None
    assert ask(Lucky)[1].fine.size == 0
