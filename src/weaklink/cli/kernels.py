"""`weaklink probe --kernels`: the functions of a module against the right answers."""

from __future__ import annotations

from weaklink.cli.options import Format
from weaklink.cli.output import Output
from weaklink.collect.probes.kernels import check_module
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.probing import judged_kernels
from weaklink.judge.diagnosis.settings import Settings
from weaklink.show import kernels


def shown(module: str, settings: Settings, format: Format, out: Output) -> Diagnosis:
    """Checks and shows."""
    checks = check_module(module)
    diagnosis = judged_kernels(checks, settings)
    if format is Format.JSON:
        out.write(kernels.line(diagnosis, checks))
    elif format is Format.MARKDOWN:
        out.write(kernels.markdown(diagnosis, checks))
    elif format is Format.HTML:
        from weaklink.show.page.kernels import kernels_page

        out.show_page(kernels_page(checks, diagnosis))
    else:
        out.show(kernels.page(diagnosis, checks, out.page()))
    return diagnosis
