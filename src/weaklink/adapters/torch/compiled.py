"""Whether networks of this process are compiled, found out without loading the compiler."""

from __future__ import annotations

import gc
import sys
from typing import Any


def find_compiled() -> bool:
    """Whether something was compiled, or will be at its first call."""
    frames = getattr(sys.modules.get("torch._dynamo.convert_frame"), "FRAME_COUNTER", 0)
    if frames:
        return True
    wrapper: Any = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
    # an object refers to its class, and a search for whoever refers to it is quick
    return wrapper is not None and any(type(each) is wrapper for each in gc.get_referrers(wrapper))
