from __future__ import annotations

from tests.recoveries import episodic, many_choices, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW202")
DENSE = "Pendulum-v1"


def sick():
    return [
        ppo(environment=DENSE, fault="rewards as signs"),
        ppo(environment=DENSE, fault="rewards as signs, normalised"),
        ppo(environment=DENSE, fault="rewards cut"),
        ppo(environment=DENSE, fault="rewards cut, normalised"),
        many_choices("rewards as signs"),
    ]


def healthy():
    return [
        ppo(environment=DENSE),
        ppo(environment=DENSE, fault="rewards normalised"),  # another factor at every step
        ppo(environment=DENSE, fault="rewards scaled"),
    ]


def more_healthy():
    return [
        ppo(environment="Acrobot-v1", fault="rewards as signs"),  # the signs of these are the rewards themselves
        ppo(),
        episodic(),
        many_choices(),
    ]


def test_rewards_that_a_running_normaliser_divides_are_read():
    (right,) = ppo(environment=DENSE, fault="rewards normalised").recovered.values
    assert (round(right.gamma, 3), round(right.lam, 3)) == (0.97, 0.9)
    assert RULE.ask(ppo(environment=DENSE, fault="rewards normalised")) is None


def test_says_where_rewards_are_cut_off():
    signs, _, cut, scaled, once = (RULE.ask(case).message for case in sick())
    assert all("made of the signs of the rewards" in message for message in (signs, once))
    assert all("that are cut off at 2, beyond which" in message for message in (cut, scaled))
