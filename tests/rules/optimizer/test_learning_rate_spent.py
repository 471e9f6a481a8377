from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

FALLS = np.append(rising(0.5, 3.0, points=50), ramp(3.0, 0.2, 0.05, points=50))
RULE = find_rule("OPT307")


def of(rates):
    return run_of({"optimizer.learning_rate": rates, "reward.episode_return": noisy(20, 2)})


def averaging(rewards):
    """A table whose values are averages over all time."""
    curves = {
        "optimizer.learning_rate": 1.0 / np.arange(1, 1001, 10),
        "reward.mean": rewards,
        "value.td_error": noisy(1, 0.1),
    }
    return run_of(curves)


def sick():
    early = np.maximum(np.linspace(3e-4, -3e-3, 100), 0.0)
    multiplied = 1e-3 * np.repeat(np.cumprod(1.0 - np.arange(31) / 31), 4)  # each factor into the rate before
    return [of(early), of(np.concatenate([np.full(30, 1e-3), np.zeros(70)])), of(multiplied), averaging(FALLS)]


def healthy():
    return [
        of(np.full(100, 3e-4)),
        of(np.maximum(ramp(3e-4, -3e-4), 0.0)),  # zero at the end, as it should be
        of(np.concatenate([np.linspace(0.0, 1e-3, 20), np.full(80, 1e-3)])),  # a warm-up
        of(1e-3 * 0.96 ** np.arange(100)),
        of(5e-4 * (1.0 + np.cos(np.pi * np.linspace(0.0, 1.0, 100)))),
        of(1e-3 * np.linspace(1.0, 0.0, 100) ** 2),
        of(np.concatenate([np.full(70, 1e-3), np.zeros(30)])),
        averaging(np.append(rising(0.1, 1.0, points=40), noisy(1.0, 0.05, points=60))),  # what is paid stays as it is
    ]


def test_says_when_it_ended():
    run = sick()[1]
    finding = RULE.ask(run)
    assert finding.onset == pytest.approx(0.3 * run.last_step, rel=0.1)
    assert "31%" in finding.message


def test_a_rate_that_is_a_hundredth_is_a_warning():
    zero, hardly = RULE.ask(sick()[1]), RULE.ask(sick()[2])
    assert (zero.level or RULE.level, hardly.level) == (Level.ERROR, Level.WARN)
    assert "next to nothing is learned" in hardly.message


def test_a_table_of_averages_is_wrong_about_values():
    assert RULE.ask(averaging(FALLS)).link is Link.VALUE
