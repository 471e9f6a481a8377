from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB205")


def scored(temperature=0.6, uneven=0.0):
    return climbed(
        "SamplingTemperature",
        measure("temperature", "of the scored log-probabilities", temperature),
        measure("unevenness of weights", "first update", uneven),
    )


def sick():
    return [scored(0.99), scored(uneven=0.45), scored(0.36)]


def healthy():
    return [scored(), scored(0.61, 0.01)]


def test_names_where_the_temperature_is_missing():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "left out of the log-probabilities" in said[0]
    assert "old log-probabilities" in said[1]
    assert "not those of the policy that sampled" in said[2]
