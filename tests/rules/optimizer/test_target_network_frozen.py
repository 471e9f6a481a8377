from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import TargetNetwork
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT202")


def followed(
    rate: float | None, renewed: int, every: int, *, looks: int = 6, actual: float | None = None, **given: Any
):
    """A network that walks and a copy that follows it, looked at after every so many updates."""
    rng = np.random.default_rng(0)
    online = rng.normal(size=20)
    target, updates = online.copy(), 0
    rows, kept = [], (online.copy(), target.copy())
    share = (1.0 if rate is None else rate) if actual is None else actual
    for _ in range(looks):
        for _ in range(every):
            online = online + 0.01 * rng.normal(size=20)
            updates += 1
            if updates % renewed == 0:
                target = target + share * (online - target)
        apart, *steps = (
            float(np.linalg.norm(one - other))
            for one, other in ((online, target), (target, kept[1]), (online, kept[0]))
        )
        rows.append((apart, *steps))
        kept = (online.copy(), target.copy())
    distances, moved, online_moved = (tuple(column) for column in zip(*rows, strict=True))
    fields: dict[str, Any] = {"interval": renewed, "rate": rate, "updates": updates}
    network = TargetNetwork(
        name="critic", distances=distances, moved=moved, online_moved=online_moved, **(fields | given)
    )
    return look(target_networks=(network,))


def sick():
    return [
        followed(0.005, 1, 10, actual=0.0),
        followed(None, 20, 10, actual=0.0),
        followed(0.005, 1, 10, actual=1.0),
        followed(0.005, 1, 10, shared=True),
        followed(1.0, 1, 10),  # no slow copy at all
        followed(0.005, 1, 10, actual=0.0, interval=None),
    ]


def healthy():
    return [
        followed(0.005, 1, 10),
        followed(None, 20, 15),
        followed(None, 10, 10),  # every look comes right after a copy
        followed(None, 1000, 10),  # not yet time
        followed(None, 1000, 10, interval=None),
        followed(0.005, 1, 1, looks=2, actual=0.0),
        followed(0.005, 2, 10),
        followed(0.0, 1, 10),  # a fixed copy on purpose
        look(target_networks=()),
    ]


def test_says_since_when():
    assert "has not moved in 60 updates" in RULE.ask(sick()[0]).message
    assert "update interval is 20" in RULE.ask(sick()[1]).message
    assert "rate of 0.005" in RULE.ask(sick()[2]).message
    assert RULE.ask(sick()[4]).level is Level.WARN


def test_before_two_intervals_nothing_is_said():
    assert isinstance(RULE.ask(followed(None, 100, 30, actual=0.0)), CannotTell)
    assert not isinstance(RULE.ask(followed(None, 100, 40, actual=0.0)), CannotTell)
