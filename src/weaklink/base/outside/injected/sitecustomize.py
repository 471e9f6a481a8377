"""Has functions of weaklink's called after certain imports, in a process that weaklink started and in what that starts.

Python imports this at its start because its folder leads `PYTHONPATH` there (`injection.py`). It puts one finder in
front of the others, takes its folder off the path and runs the `sitecustomize` that would have been found without it.
"""

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
AFTER_IMPORT, FIRST_PROCESS = "WEAKLINK_AFTER_IMPORT", "WEAKLINK_FIRST_PROCESS"


class AfterImportFinder:
    """A finder that finds nothing itself: it lets the first import of a module end with a call."""

    def __init__(self, calls: str) -> None:
        self._waiting: dict[str, list[str]] = {}
        for call in calls.split():
            module, _, function = call.partition("=")
            self._waiting.setdefault(module, []).append(function)
        self._searching: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """What the other finders say, with a loader that does a little more; no answer for all other modules."""
        if name not in self._waiting or name in self._searching:
            return None
        self._searching.add(name)
        try:
            others = [one for one in sys.meta_path if one is not self and hasattr(one, "find_spec")]
            spec = next(filter(None, (one.find_spec(name, path, target) for one in others)), None)
        finally:
            self._searching.discard(name)
        loader = getattr(spec, "loader", None)
        if hasattr(loader, "exec_module") and hasattr(loader, "__dict__"):
            self._extend(loader, name)
        return spec

    def _extend(self, loader: Any, name: str) -> None:
        load = loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            if module.__name__ == name:
                vars(loader).pop("exec_module", None)
                functions = self._waiting.pop(name, [])
                if not self._waiting and self in sys.meta_path:
                    sys.meta_path.remove(self)
                for function in functions:
                    _call(function, module)

        loader.exec_module = exec_module


def _call(named: str, module: Any) -> None:
    home, _, name = named.partition(":")
    try:
        function = getattr(import_module(home), name)
        function(module)
    except Exception:  # a Python without weaklink: the command that started it says what is missing
        return


def _run_hidden_sitecustomize() -> None:
    """Runs the one of the user, of the distribution or of another tool."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != HERE]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["sitecustomize"])


if __name__ == "sitecustomize":
    os.environ.setdefault(FIRST_PROCESS, str(os.getpid()))
    sys.meta_path.insert(0, AfterImportFinder(os.environ.get(AFTER_IMPORT, "")))
    _run_hidden_sitecustomize()
