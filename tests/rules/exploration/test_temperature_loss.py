from __future__ import annotations

from tests.recoveries import sac, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP206")


def sick():
    faults = ("alpha sign", "target entropy", "entropy of observations", "sign of the entropy lost")
    return [soft_loop(fault) for fault in faults]


def healthy():
    return [soft_loop(), soft_loop(seed=1), soft_loop("sampled"), sac()]


def test_names_sign_and_target():
    assert "below its target of -1" in RULE.ask(soft_loop("alpha sign")).message
    assert "aims at an entropy of 2" in RULE.ask(soft_loop("target entropy")).message
    assert "minus the 3 dimensions of an observation" in RULE.ask(soft_loop("entropy of observations")).message
    assert "its sign may be missing" in RULE.ask(soft_loop("sign of the entropy lost")).message
    assert RULE.ask(soft_loop()) is None
