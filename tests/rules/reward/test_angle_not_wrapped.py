from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.angle_not_wrapped import _is_paid, angle_not_wrapped


def course(pay, turn=2.0 * np.pi, episodes=40, bounded=False):
    """A heading that goes over the seam and a course beside it, or a joint that stops there."""

    def wrap(angle):
        return np.clip(angle, -turn / 2, turn / 2) if bounded else (angle + turn / 2) % turn - turn / 2

    def heading(rng, step, before):
        return rng.uniform(-turn / 2, turn / 2) if before is None else wrap(before + turn * rng.normal(0, 0.03))

    def aim(rng, step, before):
        return rng.choice((-1, 1)) * 0.45 * turn if before is None else before

    kept = held(
        {"heading": heading, "aim": aim},
        lambda now, before, ended: [now["heading"][0], now["aim"][0]],
        pay=lambda before, after: pay(float(after["heading"][0]), float(before["aim"][0]), turn),
        episodes=episodes,
    )
    return changed(world(), held=kept)


def plain(here, there, turn):
    return -abs(here - there)


def squared(here, there, turn):
    return 1.0 - 0.1 * (here - there) ** 2


def wrapped(here, there, turn):
    return -abs((here - there + turn / 2) % turn - turn / 2)


def rudder(pay):
    """The same, where turning costs something too."""
    made = course(pay)
    kept = made.held
    costly = kept.rewards - 0.05 * np.abs(kept.actions[:, 0])
    return changed(made, held=msgspec.structs.replace(kept, rewards=costly), action=box(1, -1.0, 1.0))


def sick():
    return [course(plain), course(squared), course(plain, turn=360.0), rudder(plain)]


def healthy():
    return [
        world(),
        course(wrapped),
        rudder(wrapped),
        course(lambda here, there, turn: np.cos(2 * np.pi * (here - there) / turn)),
        # a joint that cannot be turned over: the way round is no way
        course(plain, bounded=True),
        course(lambda here, there, turn: 0.0),
    ]


def test_the_angle_is_named():
    assert "`heading` and `aim`" in angle_not_wrapped.rule.ask(course(plain)).message


def test_few_steps_do_not_tell():
    assert isinstance(angle_not_wrapped.rule.ask(course(plain, episodes=5)), CannotTell)


def test_one_reward_in_all_steps_is_a_multiple_of_nothing():
    rng = np.random.default_rng(0)
    costs = np.ones((500, 1))
    errors = [rng.integers(0, 7, 500).astype(float) for _ in range(20)]
    assert not any(_is_paid(np.full(500, paid), error, costs) for paid in (-0.01, -0.1, 1.0 / 3.0) for error in errors)
