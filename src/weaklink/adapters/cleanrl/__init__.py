"""CleanRL: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="cleanrl",
    title="CleanRL",
    tie=2,
    packages=("cleanrl",),
)
