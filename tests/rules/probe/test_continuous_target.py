from __future__ import annotations

import numpy as np
import pytest

from tests.outcomes import acting, agent, climbed, rung, spread
from weaklink.base.finding import HIGH
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

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
        climbed(rung("ContinuousTarget", soft(lambda state: TARGETS[state], width=1.0, temperature=20.0))),
    ]


TARGETS = (-0.8, -0.4, 0.0, 0.4, 0.8)


def opposite(state):
    return -TARGETS[state]


def widely(probe, seed):
    """Draws its actions, also when it is asked."""
    rng = np.random.default_rng(seed)
    return agent(probe, act=lambda state: np.array([TARGETS[state] + 0.2 * rng.normal()]))


def soft(choice, width, temperature):
    """A soft agent: its draws lie round the right action, as widely as is said."""
    return lambda probe, seed: agent(
        probe,
        act=lambda state: probe.native(choice(state)),
        sample=spread(probe, seed, width),
        temperature=temperature,
    )


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


def test_a_soft_policy_in_the_middle_with_a_temperature_that_ran_away_is_a_matter_of_exploration():
    link, message = told(soft(lambda state: 0.0, width=1.0, temperature=20.0))
    assert link is Link.EXPLORATION
    assert "its temperature has grown to 20" in message


@pytest.mark.parametrize(
    ("width", "temperature"),
    [(1.0, 0.1), (0.1, 20.0), (0.1, 0.1)],
    ids=["the temperature fell as it should", "the policy is not random", "nothing is wrong with either"],
)
def test_a_temperature_that_does_what_it_should_leaves_the_blame_with_the_policy(width, temperature):
    link, message = told(soft(lambda state: 0.0, width, temperature))
    assert link is Link.POLICY
    assert "the middle of the range" in message
