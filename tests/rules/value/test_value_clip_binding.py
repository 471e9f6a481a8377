from __future__ import annotations

from tests.curves import noisy, run_of


def made(loss, **config):
    return run_of({"value.loss": loss}, {"algo": "ppo", "num_steps": 2048, **config})


def sick():
    return [made(noisy(900.0, 50.0), clip_range_vf=1e-4), made(noisy(400.0, 20.0), clip_range_vf=0.001)]


def healthy():
    return [
        made(noisy(0.5, 0.05), clip_range_vf=0.2),
        # returns in the hundreds: slow, and the critic gets there
        made(noisy(900.0, 50.0), clip_range_vf=0.2),
        # a tiny range in units of a tiny reward
        made(noisy(1e-8, 1e-9), clip_range_vf=1e-4),
        # off
        made(noisy(900.0, 50.0), clip_range_vf=-1),
        made(noisy(900.0, 50.0), clip_range_vf=None),
    ]
