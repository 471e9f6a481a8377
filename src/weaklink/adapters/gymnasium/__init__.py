"""Gymnasium: environments, vector environments, and the environments of the probes."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="gymnasium",
    title="Gymnasium",
    packages=("gymnasium",),
    extra="gymnasium",
    environments=(
        ("gymnasium.vector.vector_env", "VectorEnv", "vector"),
        ("gymnasium.core", "Env", "environment"),
    ),
)
