from __future__ import annotations

import numpy as np
import pytest

from tests.worlds import box, discrete, play, with_play, world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.passive_drift import passive_drift

LENGTH, EPISODES = 120, 12


def courses(course, *, episodes=EPISODES, length=LENGTH, columns=3, noise=0.01, seed=0):
    """Episodes whose first column follows `course(step)` and whose other columns rest."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, noise, (episodes, length + 1, columns))
    rows[:, :, 0] += course(np.arange(length + 1.0))
    return {
        "lengths": [length] * episodes,
        "observations": rows[:, :-1].reshape(-1, columns),
        "successors": rows[:, 1:].reshape(-1, columns),
    }


def resting(course, *, random=None, **given):
    """A world in which doing nothing takes the course, and random play wanders a few units about."""
    about = random or courses(lambda step: 3.0 * np.sin(step / 7), noise=1.0, seed=1)
    return with_play(world(), random=play(**about), zero=play("zero", **courses(course, **given)))


def either_way(size):
    """Doing nothing rolls down to the one side or the other."""
    rolled = courses(lambda step: size * step)
    sides = np.repeat(np.random.default_rng(2).choice([-1.0, 1.0], EPISODES), LENGTH)[:, None]
    return {name: value if name == "lengths" else sides * value for name, value in rolled.items()}


def sick():
    wild = courses(lambda step: 0.01 * 1.2**step, noise=0.5, seed=1)
    stops = courses(lambda step: np.where(step > 7, np.nan, 0.0))
    return [
        # an integrator with a gain over 1, whatever is done
        resting(lambda step: 0.01 * 1.2**step, random=wild),
        resting(lambda step: 1e-3 * 1.3**step),
        with_play(world(), random=play(), zero=play("zero", **stops)),
        # an actuator with an offset, and a fall: worth knowing
        resting(lambda step: 0.1 * step),
        resting(lambda step: -0.002 * step**2),
    ]


def healthy():
    nan = np.full((EPISODES * LENGTH, 3), np.nan)
    return [
        world(),
        resting(lambda step: 0.0 * step),
        resting(lambda step: 0.005 * step),
        # a pendulum swings to both sides
        resting(lambda step: np.cos(step / 5) - 1.0),
        with_play(world(), random=play(), zero=play("zero", **either_way(10.0))),
        # an observation that tells the time moves by itself
        resting(lambda step: 0.1 * step, random=courses(lambda step: 0.1 * step, noise=0.0)),
        # numbers of categories do not drift
        with_play(
            world(observation=discrete(500)),
            random=play(columns=1),
            zero=play("zero", **courses(lambda step: step, columns=1)),
        ),
        # NaN whatever is done is the matter of another rule, and so is NaN from the start
        with_play(
            world(),
            random=play(observations=nan),
            zero=play("zero", **courses(lambda step: np.where(step > 7, np.nan, 0.0))),
        ),
        with_play(world(), zero=play("zero", observations=nan, successors=nan, lengths=[LENGTH] * EPISODES)),
    ]


def test_levels():
    found = [passive_drift.rule.ask(survey).level for survey in sick()]
    assert found == [Level.ERROR] * 3 + [Level.INFO] * 2


def test_names_the_place():
    assert "`observation[0]` into nan at step 8" in passive_drift.rule.ask(sick()[2]).message


@pytest.mark.parametrize("speed", [10.0, 1000.0])
def test_a_position_that_grows_steadily_never_runs_away(speed):
    answer = passive_drift.rule.ask(resting(lambda step: speed * step))
    assert answer.level is Level.INFO
    fall = passive_drift.rule.ask(resting(lambda step: speed * step**2))
    assert fall.level is Level.INFO


def test_a_fall_from_the_upright_does_not_run_away():
    """Small at first and ever faster, until it lies: as far as random play gets too."""
    answer = passive_drift.rule.ask(resting(lambda step: np.minimum(1e-3 * 1.1**step, 3.0)))
    assert not isinstance(answer, Finding) or answer.level is Level.INFO


def test_growth_within_what_random_play_reaches_is_in_order():
    wide = courses(lambda step: 300.0 * np.sin(step), noise=100.0, seed=1)
    answer = passive_drift.rule.ask(resting(lambda step: 1e-4 * 1.12**step, random=wide, noise=0.0))
    assert answer is None
    assert passive_drift.rule.ask(resting(lambda step: 1e-4 * 1.12**step, noise=0.0)).level is Level.ERROR


def test_cannot_tell_without_observations_or_without_random_play():
    assert isinstance(passive_drift.rule.ask(with_play(world(), zero=play("zero", observations=None))), CannotTell)
    alone = world(plays={"zero": play("zero", **courses(lambda step: 0.0 * step))})
    assert isinstance(passive_drift.rule.ask(alone), CannotTell)
    assert isinstance(passive_drift.rule.ask(world(plays={})), CannotTell)


def test_a_change_of_width_does_no_harm():
    survey = with_play(world(observation=box(2)), zero=play("zero", columns=2))
    assert isinstance(passive_drift.rule.ask(survey), CannotTell)
