"""weaklink's own recordings."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="weaklink",
    title="weaklink",
    tie=16,
)
