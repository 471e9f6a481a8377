"""Functions of weaklink's that are called in a child process once it has imported a module, its script unchanged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

INJECTED = Path(__file__).resolve().parent / "injected"
"""The folder whose `sitecustomize` Python imports at its start."""

AFTER_IMPORT = "WEAKLINK_AFTER_IMPORT"
"""The environment variable that holds `module=package.module:function`, several of them with spaces between."""

FIRST_PROCESS = "WEAKLINK_FIRST_PROCESS"
"""The environment variable in which the first process that starts in this way notes its number for its descendants."""


def inject_calls(environment: Mapping[str, str], calls: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a child in which functions are called once a module has been imported.

    Nothing of weaklink's is imported there before, and all processes that the child starts do the same.

    Args:
        environment: the variables that the child would have; they are left as they are.
        calls: for each module a function, as `package.module:function`; it is handed the module.
    """
    path = [str(INJECTED), environment.get("PYTHONPATH", "")]
    wanted = [environment.get(AFTER_IMPORT, ""), *(f"{module}={function}" for module, function in calls.items())]
    kept = {name: value for name, value in environment.items() if name != FIRST_PROCESS}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, path)), AFTER_IMPORT: " ".join(filter(None, wanted))}
