from __future__ import annotations

from tests.recoveries import q_loop, sac, soft_loop, td3_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL208")


def sick():
    return [soft_loop("sampled"), td3_loop("stored action"), td3_loop("pushed critic"), soft_loop("sampled, frozen")]


def healthy():
    return [
        soft_loop(),
        soft_loop("frozen"),
        soft_loop(seed=1),
    ]


def more_healthy():
    return [
        soft_loop("entropy sign"),
        sac(),
        sac(soft=False),
        q_loop(),
        td3_loop(),
    ]


def test_a_gradient_that_ends_at_the_action_is_named():
    assert "reaches no weight of the actor" in RULE.ask(soft_loop("sampled")).message
    assert "or is the one that was stored" in RULE.ask(td3_loop("stored action")).message
    assert RULE.ask(soft_loop()) is None
    assert "as well, in 2 optimizer steps" in RULE.ask(td3_loop("pushed critic")).message
    assert RULE.ask(td3_loop()) is None
    assert "no gradient of their values reaches the actor" in RULE.ask(soft_loop("sampled, frozen")).message
