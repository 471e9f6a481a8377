"""Whether networks of this process are compiled, found out without loading the compiler."""

from __future__ import annotations

import gc
import sys
import time
from typing import Any

MOST_SHARE = 0.01
"""The share of the time that looking for compiled networks may take where it is asked for again and again."""


def find_compiled() -> bool:
    """Whether something was compiled, or will be at its first call."""
    frames = getattr(sys.modules.get("torch._dynamo.convert_frame"), "FRAME_COUNTER", 0)
    if frames:
        return True
    wrapper: Any = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
    # an object refers to its class, and a search for whoever refers to it is quick
    return wrapper is not None and any(type(each) is wrapper for each in gc.get_referrers(wrapper))


class CompiledSearch:
    """Looks for compiled networks, and no more often than it can afford: a search looks at every object."""

    def __init__(self) -> None:
        self._found, self._again = False, float("-inf")

    def find(self) -> bool:
        """Whether something is compiled, as far as the last search knows."""
        began = time.perf_counter()
        if not self._found and began >= self._again:
            self._found = find_compiled()
            now = time.perf_counter()
            self._again = now + (now - began) / MOST_SHARE
        return self._found
