"""skrl: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="skrl",
    title="skrl",
    tie=4,
    packages=("skrl",),
    marks=("Reward / Total reward (mean)", "Reward / Instantaneous reward (mean)", "Loss / Policy loss"),
)
