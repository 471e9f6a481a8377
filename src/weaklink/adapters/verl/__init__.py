"""verl: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="verl",
    title="verl",
    tie=11,
    packages=("verl",),
)
