"""Regular expressions that are compiled when they are first used: a command uses few of those that it loads."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


class LatePattern(Generic[AnyStr]):
    """Stands for a compiled pattern until one of its methods is asked for."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given: tuple[AnyStr, int] = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern, not compiled yet. Whether it can be compiled is seen only then: a test tries them all."""
    return cast("re.Pattern[AnyStr]", LatePattern(pattern, flags))
