"""Each result in the format that was asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from weaklink.base.errors import WeaklinkError
from weaklink.cli.options import Format
from weaklink.cli.output import Output

if TYPE_CHECKING:
    from weaklink.base.evidence.critic import CriticFit
    from weaklink.verbs.against import Against
    from weaklink.verbs.audit import Audited
    from weaklink.verbs.compare import Compared
    from weaklink.verbs.confirm.experiment import Answer
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.debug.minimal.evidence import Minimal
    from weaklink.verbs.kernels import CheckedKernels
    from weaklink.verbs.preflight import Preflight
    from weaklink.verbs.probe import Probed

MINIMAL_PAGE = "minimal.html"


def show_preflight(result: Preflight, format: Format, out: Output, *, everything: bool) -> None:
    """Writes what a preflight found; without `everything` up to the first break."""
    diagnosis = result.diagnosis if everything else result.shown
    if format is Format.JSON:
        from weaklink.show.survey_data import line

        out.write(line(diagnosis, result.survey, result.checklist))
    elif format is Format.MARKDOWN:
        from weaklink.show import survey_markdown

        out.write(survey_markdown.report(diagnosis, result.survey, result.checklist))
    elif format is Format.HTML:
        from weaklink.show.page.survey import survey_page

        out.show_page(survey_page(result, everything=everything))
    else:
        from weaklink.show.survey_terminal import report

        out.show(report(diagnosis, result.survey, result.checklist, out.page()))


def show_probed(probed: Probed, format: Format, out: Output) -> None:
    """Writes what a trainer did on the ladder."""
    if format is Format.JSON:
        from weaklink.show import probe_data

        out.write(probe_data.line(probed.diagnosis, probed.outcome))
    elif format is Format.MARKDOWN:
        from weaklink.show import probe_markdown

        out.write(probe_markdown.report(probed.diagnosis, probed.outcome))
    elif format is Format.HTML:
        from weaklink.show.page.ladder import ladder_page

        out.show_page(ladder_page(probed.outcome, probed.diagnosis))
    else:
        from weaklink.show import probe_terminal

        out.show(probe_terminal.report(probed.diagnosis, probed.outcome, out.page()))


def show_kernels(checked: CheckedKernels, format: Format, out: Output) -> None:
    """Writes what each kernel answered."""
    from weaklink.show import kernels

    checks, diagnosis = checked.checks, checked.diagnosis
    if format is Format.JSON:
        out.write(kernels.line(diagnosis, checks))
    elif format is Format.MARKDOWN:
        out.write(kernels.markdown(diagnosis, checks))
    elif format is Format.HTML:
        from weaklink.show.page.kernels import kernels_page

        out.show_page(kernels_page(checks, diagnosis))
    else:
        out.show(kernels.page(diagnosis, checks, out.page()))


def show_against(result: Against, format: Format, out: Output) -> None:
    """Writes how a trainer did against a reference."""
    if format is Format.JSON:
        from weaklink.show import against_data

        out.write(against_data.line(result.diagnosis, result.comparison))
    elif format is Format.MARKDOWN:
        from weaklink.show import against_markdown

        out.write(against_markdown.report(result.diagnosis, result.comparison))
    elif format is Format.HTML:
        from weaklink.show.page.against import against_page

        out.show_page(against_page(result.comparison, result.diagnosis))
    else:
        from weaklink.show import against_terminal

        out.show(against_terminal.report(result.diagnosis, result.comparison, out.page()))


def show_audited(result: Audited, format: Format, out: Output) -> None:
    """Writes what an audit found."""
    if format is Format.JSON:
        from weaklink.show import audit_data

        out.write(audit_data.line(result))
    elif format is Format.MARKDOWN:
        from weaklink.show import audit_markdown

        out.write(audit_markdown.report(result))
    elif format is Format.HTML:
        from weaklink.show.page.audit import audit_page

        out.show_page(audit_page(result))
    else:
        from weaklink.show import audit_terminal

        out.show(audit_terminal.report(result, out.page()))


def show_compared(compared: Compared, format: Format, out: Output) -> None:
    """Writes a comparison."""
    if format is Format.JSON:
        from weaklink.show import compare_data

        out.write(compare_data.line(compared))
    elif format is Format.MARKDOWN:
        from weaklink.show import compare_markdown

        out.write(compare_markdown.report(compared))
    elif format is Format.HTML:
        from weaklink.show.page.compare import compare_page

        out.show_page(compare_page(compared))
    else:
        from weaklink.show import compare_terminal

        out.show(compare_terminal.report(compared, out.page()))


def keep_case(case: Case) -> tuple[str, ...]:
    """Writes the page and the text of a case into its folder; what to say of them."""
    from weaklink.show import case_markdown
    from weaklink.verbs.debug.folder import PAGE, TEXT

    (case.folder / TEXT).write_text(case_markdown.report(case), encoding="utf-8", errors="replace")
    try:
        from weaklink.show.page.case import case_page
        from weaklink.show.page.document import document
        from weaklink.show.page.file import html

        (case.folder / PAGE).write_text(html(document([case_page(case)])), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return (f"No page was made: {error}",)
    return (f"The page: {os.path.relpath(case.folder / PAGE)}",)


def show_case(case: Case, format: Format, out: Output, files: tuple[str, ...] = ()) -> None:
    """Shows a case."""
    if format is Format.JSON:
        from weaklink.show.case_data import line

        out.write(line(case))
    elif format is Format.MARKDOWN:
        from weaklink.show import case_markdown

        out.write(case_markdown.report(case))
    elif format is Format.HTML:
        from weaklink.show.page.case import case_page

        out.show_page(case_page(case))
    else:
        from weaklink.show.case_terminal import report

        out.show(report(case, out.page(), files))


def keep_minimal(result: Minimal, place: Path) -> str:
    """Writes the page of the procedure into the folder of its case; what to say of it."""
    from weaklink.show.page.document import document
    from weaklink.show.page.file import html
    from weaklink.show.page.minimal import minimal_page

    try:
        (place / MINIMAL_PAGE).write_text(html(document([minimal_page(result)])), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return f"No page was made: {error}"
    return f"The page: {os.path.relpath(place / MINIMAL_PAGE)}"


def show_minimal(result: Minimal, format: Format, out: Output, file: str = "") -> None:
    """Shows the procedure; `file` says what a person may open next."""
    if format is Format.JSON:
        from weaklink.show.minimal_data import line

        out.write(line(result))
    elif format is Format.MARKDOWN:
        from weaklink.show import minimal_markdown

        out.write(minimal_markdown.report(result))
    elif format is Format.HTML:
        from weaklink.show.page.minimal import minimal_page

        out.show_page(minimal_page(result))
    else:
        from weaklink.show import minimal_terminal

        out.show(minimal_terminal.report(result, out.page(), file))


def show_answer(answer: Answer, format: Format, out: Output) -> None:
    """Writes what an experiment came to."""
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


def show_fit(fit: CriticFit, name: str, format: Format, out: Output) -> None:
    """Writes how well a critic could be fitted alone."""
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
