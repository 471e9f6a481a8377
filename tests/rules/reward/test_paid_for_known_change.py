from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import survey_of
from tests.worlds import box, changed, discrete, play, world
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules.reward.paid_for_known_change import paid_for_known_change


def trading(pay, discretely=True, steps=1000, moved=0.0, follows=0.85, level=0.0):
    """A window of five values of a series, a position that is chosen, and what a step pays for it."""
    rng = np.random.default_rng(0)
    taken = rng.integers(0, 3, steps) if discretely else rng.uniform(-1, 1, steps)
    position = taken - 1 if discretely else taken
    series = np.zeros(steps + 6)
    for place in range(1, len(series)):
        push = moved * position[place - 5] if 5 <= place < steps + 5 else 0.0
        series[place] = follows * series[place - 1] + rng.normal(0, 0.4) + push
    series += level
    windows = np.lib.stride_tricks.sliding_window_view(series, 5)
    rewards = pay(position, windows[:steps], windows[1 : steps + 1]) - 0.02 * np.abs(np.diff(position, prepend=0.0))
    made = play(
        "random",
        lengths=[steps // 4] * 4,
        rewards=rewards,
        observations=windows[:steps].copy(),
        successors=windows[1 : steps + 1].copy(),
    )
    return survey_of(
        changed(made, actions=taken[:, None].astype(float)),
        observation=box(5),
        action=discrete(3) if discretely else box(1, -1.0, 1.0),
    )


def known(position, before, after):
    return position * (before[:, -1] - before[:, -2])


def coming(position, before, after):
    return position * (after[:, -1] - before[:, -1])


def newest(position, before, after):
    return position * before[:, -1]


def next_one(position, before, after):
    return position * after[:, -1]


def funds(place, ahead=1, follows=0.1, level=0.0, steps=1500):
    """Shares of a whole in two funds and cash, and the returns of three days side by side, the last of them `ahead`."""
    rng = np.random.default_rng(1)
    days = np.zeros((steps + 6, 2))
    for day in range(1, len(days)):
        days[day] = follows * days[day - 1] + rng.normal(0, 0.02, 2)
    days += level
    parts = rng.uniform(0, 1, (steps, 3))
    shares = parts / parts.sum(axis=1, keepdims=True)
    seen = np.stack([days[day : day + 3].ravel() for day in range(steps + 1)])
    rewards = np.log(1.0 + (shares[:, :2] * np.stack([days[day + place] for day in range(steps)])).sum(axis=1))
    held = np.concatenate([np.array([[0.0, 0.0]]), shares[:, :2]])
    rows = np.concatenate([seen, held], axis=1)
    made = play("random", lengths=[steps // 5] * 5, rewards=rewards, observations=rows[:-1], successors=rows[1:])
    return survey_of(changed(made, actions=parts), observation=box(8), action=box(3, 0.0, 1.0))


def price(ahead, moved=0.0, steps=1500):
    """One price that is seen, and a position that is paid for the change that follows it, or for the one before."""
    rng = np.random.default_rng(2)
    position = rng.uniform(-1, 1, steps + 2)
    course = np.zeros(steps + 2)
    for day in range(1, len(course)):
        course[day] = 0.9 * course[day - 1] + rng.normal() + moved * position[day - 1]
    changes = np.diff(course)
    rewards = position[1 : steps + 1] * (changes[1:] if ahead else changes[:-1])
    rows = course[:, None]
    made = play(
        "random",
        lengths=[steps // 5] * 5,
        rewards=rewards,
        observations=rows[1 : steps + 1],
        successors=rows[2 : steps + 2],
    )
    return survey_of(changed(made, actions=position[1 : steps + 1, None]), observation=box(1), action=box(1, -1.0, 1.0))


def sick():
    # the last two show a series of changes up to the one that is paid for
    return [
        trading(known),
        trading(known, discretely=False),
        trading(newest, follows=0.3),
        trading(newest, follows=0.3, discretely=False),
        funds(place=1),
        funds(place=2),
        price(ahead=False),
    ]


def healthy():
    return [
        price(ahead=True),
        # a body that one pushes, paid for how it moved
        price(ahead=False, moved=3.0),
        world(),
        trading(coming),
        trading(coming, discretely=False),
        # bought at the price that is seen, and a series that the action drives
        trading(lambda position, before, after: -position * before[:, -1]),
        trading(known, moved=1.0),
        # changes of which the next one is paid for, and units sold at a price that is seen
        trading(next_one, follows=0.3),
        trading(newest, follows=0.3, level=5.0),
        trading(lambda position, before, after: np.zeros(len(position))),
        # what comes is paid for; and prices around 0 of which a forecast is shown
        funds(place=3),
        funds(place=1, follows=0.95),
        funds(place=1, level=1.0),
    ]


def test_a_window_that_reaches_too_far_is_the_fault_of_the_observation():
    answer = paid_for_known_change.rule.ask(funds(place=1))
    assert answer.link is Link.OBSERVATION
    assert "the window shows what comes after it too" in answer.message
    assert paid_for_known_change.rule.ask(funds(place=2)).link is Link.REWARD


def test_few_steps_do_not_tell():
    assert isinstance(paid_for_known_change.rule.ask(trading(known, steps=200)), CannotTell)
