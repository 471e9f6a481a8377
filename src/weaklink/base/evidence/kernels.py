"""Kernels as evidence: functions of the user's own, compared with the right answer on generated cases."""

from __future__ import annotations

import msgspec

from weaklink.base.loop import Link

RIGHT, WRONG, UNCLEAR = "right", "wrong", "unclear"
"""It agrees; it does not, and in a way that is understood; it could not be called or read."""


class KernelCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One function against one right answer.

    `failing` of `cases` differ. `variant` is the known mistake that gives the same numbers, on `matched` cases, empty
    where none does; `fix` is its cure. `smallest` is the smallest failing case in one line, `error` the largest
    difference relative to the size of the answer, `raised` what the function raised where it raised. `inputs` says how
    it was called, `convention` which of the accepted right answers it gives, `note` why nothing could be told.
    """

    kernel: str
    function: str
    link: Link
    file: str = ""
    line: int = 0
    verdict: str = UNCLEAR
    cases: int = 0
    failing: int = 0
    variant: str = ""
    matched: int = 0
    smallest: str = ""
    error: float = 0.0
    raised: str = ""
    inputs: str = ""
    convention: str = ""
    look: str = ""
    fix: str = ""
    note: str = ""

    @property
    def place(self) -> str:
        """The function with its file and line, where they are known."""
        return f"{self.file}:{self.line} {self.function}" if self.file else self.function

    @property
    def told(self) -> str:
        """The result in one sentence."""
        if self.verdict == RIGHT:
            return f"{self.place} is right on {self.cases} of {self.cases} cases ({self.convention}; {self.inputs})."
        if self.verdict == UNCLEAR:
            return f"{self.place} could not be judged as {self.kernel}: {self.note}"
        if self.variant:
            return f"{self.place} equals '{self.variant}' on {self.matched} of {self.cases} cases."
        if self.raised:
            return f"{self.place} raises on {self.failing} of {self.cases} legitimate cases: {self.raised}."
        return (
            f"{self.place} differs from {self.kernel} on {self.failing} of {self.cases} cases, like no known mistake."
        )


class KernelChecks(msgspec.Struct, frozen=True, kw_only=True):
    """The kernels of a module; `unrecognised` are its own functions and classes whose names say no kernel."""

    name: str = ""
    checks: tuple[KernelCheck, ...] = ()
    unrecognised: tuple[str, ...] = ()
