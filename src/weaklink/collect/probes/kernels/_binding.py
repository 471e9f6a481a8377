"""Which argument of a kernel each parameter of a function stands for: by its name, or by the documented order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weaklink.collect.probes.kernels._kernel import Kernel, KernelArgument

_PREFIXES = ("b_", "mb_", "batch_", "minibatch_", "all_")
_SUFFIXES = ("_t", "_batch", "_tensor", "_array", "_arr", "_np", "_seq", "_list", "_buf", "_b", "_")
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class CannotBind(Exception):
    """The parameters of a function do not say what they want; the message is the reason and the cure."""


@dataclass(frozen=True)
class BoundCall:
    """How a function is called: the argument of each parameter, those without a name of their own by place."""

    positional: tuple[str, ...]
    named: Mapping[str, str]

    @property
    def arguments(self) -> frozenset[str]:
        """Every argument that the function is given."""
        return frozenset(self.positional) | frozenset(self.named.values())

    def call(self, function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
        """Calls the function with what its arguments are given."""
        return function(
            *(given[name] for name in self.positional),
            **{parameter: given[name] for parameter, name in self.named.items()},
        )

    def spelled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the function is given, by the names of its own parameters; all of it where it has none."""
        if not self.arguments:
            return dict(given)
        return {name: given[name] for name in self.positional} | {
            parameter: given[name] for parameter, name in self.named.items()
        }

    def missing(self, given: Mapping[str, Any]) -> list[str]:
        """Arguments that the function asks for and this reading does not have."""
        return sorted(name for name in self.arguments if name not in given)


def bind_parameters(kernel: Kernel, function: Callable[..., Any], names: Mapping[str, str]) -> BoundCall:
    """Tells what each parameter stands for; `names` maps parameters to arguments where their own names do not say."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise CannotBind("its parameters cannot be read. Wrap it in a function with named parameters.") from None
    asked = [p for p in parameters if p.kind in (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)]
    found = {p.name: name for p in asked if (name := _find_argument(kernel, p, names)) is not None}
    unknown = [p.name for p in asked if p.name not in found and p.default is p.empty]
    if not unknown and found and not _find_duplicate(found):
        places = tuple(found[p.name] for p in asked if p.kind is inspect.Parameter.POSITIONAL_ONLY and p.name in found)
        kept = {p.name: found[p.name] for p in asked if p.name in found and p.kind not in (p.POSITIONAL_ONLY,)}
        return BoundCall(places, kept)
    return _bind_by_order(kernel, parameters, found, unknown)


def _bind_by_order(
    kernel: Kernel, parameters: list[inspect.Parameter], found: Mapping[str, str], unknown: list[str]
) -> BoundCall:
    wanted = [p for p in parameters if p.kind in _POSITIONAL and p.default is p.empty]
    orders = [order for order in kernel.orders if len(order) == len(wanted)]
    keywords = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if starred and not wanted and kernel.orders:
        return BoundCall(kernel.orders[0], {})
    fitting = [order for order in orders if _agrees(order, wanted, found)]
    if not fitting or keywords:
        takes = "; ".join(" or ".join(argument.words[:3]) for argument in kernel.arguments)
        which = _find_duplicate(found) or ", ".join(unknown) or "none of its parameters"
        raise CannotBind(
            f"{which} is no argument of {kernel.name}. Known are {takes}. Say which is which by "
            'names={"parameter": "argument"}, or wrap the function in a lambda with these names.'
        )
    return BoundCall(fitting[0], {})


def _agrees(order: tuple[str, ...], wanted: list[inspect.Parameter], found: Mapping[str, str]) -> bool:
    """Whether the parameters that are understood stand where the order has them; single letters mean little."""
    return all(len(p.name) == 1 or found.get(p.name, name) == name for p, name in zip(wanted, order, strict=True))


def _find_duplicate(found: Mapping[str, str]) -> str:
    """Two parameters that would be the same argument."""
    seen: dict[str, str] = {}
    for parameter, name in found.items():
        if name in seen:
            return f"{seen[name]} and {parameter} (both {name})"
        seen[name] = parameter
    return ""


def _find_argument(kernel: Kernel, parameter: inspect.Parameter, names: Mapping[str, str]) -> str | None:
    if parameter.name in names:
        return names[parameter.name]
    switch = isinstance(parameter.default, bool | str)
    return None if switch else _match_argument(kernel.arguments, parameter.name)


def _match_argument(arguments: tuple[KernelArgument, ...], word: str) -> str | None:
    for spelled in _list_spellings(word):
        for argument in arguments:
            if spelled in argument.words:
                return argument.name
    return None


def _list_spellings(word: str) -> list[str]:
    """A parameter name as written, then without what says nothing, then in the other number."""
    spelled = [word, word.lower().strip("_")]
    for prefix in _PREFIXES:
        spelled += [each.removeprefix(prefix) for each in spelled[:2] if each.startswith(prefix)]
    for suffix in _SUFFIXES:
        spelled += [each.removesuffix(suffix) for each in list(spelled) if each.endswith(suffix)]
    more = [each.removesuffix("s") if each.endswith("s") else each + "s" for each in spelled]
    return [*spelled, *more]
