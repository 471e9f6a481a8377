from __future__ import annotations

from tests.recoveries import episodic, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW202")
DENSE = "Pendulum-v1"


def sick():
    return [
        ppo(environment=DENSE, fault="rewards as signs"),
        ppo(environment=DENSE, fault="rewards as signs, normalised"),
    ]


def healthy():
    return [
        ppo(environment=DENSE),
        ppo(environment=DENSE, fault="rewards normalised"),  # another factor at every step
        ppo(environment=DENSE, fault="rewards scaled"),
        ppo(environment="Acrobot-v1", fault="rewards as signs"),  # the signs of these are the rewards themselves
        ppo(),
        episodic(),
    ]


def test_rewards_that_a_running_normaliser_divides_are_read():
    (right,) = ppo(environment=DENSE, fault="rewards normalised").recovered.values
    assert (round(right.gamma, 3), round(right.lam, 3)) == (0.97, 0.9)
    assert RULE.ask(ppo(environment=DENSE, fault="rewards normalised")) is None
