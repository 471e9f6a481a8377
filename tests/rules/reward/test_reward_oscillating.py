from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noise, noisy, rising, run_of
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW303")


def sick():
    waves = 250 + 200 * np.sin(np.linspace(0, 18 * np.pi, 400)) + noise(10, points=400)
    return run_of({"reward.episode_return": waves})


def healthy():
    # pure noise of whatever size, a noisy learner, one dip
    dip = rising(20, 400, points=300)
    dip[150:180] -= 200
    # short episodes of a batch are over first, and have less to be paid for
    teeth = np.tile(np.linspace(0.0, 0.4, 40), 12) + noise(0.02, points=480)
    batches = run_of({"reward.episode_return": teeth, "optimizer.updates": np.repeat(np.arange(12.0), 40)})
    return [
        batches,
        run_of({"reward.episode_return": noisy(150, 80, points=400)}),
        run_of({"reward.episode_return": rising(20, 400, spread=60, points=400)}),
        run_of({"reward.episode_return": dip}),
    ]


def test_teeth_of_batches_are_told_by_the_updates():
    batches = healthy()[0]
    alone = replace(batches, series={"reward.episode_return": batches["reward.episode_return"]})
    assert isinstance(RULE.ask(alone), Finding)
    assert isinstance(RULE.ask(batches), CannotTell)
