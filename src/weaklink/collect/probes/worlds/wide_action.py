"""The continuous target again, with bounds that are not -1 and 1."""

from __future__ import annotations

from weaklink.collect.probes.worlds.continuous_target import ContinuousTarget


class WideAction(ContinuousTarget):
    """Bounds of -2 and 2."""

    name = "wide-action"
    adds = "bounds of actions: scaling and clipping"
    asked = ("distance",)
    bounds = (-2.0, 2.0)


class VeryWideAction(WideAction):
    """Bounds of 0 and 100: who does not scale its actions never gets there."""

    bounds = (0.0, 100.0)
