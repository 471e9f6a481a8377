"""Makes the probes known to Gymnasium in a process that `weaklink probe --cmd` started, and in what that starts.

Python imports this at its start because its folder leads `PYTHONPATH` there (`injection.py`). It puts one finder in
front of the others, takes its folder off the path and runs the `sitecustomize` that would have been found without it.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


class GymnasiumFinder:
    """A finder that finds nothing itself: it lets the first import of Gymnasium end with the registration."""

    searching = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """What the other finders say, for Gymnasium with a loader that does a little more; no answer otherwise."""
        if name != "gymnasium" or self.searching:
            return None
        self.searching = True
        try:
            others = [one for one in sys.meta_path if one is not self and hasattr(one, "find_spec")]
            spec = next(filter(None, (one.find_spec(name, path, target) for one in others)), None)
        finally:
            self.searching = False
        loader = getattr(spec, "loader", None)
        if hasattr(loader, "exec_module") and hasattr(loader, "__dict__"):
            self._extend(loader)
        return spec

    def _extend(self, loader: Any) -> None:
        load = loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            if module.__name__ == "gymnasium":
                vars(loader).pop("exec_module", None)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _register()

        loader.exec_module = exec_module


def _register() -> None:
    try:
        from weaklink.collect.probes.registration import register

        register()
    except Exception:  # a Python without weaklink: `weaklink probe` says so when it meets the unknown name
        return


def _run_hidden_sitecustomize() -> None:
    """Runs the one of the user, of the distribution or of another tool."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != HERE]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["sitecustomize"])


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, GymnasiumFinder())
    _run_hidden_sitecustomize()
