from __future__ import annotations

from dataclasses import replace

from tests.curves import rising, run_of

TORN = ("log.csv: the last row was cut off and left out",)
MILLION = {"total_timesteps": 1_000_000}


def sick():
    return replace(run_of({"reward.episode_return": rising(20, 400)}, MILLION), notes=TORN)


def healthy():
    return [
        # it may be running, and its last line is whole
        run_of({"reward.episode_return": rising(20, 400)}, MILLION),
        # it came to its end
        replace(run_of({"reward.episode_return": rising(20, 400)}, {"total_timesteps": 205_000}), notes=TORN),
        # its end is not known
        replace(run_of({"reward.episode_return": rising(20, 400)}), notes=TORN),
    ]
