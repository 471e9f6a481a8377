"""How much memory of an accelerator a training needs, worked out before it runs out.

`estimate` is the way in. Nothing here imports a framework: a model is its shape, and a training is a `MemoryPlan`.
"""

from weaklink.verbs.memory.estimate import Estimate, Part, Phase, estimate
from weaklink.verbs.memory.plan import MemoryPlan
from weaklink.verbs.memory.shape import Shape

__all__ = ["Estimate", "MemoryPlan", "Part", "Phase", "Shape", "estimate"]
