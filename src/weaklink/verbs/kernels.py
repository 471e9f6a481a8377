"""`probe --kernels`: the functions of a module against the right answers."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.kernels import KernelChecks
from weaklink.collect.probes.kernels import check_module
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.probing import judge_kernels
from weaklink.judge.diagnosis.settings import RuleSettings


class KernelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`module` is a module or `file.py` whose functions are checked."""

    module: str
    settings: RuleSettings = RuleSettings()


class CheckedKernels(msgspec.Struct, frozen=True):
    """What each function answered, and what follows from it."""

    checks: KernelChecks
    diagnosis: Diagnosis


def check_kernels(options: KernelOptions) -> CheckedKernels:
    """Calls the functions that are kernels by their name or mark and compares what they return.

    Raises:
        UsageError: the module cannot be loaded.
    """
    checks = check_module(options.module)
    return CheckedKernels(checks, judge_kernels(checks, options.settings))
