from __future__ import annotations

from tests.rules.probe.climbs import climb, every_other_failure, learned, lost, rung
from weaklink.judge.rules._registry import find_rule


def sick():
    unmade = "it ended without ever making weaklink/ConstantReward-v0"
    return [climb(rung(*(lost("ignored", unmade, seed) for seed in range(3)))), climb(rung(lost("ignored", unmade)))]


def healthy():
    return [*every_other_failure("ignored"), climb(rung(learned(taken=0)))]


def test_names_the_environment():
    assert find_rule("PRB122").ask(sick()[0]).message == (
        "The training was given weaklink/ConstantReward-v0 and finished without ever making it, in 3 of 3 trainings."
    )
