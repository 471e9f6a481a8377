"""The user's own kernels against the right answers: one kernel a file, found by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weaklink.collect.probes.kernels._names import NAMES, find_kernel

if TYPE_CHECKING:
    from weaklink.base.evidence.kernels import KernelCheck, KernelChecks


def check(name: str, function: Any, **options: Any) -> KernelCheck:
    """Compares a function of the user's own with the right answer of this kernel.

    The options are those of the engine: cases, seed, names, layout, and numbers that the function has built in.
    """
    from weaklink.collect.probes.kernels._engine import check as compare

    return compare(find_kernel(name), function, **options)


def check_module(word: str, cases: int = 200, seed: int = 0) -> KernelChecks:
    """Checks every kernel of a module, given as `module` or `path/to/file.py`."""
    from weaklink.collect.probes.kernels._modules import check_contents

    return check_contents(word, cases, seed)


__all__ = ["NAMES", "check", "check_module", "find_kernel"]
