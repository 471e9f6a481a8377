"""How much memory of an accelerator a training needs, worked out before it runs out.

`estimate_memory` is the way in. Nothing here imports a framework: a model is its shape, a training a `MemoryPlan`.
"""

from weaklink.verbs.memory.estimate import Estimate, MemoryOptions, MemoryPart, MemoryPhase, estimate_memory
from weaklink.verbs.memory.plan import MemoryPlan, plan_memory
from weaklink.verbs.memory.shape import ModelShape

__all__ = [
    "Estimate",
    "MemoryOptions",
    "MemoryPart",
    "MemoryPhase",
    "MemoryPlan",
    "ModelShape",
    "estimate_memory",
    "plan_memory",
]
