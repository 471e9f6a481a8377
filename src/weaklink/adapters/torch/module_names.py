"""Names of modules and parameters, seen from the outermost module that holds them."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.utils.weak import WeakIdKeyDictionary

from weaklink.adapters.torch.living import list_living


class ModuleNames:
    """Gives every module and parameter of the process a name; those of one class are numbered."""

    def __init__(self) -> None:
        self._modules, self._parameters = WeakIdKeyDictionary(), WeakIdKeyDictionary()
        self._looked = False

    def name(self, module: nn.Module) -> str:
        """`Agent.critic.4`, or `Linear` where nothing holds the module."""
        if module not in self._modules:
            # an activation that is made anew in every forward pass has nothing that a name would be needed for
            if not self._looked or any(True for _ in module.parameters()):
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
        self._looked = True
        modules = list_living(nn.Module)
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
