"""`weaklink probe --against`: a trainer and a reference on the same environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weaklink.base.evidence.config import canonical
from weaklink.base.outside.own_code import printing_aside
from weaklink.cli.options import Format
from weaklink.cli.output import Output
from weaklink.cli.progress import counted
from weaklink.collect.probes.plan import ProbePlan, checked
from weaklink.judge.diagnosis.settings import Settings
from weaklink.verbs.against import Against, against

if TYPE_CHECKING:
    from weaklink.cli.probing import Asked

USUAL_STEPS = 20_000
PATIENCE = 6.0
"""A training on a real environment may take so many times what one on a small problem may, if nobody says."""


def contested(asked: Asked, plan: ProbePlan, settings: Settings) -> Against:
    """Trains both."""
    checked(plan)
    with counted() as report, printing_aside():
        return against(
            asked.trainer,
            asked.against,
            asked.environment,
            plan.steps or USUAL_STEPS,
            plan.seeds,
            settings=_told(asked, plan),
            report=report,
            first_seed=plan.first_seed,
            timeout=patience(asked, plan),
            workers=plan.workers,
            isolate=not asked.in_process,
            rules=settings,
        )


def patience(asked: Asked, plan: ProbePlan) -> float:
    """Seconds that one training may take: those that were asked for, else more than on a small problem."""
    return plan.timeout if "--timeout" in asked.given else PATIENCE * plan.timeout


def _told(asked: Asked, plan: ProbePlan) -> dict[str, Any]:
    """The settings for both: those of the file, and the discount of the command line in place of the file's."""
    from weaklink.cli.probing import hyper_parameters

    settings = hyper_parameters(asked.config) if asked.config else {}
    if plan.gamma is None:
        return settings
    return {**{name: value for name, value in settings.items() if canonical(name) != "gamma"}, "gamma": plan.gamma}


def shown(result: Against, format: Format, out: Output) -> None:
    """Writes the result."""
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
