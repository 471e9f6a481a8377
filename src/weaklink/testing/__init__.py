"""For the tests of other projects: kernels against the right answers, verifiers, and the ladder of probes.

    from weaklink.testing import check_kernel, check_verifier, parametrize_with_probes

    def test_gae():
        check_kernel("gae", my_gae)

    def test_reward():
        check_verifier("rewards.py:reward")

    @parametrize_with_probes(train)
    def test_learns(check):
        check()

Nothing is loaded before it is used: pytest imports this package at its start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weaklink.testing.kernels import WrongKernel, check_kernel, kernel_names
    from weaklink.testing.ladder import BrokenRung, Check, checks_for, parametrize_with_probes
    from weaklink.testing.verifiers import HoledVerifier, check_verifier

__all__ = [
    "BrokenRung",
    "Check",
    "HoledVerifier",
    "WrongKernel",
    "check_kernel",
    "check_verifier",
    "checks_for",
    "kernel_names",
    "parametrize_with_probes",
]

_HOMES = {"WrongKernel": "kernels", "check_kernel": "kernels", "kernel_names": "kernels"}
_HOMES |= {"HoledVerifier": "verifiers", "check_verifier": "verifiers"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'weaklink.testing' has no attribute '{name}'")
    return getattr(import_module(f"weaklink.testing.{_HOMES.get(name, 'ladder')}"), name)
