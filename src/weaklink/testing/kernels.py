"""A function of the user's own against the right answer of a kernel, as an assertion."""

from __future__ import annotations

from weaklink.base.errors import UsageError
from weaklink.base.evidence.kernels import RIGHT, WRONG, KernelCheck
from weaklink.collect.probes.kernels import NAMES, check


class WrongKernel(AssertionError):
    """A function that does not compute what it should; `check` holds the evidence."""

    def __init__(self, check: KernelCheck) -> None:
        lines = [check.told, f"smallest failing case: {check.smallest}", f"called with: {check.inputs}"]
        lines += [f"fix: {check.fix}"] if check.fix else []
        super().__init__("\n".join([*lines, f"look at: {check.look}"]))
        self.check = check


def kernel_names() -> tuple[str, ...]:
    """The kernels that functions can be checked against."""
    return NAMES


def check_kernel(name: str, function: object, **options: object) -> KernelCheck:
    """Compares a function with the right answer of a kernel, and gives the evidence when it agrees.

    Args:
        name: One of `kernel_names()`.
        function: The function; for buffers and running moments a class, or a function that makes one.
        options: `cases` (200) and `seed` (0); `names` maps parameters to arguments where their own names do not say
            what they are; `layout` fixes one of TN, T, NT, B, B1; numbers that the function has built in, such as
            gamma=0.99.

    Raises:
        WrongKernel: The function is wrong; the message names the mistake where it is known, and the smallest case.
        UsageError: The function could not be called or its result not be read, so nothing can be told.
    """
    found = check(name, function, **options)
    if found.verdict == WRONG:
        raise WrongKernel(found)
    if found.verdict != RIGHT:
        raise UsageError(found.told)
    return found
