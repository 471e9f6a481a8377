from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of


def made(memory, algo="ppo", **curves):
    named = {f"data.{name}": values for name, values in curves.items()}
    return run_of({"system.memory": memory, **named}, {"algo": algo})


LEAK = np.r_[np.full(45, 403.0), np.linspace(403, 820, 55)]


def sick():
    # the last one has an unknown buffer, but filling one does not make each step take longer
    leaks = [made(LEAK), made(ramp(300, 900)), made(LEAK, "dqn", buffer_size=[50_000] * 100)]
    return [*leaks, slowing(np.linspace(96, 369, 18), SLOWING)]


SLOWING = np.r_[4000.0, np.linspace(940, 300, 17)]


def slowing(memory, rate):
    named = {"system.memory": memory, "system.env_steps_per_second": rate}
    return run_of(named, {"algo": "dqn"})


def healthy():
    return [
        made(noisy(428.0, 1.0)),
        # it grows while things are loaded, and stops
        made(np.r_[np.linspace(200, 400, 20), noisy(400.0, 1.0, points=80)]),
        # a little, as caches do
        made(ramp(400, 460)),
        # a replay buffer is filled, or may be
        made(LEAK, "dqn", buffer_size=ramp(0, 100_000)),
        made(LEAK, "dqn"),
        slowing(np.linspace(96, 369, 18), np.r_[4000.0, noisy(900, 40, points=17)]),
        slowing(noisy(96, 1, points=18), SLOWING),
    ]
