"""RLlib: its logs, and its trainings watched."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rllib",
    title="RLlib",
    tie=3,
    packages=("ray",),
    extra="ray",
    watches=True,
    begins=(("ray.rllib.algorithms.algorithm", "Algorithm", "train"),),
)
