from __future__ import annotations

from tests.curves import noisy, rising, run_of

FLAT = {"reward.episode_return": noisy(-1200, 60)}


def sick():
    return [
        run_of(FLAT, {"action_scale": 0.1, "env_action_high": 2.0}),
        run_of(FLAT, {"env_id": "Pendulum-v1", "max_action": 0.2, "total_timesteps": 200_000}),
    ]


def healthy():
    return [
        run_of(FLAT, {"action_scale": 2.0, "env_action_high": 2.0}),
        run_of(FLAT, {"env_id": "Pendulum-v1", "max_action": 2.0}),
        # offsets of a robot's joints are small on purpose
        run_of({"reward.episode_return": rising(0, 20)}, {"action_scale": 0.1, "env_action_high": 2.0}),
        # it is early
        run_of(FLAT, {"action_scale": 0.1, "env_action_high": 2.0, "total_timesteps": 10_000_000}),
        run_of(FLAT, {"action_scale": 0.1}),
    ]
