"""Sample Factory: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="sample_factory",
    title="Sample Factory",
    tie=17,
    packages=("sample_factory",),
)
