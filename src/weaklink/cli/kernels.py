"""`weaklink probe --kernels`: the functions of a module against the right answers."""

from __future__ import annotations

from weaklink.cli.options import Format
from weaklink.cli.output import Output
from weaklink.collect.probes.kernels import check_module
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.probing import judged_kernels
from weaklink.judge.diagnosis.settings import Settings


def shown(module: str, settings: Settings, format: Format, out: Output) -> Diagnosis:
    """Checks and shows."""
    checks = check_module(module)
    diagnosis = judged_kernels(checks, settings)
    out.show(checks, format, diagnosis=diagnosis)
    return diagnosis
