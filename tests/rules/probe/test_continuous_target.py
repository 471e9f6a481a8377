from __future__ import annotations

import numpy as np

from tests.outcomes import acting, agent, climbed, rung
from weaklink.finding import HIGH
from weaklink.loop import Link
from weaklink.rules._registry import find_rule

RULE = find_rule("PRB110")


def sick():
    return [
        climbed(rung("ContinuousTarget", acting(lambda state: 0.0))),
        climbed(rung("ContinuousTarget", acting(opposite))),
        climbed(rung("ContinuousTarget", acting(lambda state: 1.0), beyond=0.95)),
        climbed(rung("ContinuousTarget", acting(lambda state: 0.0), spread=0.001)),
    ]


def healthy():
    return [
        climbed(rung("ContinuousTarget")),
        climbed(rung("ContinuousTarget", first=acting(lambda state: 0.0))),
        climbed(rung("ContinuousTarget", acting(lambda state: TARGETS[state] * 0.75))),
        climbed(rung("ContinuousTarget", widely)),
    ]


TARGETS = (-0.8, -0.4, 0.0, 0.4, 0.8)


def opposite(state):
    return -TARGETS[state]


def widely(probe, seed):
    """Draws its actions, also when it is asked."""
    rng = np.random.default_rng(seed)
    return agent(probe, act=lambda state: np.array([TARGETS[state] + 0.2 * rng.normal()]))


def told(make, **behaviour):
    finding = RULE.ask(climbed(rung("ContinuousTarget", make, **behaviour)))
    return finding.link, finding.message


def test_blames_by_where_the_actions_lie():
    link, message = told(acting(lambda state: 0.05))
    assert link is Link.POLICY
    assert "the middle of the range" in message
    link, message = told(acting(opposite))
    assert link is Link.POLICY
    assert "away from the target" in message
    assert told(acting(lambda state: 1.0), beyond=0.95)[0] is Link.ACTION
    assert told(acting(lambda state: 0.0), spread=0.001)[0] is Link.EXPLORATION
    assert told(acting(lambda state: 0.0), late=0.9)[0] is Link.EVALUATION


def test_anything_else_blames_the_policy_without_much_confidence():
    finding = RULE.ask(climbed(rung("ContinuousTarget", acting(lambda state: 0.5))))
    assert finding.link is Link.POLICY
    assert finding.confidence < HIGH
