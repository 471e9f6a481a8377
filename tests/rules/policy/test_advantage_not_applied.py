from __future__ import annotations

from tests.recoveries import densities, dqn, online, ppo, sac
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL205")


def sick():
    return [
        ppo(fault="sign flipped"),
        ppo(environment="Acrobot-v1", fault="sign flipped"),
        ppo(environment="Pendulum-v1", fault="sign flipped"),
        ppo(fault="other rows"),
        ppo(environment="Acrobot-v1", fault="other rows"),
        ppo(fault="no advantage"),
        ppo(environment="Pendulum-v1", fault="no advantage"),
        sac(fault="descends"),
        sac(fault="descends", soft=False),
        online("sign flipped"),
        densities("beta", "sign flipped"),
        densities("gaussian", "sign flipped"),
    ]


def healthy():
    return [
        ppo(),
        ppo(epochs=1, minibatch=256),
        ppo(normalise=False),
    ]


def more_healthy():
    return [
        ppo(environment="Acrobot-v1", entropy=0.1),
        ppo(environment="Pendulum-v1"),
        ppo(value_loss="huber"),
        ppo(value_loss="clipped"),
        ppo(fault="a bonus of its own"),  # advantages of another estimator, the same in every epoch
        ppo(lam=0.0),
        sac(),
        sac(soft=False),
        dqn(),
        online(),
        densities("beta"),
        densities("gaussian"),
    ]


def test_says_what_the_weights_follow():
    assert "opposite sign" in RULE.ask(sick()[0]).message
    assert "another one each time" in RULE.ask(sick()[3]).message
    assert "one number in all rows" in RULE.ask(sick()[5]).message
    assert "worst action of its critic" in RULE.ask(sick()[7]).message


def test_replay_without_an_actor_cannot_be_judged():
    assert isinstance(RULE.ask(dqn()), CannotTell)
    assert RULE.ask(ppo()) is None
    assert RULE.ask(sac()) is None
