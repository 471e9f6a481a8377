from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB207")


def uneven(first=0.0, later=0.0):
    return climbed(
        "FreshRatio",
        measure("unevenness of weights", "first update", first),
        measure("unevenness of weights", "later updates", later),
    )


def sick():
    return [uneven(later=0.47), uneven(0.3, 0.3)]


def healthy():
    return [uneven(), uneven(0.01, 0.02)]


def test_tells_stale_from_different():
    stale, different = map(RULE.ask, sick())
    assert stale.link is Link.DATA
    assert "older policy" in stale.message
    assert different.link is Link.POLICY
