"""What Python 3.10 lacks and the package uses; from 3.11 on it is Python's own."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    from enum import StrEnum
    from typing import Self, Unpack, assert_never

    SAFE_PATH = ("-P", "-m")
    """Python's words before the name of a module, so that nothing is imported from the folder in which it is run."""
else:
    from enum import Enum

    from typing_extensions import Self, Unpack, assert_never

    class StrEnum(str, Enum):
        """An enumeration whose members are strings, and are written as their values."""

        __str__ = str.__str__

        def __format__(self, spec: str) -> str:
            return str.__format__(self, spec)

    # with -c, the first place to import from is the folder in which the command is run
    _RUN_MODULE = "import sys; del sys.path[0]; import runpy; runpy.run_module(sys.argv.pop(1), None, '__main__', True)"
    SAFE_PATH = ("-c", _RUN_MODULE)

__all__ = ["SAFE_PATH", "Self", "StrEnum", "Unpack", "assert_never", "parse_toml"]


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML document. Most commands read none, so what reads it is loaded only now.

    Raises:
        ValueError: it is no valid TOML.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)
