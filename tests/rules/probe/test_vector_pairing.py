from __future__ import annotations

from tests.outcomes import climbed, mistaken, rung, valued
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB108")


def sick():
    return [
        climbed(rung("ObservedReward"), rung("VectorPairing", valued(lambda state: 0.0))),
        climbed(rung("ObservedReward"), rung("VectorPairing", valued(lambda state: MEMBERS[(state + 2) % 8]))),
        climbed(rung("VectorPairing", mistaken("reset stored as a step"))),
        climbed(rung("VectorPairingContinuous", valued(lambda state: 0.1))),
    ]


def healthy():
    return [
        climbed(rung("VectorPairing")),
        climbed(rung("VectorPairingContinuous")),
        climbed(rung("VectorPairing", first=valued(lambda state: 0.0))),
        climbed(rung("VectorPairing", valued(lambda state: 0.8 * MEMBERS[state]))),
    ]


MEMBERS = (-1.0, 1.0, 1.0, -1.0, -0.5, 0.5, 0.5, -0.5)


def test_members_mixed_up_blame_the_data_when_one_environment_alone_is_right():
    for outcome in sick()[:2]:
        finding = RULE.ask(outcome)
        assert finding.link is Link.DATA
        assert "several environments are mixed up" in finding.message


def test_resets_stored_as_steps_have_their_own_numbers():
    finding = RULE.ask(climbed(rung("VectorPairing", mistaken("reset stored as a step", noise=0.0))))
    assert "stored as if it were a step" in finding.message
