from __future__ import annotations

from tests.recoveries import dqn, ppo
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP202")


def sick():
    return [
        ppo(fault="entropy punished"),
        ppo(environment="Acrobot-v1", fault="entropy punished"),
        ppo({"ent_coef": 0.01}, environment="Acrobot-v1", fault="entropy punished"),
    ]


def healthy():
    return [
        ppo(),
        ppo(entropy=0.0),
        ppo(environment="Acrobot-v1", entropy=0.1),
    ]


def more_healthy():
    return [
        ppo(environment="Acrobot-v1", entropy=0.0),
        ppo(environment="Pendulum-v1"),
        ppo({"ent_coef": -0.01}, environment="Acrobot-v1", fault="entropy punished"),  # set so on purpose
        ppo(environment="Acrobot-v1", fault="average over actions"),
        dqn(),
    ]


def test_a_coefficient_that_was_set_makes_it_an_error():
    assert [RULE.ask(each).level for each in sick()] == [Level.WARN, Level.WARN, Level.ERROR]


def test_a_loss_without_a_policy_cannot_be_judged():
    assert isinstance(RULE.ask(dqn()), CannotTell)
    assert RULE.ask(ppo()) is None
