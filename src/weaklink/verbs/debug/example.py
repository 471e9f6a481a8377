"""The project that `weaklink debug` runs where it is given none: a thermostat that never learns to hold its room.

The room keeps to the contract of an environment, and PPO is a library's own. One line is wrong all the same.
"""

from __future__ import annotations

from typing import Any

from weaklink.adapters.gymnasium.thermostat import Thermostat

steps = 10_000


def make_env() -> Any:
    """A room with a heater and a cooler."""
    return Thermostat()


def make_model(env: object) -> Any:
    """PPO, as it was typed one evening."""
    from weaklink.adapters.sb3.trainer import untrained

    settings = {"learning_rate": 3e-1, "n_steps": 256, "batch_size": 64, "ent_coef": 0.01, "gamma": 0.95}
    return untrained("PPO", env, settings)
