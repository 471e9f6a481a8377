from __future__ import annotations

import numpy as np

from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.evaluation.success_of_all import success_of_all

STEPS = 40


def told(name="random", *, flags, ends=(1.0, -1.0), over=TERMINATED, **given):
    """Forty episodes that cost a little and end well or badly by turns, with what the info says of each step."""
    made = play(name, episodes=40, length=STEPS, ends=over)
    rewards = np.full(40 * STEPS, -0.01)
    rewards[STEPS - 1 :: STEPS] = np.resize(ends, 40)
    return changed(made, rewards=rewards, metrics={"is_success": flags(rewards)}, **given)


def survey(**given):
    return with_play(world(), random=told(**given), zero=told("zero", **given), search=told("search", **given))


def at_ends(value):
    """What is said at the last step of each episode only."""
    return lambda rewards: np.where(np.abs(rewards) > 0.5, value(rewards), np.nan)


def at_ends_of_any(value):
    """The same at all ends, also at those that pay what every step does."""
    return lambda rewards: np.where((np.arange(len(rewards)) + 1) % STEPS == 0, value(rewards), np.nan)


def docking(crash):
    """Docked, crashed and out of time by turns; out of time is never told a success."""
    over = np.resize([TERMINATED, TERMINATED, TRUNCATED], 40)

    def flags(rewards):
        return np.where(rewards > 0.5, 1.0, np.where(rewards < -0.5, crash, 0.0))

    return survey(flags=flags, ends=(1.0, -1.0, -0.01), over=over)


def arm(**given):
    """Every step costs its distance from the goal, which ends pay no more of than others."""
    plays = {}
    for name in ("random", "zero", "search"):
        made = told(name, over=TRUNCATED, **given)
        plays[name] = changed(made, rewards=-np.abs(np.random.default_rng(len(name)).normal(1.0, 0.3, 40 * STEPS)))
    return with_play(world(), **plays)


def keep(values):
    return np.maximum.accumulate(values)


def sick():
    return [
        survey(flags=at_ends(np.ones_like)),
        # a flag that no reset clears, told at every step or at ends only
        survey(flags=lambda rewards: keep((np.arange(len(rewards)) >= 300).astype(float))),
        survey(flags=at_ends(lambda rewards: (np.arange(len(rewards)) > 12 * STEPS).astype(float))),
        docking(crash=1.0),
        # a distance that is always within the tolerance, and a time limit that counts as a success
        arm(flags=np.ones_like),
        arm(flags=at_ends_of_any(np.ones_like)),
        # as on a frozen lake: the goal pays, and holes pay what every step does
        survey(flags=at_ends_of_any(np.ones_like), ends=(1.0, -0.01)),
    ]


def healthy():
    return [
        survey(flags=at_ends(lambda rewards: (rewards > 0.5).astype(float))),
        docking(crash=0.0),
        arm(flags=np.zeros_like),
        arm(flags=at_ends_of_any(lambda rewards: (np.arange(len(rewards)) % (7 * STEPS) < STEPS).astype(float))),
        # every end is one that pays, or none is fined
        survey(flags=at_ends(np.ones_like), ends=(1.0,)),
        survey(flags=at_ends_of_any(np.ones_like), ends=(1.0, 0.6, 0.3, -0.005)),  # the later, the less
        # a goal that is reached and left again, nothing ever, and everything always
        survey(flags=lambda rewards: (np.arange(len(rewards)) % STEPS > 30).astype(float), ends=(1.0,)),
        survey(flags=np.zeros_like),
        survey(flags=np.ones_like, ends=(0.0,)),
        # held until the episode is over, as "solved so far"
        survey(flags=lambda rewards: (np.arange(len(rewards)) % STEPS >= 20).astype(float), ends=(1.0,)),
        # one lucky end, the last one
        survey(flags=at_ends(lambda rewards: (np.arange(len(rewards)) >= 39 * STEPS).astype(float))),
    ]


def test_what_is_never_told_cannot_be_judged():
    assert isinstance(success_of_all(world()), CannotTell)


def test_it_says_what_it_saw():
    assert "no reset clears it" in success_of_all(sick()[1]).message
    assert "60 of them pay more" in success_of_all(sick()[0]).message
    assert "and 60 what every other step pays" in success_of_all(sick()[-1]).message
    assert "whatever is done counts as a success" in success_of_all(arm(flags=np.ones_like)).message
