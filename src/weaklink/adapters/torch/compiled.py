"""Whether networks of this process are compiled, found out without loading the compiler."""

from __future__ import annotations

import gc
import sys
from typing import Any

from torch import nn


def find_compiled() -> bool:
    """Whether something was compiled, or will be at its first call."""
    frames = getattr(sys.modules.get("torch._dynamo.convert_frame"), "FRAME_COUNTER", 0)
    if frames:
        return True
    wrapper: Any = getattr(sys.modules.get("torch._dynamo.eval_frame"), "OptimizedModule", None)
    if wrapper is None:
        return False
    modules = (each for each in gc.get_objects() if issubclass(type(each), nn.Module))
    return any(type(each) is wrapper or each._compiled_call_impl is not None for each in modules)
