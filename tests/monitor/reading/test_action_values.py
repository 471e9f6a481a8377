"""Lines that explain nothing."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.collect.monitor.reading.action_values import fit_one_step


def test_values_that_are_the_next_ones_themselves_explain_no_target() -> None:
    """As those of a policy that takes the best action: the largest value at the row's own observation is its value."""
    random = np.random.default_rng(0)
    values, following = random.normal(size=(2, 256))
    rewards, none = random.choice([-1.0, -10.0], 256), np.zeros(256, bool)
    own = {"own": np.where(random.random(256) < 0.9, values, following)}
    asked = 2.0 * (values - rewards - 0.9 * random.normal(size=256))
    for scaled in (False, True):
        assert fit_one_step(values, asked, rewards, none, own, scaled=scaled) is None
    right = 2.0 * (values - rewards - 0.9 * following)
    fit = fit_one_step(values, right, rewards, none, {**own, "max": following})
    assert fit is not None
    assert (fit.source, fit.gamma, fit.weight) == ("max", pytest.approx(0.9), pytest.approx(2.0))
