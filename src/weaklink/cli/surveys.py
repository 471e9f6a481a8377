"""What `weaklink preflight` was asked for, checked, and how its result is shown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import plain
from weaklink.base.finding import Level
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.reporting import FINDINGS
from weaklink.collect.readers import read_config
from weaklink.collect.survey.plan import SurveyPlan, within_bounds
from weaklink.verbs.preflight import Preflight


def planned_with(environment: str, arguments: Iterable[str], components: str, **fields: Any) -> SurveyPlan:
    """The plan that the options make; wrong values are refused before anything is played."""
    if not environment.strip():
        raise UsageError("ENV is empty. Give a Gymnasium id such as CartPole-v1, or module:factory.")
    plan = SurveyPlan(
        arguments=dict(_pairs(arguments)),
        components=tuple(key.strip() for key in components.split(",") if key.strip()),
        **fields,
    )
    within_bounds(plan, "--")
    if not plan.policy.endswith(".zip"):
        return plan
    _trusted(plan)
    return msgspec.structs.replace(plan, policy=os.path.abspath(plan.policy))


def _trusted(plan: SurveyPlan) -> None:
    if not plan.trust_pickle:
        raise UsageError(
            f"{plan.policy} holds a pickle, which can run any code when it is loaded. If you trust it, add "
            "--trust-pickle; otherwise give module:policy or --returns FILE."
        )
    if not plan.policy_algorithm:
        raise UsageError(f"Loading {plan.policy} needs the algorithm that it was trained with: add --algorithm PPO.")
    if not os.path.isfile(plan.policy):
        raise UsageError(f"There is no file {plan.policy}.")


def _pairs(arguments: Iterable[str]) -> Iterable[tuple[str, Any]]:
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--arg takes NAME=VALUE, such as --arg render_mode=rgb_array, not '{text}'.")
        yield name.strip(), plain(value.strip())


def hyper_parameters(config: str, algorithm: str, total_steps: int) -> dict[str, Any] | None:
    """Those of a file together with what the options say; None where there are none."""
    if total_steps < 0:
        raise UsageError(f"--total-steps must be at least 0, not {total_steps}.")
    given = dict(read_config(config).raw) if config else {}
    if algorithm:
        given["algorithm"] = algorithm.rpartition(":")[2]
    if total_steps:
        given["total_steps"] = total_steps
    return given or None


def shown(result: Preflight, format: Format, out: Output, fail_on: FailOn, *, everything: bool) -> int:
    """Writes the result; the exit code."""
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
    if result.survey.stopped:
        return INTERRUPTED
    worst = result.diagnosis.worst
    if fail_on is FailOn.NEVER or worst is None:
        return 0
    return FINDINGS if worst >= Level[fail_on.name] else 0
