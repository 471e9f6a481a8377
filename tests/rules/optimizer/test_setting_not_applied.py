from __future__ import annotations

from tests.recoveries import dqn, ppo, side_by_side
from weaklink.base.finding import CannotTell, Finding
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT203")
RIGHT = {"gamma": 0.97, "gae_lambda": 0.9, "clip_range": 0.2, "ent_coef": 0.01, "n_epochs": 3, "vf_coef": 0.5}


def sick():
    return [
        ppo(RIGHT | {"gamma": 0.99}),
        ppo(RIGHT | {"gamma": 0.9, "gae_lambda": 0.97}),  # swapped
        ppo(RIGHT | {"clip_range": 0.1}, epochs=6, rate=1e-2),
    ]


def more_sick():
    return [
        ppo(RIGHT | {"ent_coef": 0.001}, environment="Acrobot-v1"),
        ppo(RIGHT | {"n_epochs": 1}),
        side_by_side("other discount"),
    ]


def healthy():
    return [
        ppo(RIGHT),
        ppo(RIGHT, environment="Acrobot-v1"),
        ppo(RIGHT, environment="Pendulum-v1"),
    ]


def more_healthy():
    return [
        ppo(RIGHT, lam=1.0),  # a critic of plain returns
        ppo(RIGHT | {"clip_range": 0.3, "ent_coef": 0.02, "n_epochs": 10}),  # schedules and early stopping
        ppo(RIGHT | {"gae_lambda": 0.95}, value_loss="huber", lam=0.95),
        ppo(),
        dqn(),
        side_by_side(),
    ]


def test_says_what_was_set_and_what_is_done():
    answer = RULE.ask(sick()[0])
    assert answer.message == "The gamma was set to 0.99, but the update shows 0.97."
    assert answer.link == Link.RETURNS
    both = RULE.ask(sick()[1])
    assert isinstance(both, tuple)
    assert all(isinstance(each, Finding) for each in both)
    assert [each.message.split()[1] for each in both] == ["gamma", "lambda"]


def test_a_constant_of_the_script_is_what_was_set():
    right, other = side_by_side(), side_by_side("other discount")
    assert right.recovered.settings["gamma"] == other.recovered.settings["gamma"]
    assert RULE.ask(right) is None
    assert "The gamma was set to" in RULE.ask(other).message


def test_without_settings_nothing_can_be_compared():
    assert isinstance(RULE.ask(ppo()), CannotTell)
    assert RULE.ask(ppo(RIGHT)) is None
