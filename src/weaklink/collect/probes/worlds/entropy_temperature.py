"""The continuous target again, for agents that hold their entropy at a target."""

from __future__ import annotations

from weaklink.collect.probes.worlds.continuous_target import ContinuousTarget


class EntropyTemperature(ContinuousTarget):
    """The spread of the actions is what the entropy's target says, wherever the mean is."""

    name = "entropy-temperature"
    adds = "the temperature of a soft policy"
    asked = ("entropy",)
    effort = 3.0
