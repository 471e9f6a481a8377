"""Names of modules and parameters, seen from the outermost module that holds them."""

from __future__ import annotations

import gc
from itertools import compress
from typing import Any

from torch import nn
from torch.utils.weak import WeakIdKeyDictionary


class ModuleNames:
    """Gives every module and parameter of the process a name; those of one class are numbered."""

    def __init__(self) -> None:
        self._modules, self._parameters = WeakIdKeyDictionary(), WeakIdKeyDictionary()

    def name(self, module: nn.Module) -> str:
        """`Agent.critic.4`, or `Linear` where nothing holds the module."""
        if module not in self._modules:
            self._look()
            self._modules.setdefault(module, type(module).__name__)
        return str(self._modules[module])

    def name_parameter(self, parameter: Any) -> str:
        """`Agent.log_std`; a tensor that no module holds has its shape for a name."""
        if parameter not in self._parameters:
            self._look()
            shape = "x".join(map(str, parameter.shape)) or "1"
            self._parameters.setdefault(parameter, f"parameter of {shape}")
        return str(self._parameters[parameter])

    def _look(self) -> None:
        """Looks through all objects once: a module knows what it holds and not who holds it."""
        modules = _list_modules()
        inner = {id(child) for module in modules for child in module.children()}
        counts: dict[str, int] = {}
        for root in modules:
            if id(root) in inner:
                continue
            kind = type(root).__name__
            counts[kind] = counts.get(kind, 0) + 1
            start = kind if counts[kind] == 1 else f"{kind}({counts[kind]})"
            for name, module in root.named_modules():
                self._modules.setdefault(module, ".".join(filter(None, (start, name))))
            for name, parameter in root.named_parameters():
                self._parameters.setdefault(parameter, f"{start}.{name}")


def _list_modules() -> list[nn.Module]:
    """Every module of the process; objects may be millions, so none of them is touched but for its class."""
    kinds, waiting = set[int](), [nn.Module]
    while waiting:
        kind = waiting.pop()
        if id(kind) not in kinds:
            kinds.add(id(kind))
            waiting += kind.__subclasses__()
    objects = gc.get_objects()
    return list(compress(objects, map(kinds.__contains__, map(id, map(type, objects)))))
