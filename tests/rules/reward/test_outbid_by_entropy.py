from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.judge.diagnosis.engine import diagnose

TINY = {"algo": "sac", "reward_scale": 1e-4, "target_entropy": -1.0}
FALLING = 0.5 * np.exp(-np.linspace(0, 3, 20))


def made(config=TINY, temperature=FALLING, returns=None, length=200.0):
    returns = noisy(-1200, 40, points=20) if returns is None else returns
    curves = {
        "exploration.temperature": temperature,
        "reward.episode_return": returns,
        "task.episode_length": np.full(20, length),
    }
    return run_of(curves, config)


def sick():
    return [made(), made({"algo": "sac", "reward_scaling": 1e-3}, np.full(20, 0.2))]


def healthy():
    return [
        # rewards as they are, a factor that leaves them large enough, and a policy that learns all the same
        made({"algo": "sac"}),
        made({"algo": "sac", "reward_scale": 0.1}),
        made(returns=rising(-1200, -150, points=20)),
        # a goal that is paid once: the reward is small with or without the factor
        made({"algo": "sac", "reward_scale": 0.5}, np.full(20, 0.2), noisy(1.0, 0.1, points=20), 200.0),
        # a temperature that has come down to what the rewards are
        made(temperature=np.full(20, 1e-4)),
    ]


def test_the_factor_is_named_first():
    assert diagnose(made()).first_break.code == "REW121"
