"""What `weaklink confirm` and `weaklink fit-critic` do and show."""

from __future__ import annotations

from weaklink.base.evidence.critic import CriticFit
from weaklink.base.finding import Level
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.progress import counted
from weaklink.cli.reporting import FINDINGS
from weaklink.verbs.confirm.confirm import confirm, fit_critic
from weaklink.verbs.confirm.critic import judged
from weaklink.verbs.confirm.experiment import Answer, Verdict
from weaklink.verbs.confirm.plan import ExperimentPlan
from weaklink.verbs.debug.target import Target

Subject = tuple[Target, int]
"""A target, and the steps of the run in which its findings were made."""


def confirmed(code: str, subject: Subject, plan: ExperimentPlan, format: Format, out: Output, fail_on: FailOn) -> int:
    """Carries an experiment out and shows it; the exit code."""
    target, known = subject
    with counted() as report:
        answer = confirm(code, target, plan, steps_known=known, report=report)
    _show(answer, format, out)
    if answer.stopped:
        return INTERRUPTED
    stands = answer.verdict is Verdict.CONFIRMED and fail_on is not FailOn.NEVER
    return FINDINGS if stands and Level[answer.level.upper()] >= Level[fail_on.name] else 0


def _show(answer: Answer, format: Format, out: Output) -> None:
    if format is Format.JSON:
        from weaklink.show import experiment_data

        out.write(experiment_data.line(answer))
    elif format is Format.MARKDOWN:
        from weaklink.show import experiment_markdown

        out.write(experiment_markdown.report(answer))
    elif format is Format.HTML:
        from weaklink.show.page.document import document
        from weaklink.show.page.experiment import experiment_page
        from weaklink.show.page.file import html

        out.write(html(document([experiment_page(answer)])))
    else:
        from weaklink.show import experiment_terminal

        out.show(experiment_terminal.report(answer, out.page()))


def fitted(subject: Subject, plan: ExperimentPlan, rows: int, format: Format, out: Output) -> int:
    """Fits a critic alone and shows it; the exit code."""
    target, known = subject
    with counted() as report:
        fit = fit_critic(target, plan, rows=rows, steps_known=known, report=report)
    _show_fit(fit, target.word or target.name, format, out)
    return FINDINGS if judged(fit)[0] else 0


def _show_fit(fit: CriticFit, name: str, format: Format, out: Output) -> None:
    if format is Format.JSON:
        from weaklink.show import experiment_data

        out.write(experiment_data.fit_line(fit, name))
    elif format is Format.MARKDOWN:
        from weaklink.show import experiment_markdown

        out.write(experiment_markdown.fit_report(fit, name))
    elif format is Format.HTML:
        from weaklink.show.page.document import document
        from weaklink.show.page.experiment import critic_page
        from weaklink.show.page.file import html

        out.write(html(document([critic_page(fit, name)])))
    else:
        from weaklink.show import experiment_terminal

        out.show(experiment_terminal.fit_report(fit, name, out.page()))
