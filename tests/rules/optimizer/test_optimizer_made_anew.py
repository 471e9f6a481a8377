from __future__ import annotations

from tests.monitor.reading.episodic import train
from tests.monitor.reading.listening import read_updates
from tests.recoveries import ppo, q_loop, soft_loop
from tests.rollouts import look
from tests.sharing import share
from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.collect.monitor.fresh_optimizers import FreshOptimizers
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT209")


@share
def course(fault=""):
    """What the updates of a REINFORCE show together: the policy makes one step in each."""
    seen = FreshOptimizers()
    for reading in read_updates(lambda: train(fault, 30)):
        seen.note(reading)
    flaws, looked = seen.find_flaws()
    return look(recovered=RecoveredUpdate(flaws=flaws, looked=looked))


def sick():
    return [q_loop("new optimizer"), course("new optimizer")]


def healthy():
    return [q_loop(), q_loop(number=0), soft_loop(), ppo(), course()]


def test_says_that_every_step_is_the_first():
    assert "is the first one of its optimizer" in RULE.ask(q_loop("new optimizer")).message
    assert RULE.ask(q_loop()) is None
    assert "is the first one of its optimizer" in RULE.ask(course("new optimizer")).message
    assert RULE.ask(course()) is None
