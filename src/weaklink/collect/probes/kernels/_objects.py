"""Objects of the user's own: made, fed and read by the names of their parameters, methods and fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.collect.probes.kernels._arrays import Array, Unreadable


def make_object(factory: Any, known: Mapping[str, Any]) -> Any:
    """An object from a class or a function, with the arguments that its parameters ask for."""
    return _call_by_names(factory, known, f"{getattr(factory, '__name__', 'the factory')} cannot be made")


def call_method(thing: object, methods: tuple[str, ...], known: Mapping[str, Any], order: tuple[str, ...]) -> Any:
    """Calls the first of these methods; parameters of unknown names are given the arguments in their order."""
    method = find_method(thing, methods)
    if method is None:
        raise Unreadable(f"it has none of the methods {', '.join(methods)}")
    try:
        return _call_by_names(method, known, f"{method.__name__} cannot be called")
    except Unreadable:
        values = [known[name] for name in order]
        wanted = _count_required(method)
        if wanted == 1 and len(values) > 1:
            return method(tuple(values))
        return method(*(values[:wanted] if wanted else values))


def find_method(thing: object, names: tuple[str, ...]) -> Callable[..., Any] | None:
    """The first method of this name that an object has."""
    return next((getattr(thing, name) for name in names if callable(getattr(thing, name, None))), None)


def read_field(thing: object, names: tuple[str, ...]) -> Array | None:
    """The first field, property or method without arguments of this name, as an array."""
    for name in names:
        if hasattr(thing, name):
            value = getattr(thing, name)
            return read_array(value() if callable(value) else value)
    return None


def read_array(value: object) -> Array:
    """A value as an array."""
    return torch_arrays.to_array(value) if torch_arrays.is_tensor(value) else np.asarray(value)


def _call_by_names(function: Callable[..., Any], known: Mapping[str, Any], failure: str) -> Any:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise Unreadable(f"{failure}: its parameters cannot be read") from None
    given: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise Unreadable(f"{failure}: its parameters have no names")
        if parameter.name in known:
            given[parameter.name] = known[parameter.name]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            raise Unreadable(
                f"{failure}: nothing is known of its parameter '{parameter.name}'. Give a function that makes it"
            )
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY and p.name in given]
    return function(*(given.pop(name) for name in positional), **given)


def _count_required(function: Callable[..., Any]) -> int:
    parameters = inspect.signature(function).parameters.values()
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def spell_names(groups: Mapping[str, Any], aliases: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Values under all the names by which parameters ask for them."""
    return {word: value for name, value in groups.items() for word in (name, *aliases.get(name, ()))}


def split_columns(batch: object) -> tuple[dict[str, Array], list[Array]]:
    """A batch as fields with names, or as fields without."""
    if isinstance(batch, Mapping):
        return {str(name): read_array(value) for name, value in batch.items()}, []
    if hasattr(batch, "_fields"):
        return {
            name: read_array(getattr(batch, name)) for name in batch._fields if getattr(batch, name) is not None
        }, []
    if hasattr(batch, "__dict__") and not isinstance(batch, Iterable):
        return {name: read_array(value) for name, value in vars(batch).items()}, []
    if not isinstance(batch, list | tuple):
        raise Unreadable(f"it gives a {type(batch).__name__}, which is no batch")
    if batch and all(isinstance(row, tuple | list) or hasattr(row, "_fields") for row in batch) and _rows(batch):
        return {}, [
            np.array([read_array(row[place]).reshape(-1)[0] for row in batch]) for place in range(len(batch[0]))
        ]
    return {}, [read_array(value) for value in batch]


def _rows(batch: Any) -> bool:
    """Whether this is a list of transitions and not a list of fields."""
    return all(np.size(read_array(value)) == 1 for value in batch[0])
