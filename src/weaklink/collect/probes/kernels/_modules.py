"""The kernels of a module: those that it lists in WEAKLINK_KERNELS, or those whose names say what they are."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.kernels import KernelCheck, KernelChecks
from weaklink.base.outside.named import module_of
from weaklink.base.outside.own_code import printing_aside
from weaklink.collect.probes.kernels._engine import check
from weaklink.collect.probes.kernels._names import NAMES, kernel_named

LISTED = "WEAKLINK_KERNELS"
SCRIPTED = "_torchdynamo_inline"
"""Where torch.jit keeps the function that it compiled."""

WRAPPED = ("__wrapped__", "func", "py_func", SCRIPTED)
"""Where wrappers keep what they wrap: functools and jax, partial, numba, torch.jit."""

DEEPEST = 10


def checked(word: str, cases: int, seed: int) -> KernelChecks:
    """Imports the module and checks what it has; nothing else of it is run, and what it prints is no answer of ours."""
    contents = _imported(word)
    with printing_aside():
        return _checked(word, contents, cases, seed)


def _checked(word: str, contents: dict[str, Any], cases: int, seed: int) -> KernelChecks:
    listed = contents.get(LISTED)
    if listed is not None:
        return KernelChecks(name=word, checks=tuple(_listed(word, listed, cases, seed)))
    own = _own(contents)
    found = {name: kernel for name in own if (kernel := recognised(name)) is not None}
    if not found:
        have = ", ".join(own) or "nothing of its own"
        raise UsageError(
            f"No function of {word} has the name of a kernel: it has {have}. List them in the module: "
            f'{LISTED} = {{"gae": my_function}}, with the kernels {", ".join(NAMES)}.'
        )
    checks = [_under(name, _compared(kernel, own[name], cases, seed)) for name, kernel in found.items()]
    return KernelChecks(name=word, checks=tuple(checks), unrecognised=tuple(name for name in own if name not in found))


def _compared(kernel: str, thing: object, cases: int, seed: int) -> KernelCheck:
    return check(kernel_named(kernel), _with_parameters(thing), cases=cases, seed=seed)


def _under(name: str, found: KernelCheck) -> KernelCheck:
    """By the name that it has in the module: wrappers have none, or that of what they wrap."""
    return msgspec.structs.replace(found, function=name)


def recognised(name: str) -> str | None:
    """The kernel that a function of this name computes."""
    plain = name.strip("_")
    for kernel in NAMES:
        if plain in kernel_named(kernel).names or plain == kernel:
            return kernel
    return None


def _imported(word: str) -> dict[str, Any]:
    """What the module holds, by name."""
    if not word.strip() or ":" in word:
        raise UsageError(f"Kernels are given as module or file.py, not '{word}'.")
    contents: dict[str, Any] = vars(module_of(word, "Kernels"))
    return contents


def _own(contents: dict[str, Any]) -> dict[str, Any]:
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


def _with_parameters(thing: Any) -> Any:
    """What torch.jit compiled, with the parameters of the function that it was made from: it shows none itself."""
    written = getattr(thing, SCRIPTED, None)
    if written is None:
        return thing

    @functools.wraps(written)
    def called(*given: Any, **named: Any) -> Any:
        return thing(*given, **named)

    return called


def _listed(word: str, listed: object, cases: int, seed: int) -> list[KernelCheck]:
    if not isinstance(listed, Mapping) or not listed:
        raise UsageError(f'{word}: {LISTED} must be a mapping such as {{"gae": my_function}}, not {listed!r}.')
    checks = []
    for name, thing in listed.items():
        things = thing if isinstance(thing, list | tuple) else (thing,)
        for each in things:
            if not callable(each):
                raise UsageError(f"{word}: {LISTED}['{name}'] must be a function or a class, not {each!r}.")
            checks.append(_compared(str(name), each, cases, seed))
    return checks
