from __future__ import annotations

from dataclasses import replace

from tests.recoveries import actor_critic, ppo
from tests.rollouts import look
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP203")


def later(rollout):
    """The same update, as the thirtieth of its training."""
    return look(recovered=replace(rollout.recovered, number=30))


def of_no_policy(rollout):
    """The same, where most of what the loss asks is explained by no policy."""
    (policy,) = rollout.recovered.policies
    return look(recovered=replace(rollout.recovered, policies=(replace(policy, unexplained=0.98),)))


def sick():
    return [later(actor_critic(entropy=3.0)), later(ppo(environment="Acrobot-v1", entropy=1.0))]


def healthy():
    return [
        later(actor_critic()),
        later(ppo(environment="Acrobot-v1")),
        later(ppo(environment="Acrobot-v1", entropy=0.1)),
    ]


def more_healthy():
    return [
        later(ppo()),
        of_no_policy(later(actor_critic(entropy=3.0))),
        actor_critic(entropy=3.0),  # at the start nobody knows how large advantages will be
        later(actor_critic(entropy=0.3)),  # less than these advantages, which are not normalised
    ]


def test_names_both_sides():
    assert "weighs the entropy with 3" in RULE.ask(sick()[0]).message
