"""The kernels of a module: those that it lists in WEAKLINK_KERNELS, or those whose names say what they are."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from weaklink.errors import UsageError
from weaklink.evidence.kernels import KernelChecks
from weaklink.outside.named import named
from weaklink.probes.kernels import NAMES, kernel_named
from weaklink.probes.kernels._engine import check

LISTED = "WEAKLINK_KERNELS"


def checked(word: str, cases: int, seed: int) -> KernelChecks:
    """Imports the module and checks what it has; nothing else of it is run."""
    contents = _imported(word)
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
    checks = [check(kernel_named(kernel), own[name], cases=cases, seed=seed) for name, kernel in found.items()]
    return KernelChecks(name=word, checks=tuple(checks), unrecognised=tuple(name for name in own if name not in found))


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
    try:
        contents: dict[str, Any] = named(f"{word}:__dict__", "Kernels")
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"Kernels: importing {word} raised {type(error).__name__}: {error}.") from error
    return contents


def _own(contents: dict[str, Any]) -> dict[str, Any]:
    """Functions and classes that the module defines itself, in their order."""
    return {
        name: thing
        for name, thing in contents.items()
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and thing.__module__ == contents["__name__"]
    }


def _listed(word: str, listed: Any, cases: int, seed: int) -> list[Any]:
    if not isinstance(listed, Mapping) or not listed:
        raise UsageError(f'{word}: {LISTED} must be a mapping such as {{"gae": my_function}}, not {listed!r}.')
    checks = []
    for name, thing in listed.items():
        things = thing if isinstance(thing, list | tuple) else (thing,)
        for each in things:
            if not callable(each):
                raise UsageError(f"{word}: {LISTED}['{name}'] must be a function or a class, not {each!r}.")
            checks.append(check(kernel_named(str(name)), each, cases=cases, seed=seed))
    return checks
