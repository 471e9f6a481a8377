from __future__ import annotations

from tests.recoveries import dqn, episodic, many_choices, ppo, q_loop, sac
from weaklink.base.finding import CannotTell, Finding
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL204")


def sick():
    return [
        ppo(environment="Acrobot-v1", fault="drawn anew"),
        dqn(loss="mse", fault="other action"),
        dqn(loss="mse", fault="every action"),
        episodic("boolean actions"),
        episodic("drawn again"),
        ppo(fault="actions mixed up"),
        ppo(environment="Acrobot-v1", fault="actions mixed up"),
        q_loop("largest"),
        q_loop("greedy stored", number=2, steps=330, rate=0.3),
        ppo(fault="stored anew"),
        many_choices("another queue"),
    ]


def healthy():
    return [
        ppo(),
        ppo(environment="Acrobot-v1"),
        ppo(environment="Acrobot-v1", entropy=0.1),
    ]


def more_healthy():
    return [
        ppo(environment="Acrobot-v1", fault="average over actions"),  # as in a discrete soft actor-critic
        ppo(environment="Pendulum-v1"),
        dqn(),
        q_loop(),
        dqn(loss="mse", double=True),
        dqn(loss="conservative"),
        sac(),
        many_choices(),
        episodic(),
        ppo(fault="other rows"),
        ppo(fault="sign flipped"),
        ppo(fault="a bonus of its own"),
    ]


def test_a_policy_blames_the_policy_and_action_values_the_value():
    answers = [RULE.ask(each) for each in sick()]
    assert [each.link for each in answers if isinstance(each, Finding)] == [
        Link.POLICY, Link.VALUE, Link.VALUE, Link.ACTION, Link.POLICY, Link.DATA, Link.DATA, Link.VALUE, Link.ACTION,
        Link.POLICY, Link.ACTION,
    ]  # fmt: skip
    assert "all actions towards one target" in answers[2].message
    assert answers[3].message.endswith("always the same one: 2 as 1.")
    assert all("mixed up in a reshape" in each.message for each in answers[5:7])
    assert "the prediction is the maximum over the actions" in answers[7].message
    assert "stored where another one was tried out" in answers[8].message


def test_two_choices_of_a_policy_cannot_be_told_apart():
    assert isinstance(RULE.ask(ppo()), CannotTell)
    assert RULE.ask(ppo(environment="Acrobot-v1")) is None
    assert RULE.ask(dqn()) is None


def test_two_choices_are_told_apart_where_the_advantages_are_known():
    message = RULE.ask(ppo(fault="stored anew")).message
    assert "scores another action than the one taken" in message
