from __future__ import annotations

from tests.recoveries import actor_critic, continuous, episodic, many_choices, ppo, told_past
from tests.rollouts import look
from weaklink.base.evidence.flaw_kinds import ACROSS_ACTIONS
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredUpdate
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL206")


def sick():
    return [
        ppo(fault="clip swapped"),
        ppo(fault="clip alone"),
        ppo(environment="Acrobot-v1", fault="softmax twice"),
        ppo(environment="Reacher-v5", fault="averaged"),
        continuous("averaged in the loss"),
        continuous("nothing subtracted", 0),
        episodic("over rows"),
        ppo(fault="old renewed"),
        ppo(environment="Reacher-v5", fault="old renewed"),
        ppo(environment="Acrobot-v1", fault="advantage clipped"),
        ppo(environment="Pendulum-v1", fault="advantage clipped"),
        many_choices("one choice scored"),
        many_choices("mask left out"),
        actor_critic("softmax twice", choices=2),
        ppo(fault="drawn twice"),
        ppo(environment="Acrobot-v1", fault="drawn twice"),
        continuous("variance in the loss"),
    ]


def test_names_a_value_distribution_whose_softmax_runs_over_the_actions():
    flaw = RecoveredFlaw(kind=ACROSS_ACTIONS, head="q", count=64, of=64)
    found = RULE.ask(look(recovered=RecoveredUpdate(flaws=(flaw,), looked=frozenset({ACROSS_ACTIONS}))))
    assert found.link is Link.VALUE
    assert "adds up to zero over the actions of each atom" in found.message


def healthy():
    return [
        ppo(),
        ppo(rate=1e-2),  # many rows beyond the clip range
        ppo(environment="Acrobot-v1"),
    ]


def more_healthy():
    return [
        ppo(environment="Acrobot-v1", entropy=0.1),
        ppo(environment="Reacher-v5"),
        ppo(environment="Pendulum-v1"),
        ppo(fault="a bonus of its own"),
        ppo(fault="other rows"),
        ppo(fault="stored anew"),  # the log-probability is that of the action that is scored
        actor_critic(),
        actor_critic(choices=2),
        episodic(),
        continuous(),
        many_choices(),
        told_past(),
        continuous("variance"),
        continuous("clipped kept"),  # the ratio is put together well; what was stored is not
    ]


def test_says_what_is_put_together_wrongly():
    said = [RULE.ask(case).message for case in sick()]
    swapped, alone, twice, averaged, mixed, missing, across = said[:7]
    assert "minimum and maximum swapped" in swapped
    assert "clipped term alone" in alone
    assert "a softmax is applied twice" in twice
    assert "the softmax runs over the wrong dimension" in across
    assert "averaged over the dimensions" in averaged
    assert "averaged over the action's dimensions in the loss, but added up where they were stored" in mixed
    assert "without subtracting the stored ones" in missing
    assert all("taken anew from the policy that learns" in message for message in said[7:9])
    assert all("those with the largest advantages" in message for message in said[9:11])
    assert "does not score 1 of the choices" in said[11]
    assert all("is that of another action than the one that was taken" in message for message in said[14:16])
    assert "of another standard deviation than the one that actions are drawn with" in said[16]
    assert "the mask is applied when acting and not in the update" in said[12]
