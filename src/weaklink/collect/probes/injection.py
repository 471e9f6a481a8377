"""The probes made known to Gymnasium in one child process, without a change to the script that it runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

INJECTED = Path(__file__).resolve().parent / "injected"
"""The folder whose `sitecustomize` Python imports at its start."""


def inject_registration(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a child in which `gymnasium.make("weaklink/...")` works once Gymnasium is imported.

    Args:
        environment: the variables that the child would have; they are left as they are.
    """
    path = [str(INJECTED), environment.get("PYTHONPATH", "")]
    return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, path))}
