"""What `weaklink confirm` and `weaklink fit-critic` do and show."""

from __future__ import annotations

from weaklink.base.finding import Level
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.progress import counted
from weaklink.cli.reporting import FINDINGS
from weaklink.verbs.confirm.confirm import confirm, fit_critic
from weaklink.verbs.confirm.critic import judged
from weaklink.verbs.confirm.experiment import Verdict
from weaklink.verbs.confirm.plan import Plan
from weaklink.verbs.debug.target import Target

Subject = tuple[Target, int]
"""A target, and the steps of the run in which its findings were made."""


def confirmed(code: str, subject: Subject, plan: Plan, format: Format, out: Output, fail_on: FailOn) -> int:
    """Carries an experiment out and shows it; the exit code."""
    target, known = subject
    with counted() as report:
        answer = confirm(code, target, plan, steps_known=known, report=report)
    out.show(answer, format)
    if answer.stopped:
        return INTERRUPTED
    stands = answer.verdict is Verdict.CONFIRMED and fail_on is not FailOn.NEVER
    return FINDINGS if stands and Level[answer.level.upper()] >= Level[fail_on.name] else 0


def fitted(subject: Subject, plan: Plan, rows: int, format: Format, out: Output) -> int:
    """Fits a critic alone and shows it; the exit code."""
    target, known = subject
    with counted() as report:
        fit = fit_critic(target, plan, rows=rows, steps_known=known, report=report)
    out.show(fit, format, name=target.word or target.name)
    return FINDINGS if judged(fit)[0] else 0
