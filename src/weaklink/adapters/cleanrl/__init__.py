"""CleanRL: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="cleanrl",
    title="CleanRL",
    tie=2,
    packages=("cleanrl",),
    marks=("charts/episodic_return", "charts/episodic_length", "charts/avg_episodic_return", "charts/SPS"),
)
