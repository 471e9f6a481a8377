"""Makes weaklink's probe environments known to Gymnasium whenever Gymnasium is imported.

`weaklink_gymnasium.pth`, installed beside this file, imports it when Python starts, so it must cost next to nothing: it
puts one finder in front of the others and is done. `WEAKLINK_NO_GYMNASIUM=1` switches it off.

PYTEST_DONT_REWRITE: pytest would warn in every project that this was imported before its assertions could be rewritten.
"""

import os
import sys

TYPE_CHECKING = False  # the one of `typing` would load it in every Python that starts
if TYPE_CHECKING:
    from typing import Any


class Waiting:
    """A finder that finds nothing itself and lets the first import of Gymnasium end with the registration."""

    searching = False

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """What the other finders say, for Gymnasium with a loader that does a little more; no answer otherwise."""
        if name != "gymnasium" or self.searching:
            return None
        self.searching = True
        try:
            spec = next(filter(None, (one.find_spec(name, path, target) for one in _others(self))), None)
        finally:
            self.searching = False
        loader = getattr(spec, "loader", None)
        if hasattr(loader, "exec_module") and hasattr(loader, "__dict__"):
            self._extend(loader)
        return spec

    def _extend(self, loader: "Any") -> None:
        load = loader.exec_module

        def exec_module(module: "Any") -> None:
            load(module)
            if module.__name__ == "gymnasium":
                vars(loader).pop("exec_module", None)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _register()

        loader.exec_module = exec_module


def _others(finder: Waiting) -> "list[Any]":
    return [one for one in sys.meta_path if one is not finder and hasattr(one, "find_spec")]


def _register() -> None:
    try:
        from weaklink.collect.probes.registration import register

        register()
    except Exception:  # somebody else's import must not fail for this, nor load contextlib
        pass


if not os.environ.get("WEAKLINK_NO_GYMNASIUM") and "gymnasium" not in sys.modules:
    sys.meta_path.insert(0, Waiting())
