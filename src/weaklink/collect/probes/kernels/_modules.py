"""The kernels of a module: those that it lists in WEAKLINK_KERNELS, or those whose names say what they are."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.kernels import KernelCheck, KernelChecks
from weaklink.base.outside.named import load_module
from weaklink.base.outside.own_code import redirect_prints
from weaklink.collect.probes.kernels._engine import check
from weaklink.collect.probes.kernels._names import NAMES, find_kernel

LISTED = "WEAKLINK_KERNELS"
SCRIPTED = "_torchdynamo_inline"
"""Where torch.jit keeps the function that it compiled."""

WRAPPED = ("__wrapped__", "func", "py_func", SCRIPTED)
"""Where wrappers keep what they wrap: functools and jax, partial, numba, torch.jit."""

DEEPEST = 10


def check_contents(word: str, cases: int, seed: int) -> KernelChecks:
    """Imports the module and checks what it has; nothing else of it is run, and what it prints is no answer of ours."""
    contents = _import_contents(word)
    with redirect_prints():
        return _check_found(word, contents, cases, seed)


def _check_found(word: str, contents: dict[str, Any], cases: int, seed: int) -> KernelChecks:
    listed = contents.get(LISTED)
    if listed is not None:
        return KernelChecks(name=word, checks=tuple(_check_listed(word, listed, cases, seed)))
    own = _list_own_callables(contents)
    found = {name: kernel for name in own if (kernel := recognise_kernel(name)) is not None}
    if not found:
        have = ", ".join(own) or "nothing of its own"
        raise UsageError(
            f"No function of {word} has the name of a kernel: it has {have}. List them in the module: "
            f'{LISTED} = {{"gae": my_function}}, with the kernels {", ".join(NAMES)}.'
        )
    checks = [_rename_check(name, _check_function(kernel, own[name], cases, seed)) for name, kernel in found.items()]
    return KernelChecks(name=word, checks=tuple(checks), unrecognised=tuple(name for name in own if name not in found))


def _check_function(kernel: str, thing: object, cases: int, seed: int) -> KernelCheck:
    return check(find_kernel(kernel), _restore_parameters(thing), cases=cases, seed=seed)


def _rename_check(name: str, found: KernelCheck) -> KernelCheck:
    """By the name that it has in the module: wrappers have none, or that of what they wrap."""
    return msgspec.structs.replace(found, function=name)


def recognise_kernel(name: str) -> str | None:
    """The kernel that a function of this name computes."""
    plain = name.strip("_")
    for kernel in NAMES:
        if plain in find_kernel(kernel).names or plain == kernel:
            return kernel
    return None


def _import_contents(word: str) -> dict[str, Any]:
    """What the module holds, by name."""
    if not word.strip() or ":" in word:
        raise UsageError(f"Kernels are given as module or file.py, not '{word}'.")
    contents: dict[str, Any] = vars(load_module(word, "Kernels"))
    return contents


def _list_own_callables(contents: dict[str, Any]) -> dict[str, Any]:
    """What can be called and is the module's own, in its order."""
    module = contents["__name__"]
    return {name: thing for name, thing in contents.items() if callable(thing) and _defined_in(module, thing)}


def _defined_in(module: str, thing: object) -> bool:
    """Whether it, or the function that it wraps, was defined in the module."""
    for _ in range(DEEPEST):
        if getattr(thing, "__module__", None) == module:
            return True
        thing = next((inner for each in WRAPPED if callable(inner := getattr(thing, each, None))), None)
    return False


def _restore_parameters(thing: Any) -> Any:
    """What torch.jit compiled, with the parameters of the function that it was made from: it shows none itself."""
    written = getattr(thing, SCRIPTED, None)
    if written is None:
        return thing

    @functools.wraps(written)
    def called(*given: Any, **named: Any) -> Any:
        return thing(*given, **named)

    return called


def _check_listed(word: str, listed: object, cases: int, seed: int) -> list[KernelCheck]:
    if not isinstance(listed, Mapping) or not listed:
        raise UsageError(f'{word}: {LISTED} must be a mapping such as {{"gae": my_function}}, not {listed!r}.')
    checks = []
    for name, thing in listed.items():
        things = thing if isinstance(thing, list | tuple) else (thing,)
        for each in things:
            if not callable(each):
                raise UsageError(f"{word}: {LISTED}['{name}'] must be a function or a class, not {each!r}.")
            checks.append(_check_function(str(name), each, cases, seed))
    return checks
