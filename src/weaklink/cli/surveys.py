"""What `weaklink preflight` was asked for, checked, and how its result is shown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from weaklink.cli.options import FailOn, Format
from weaklink.cli.output import Output
from weaklink.cli.reporting import FINDINGS
from weaklink.errors import UsageError
from weaklink.evidence.config import plain
from weaklink.finding import Level
from weaklink.readers import read
from weaklink.survey.plan import Plan, within_bounds
from weaklink.survey.preflight import Preflight


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The options as they were written."""

    environment: str
    arguments: tuple[str, ...]
    config: str
    algorithm: str
    automaton: str
    cheat: str
    policy: str
    trust_pickle: bool
    components: str
    metric: str
    shaping: str
    total_steps: int
    seconds: float
    steps: int
    episodes: int
    seed: int


def checked(wanted: Wanted) -> tuple[Plan, dict[str, Any] | None]:
    """The plan and the hyper-parameters; wrong values are refused before anything is played."""
    if not wanted.environment.strip():
        raise UsageError("ENV is empty. Give a Gymnasium id such as CartPole-v1, or module:factory.")
    if wanted.total_steps < 0:
        raise UsageError(f"--total-steps must be at least 0, not {wanted.total_steps}.")
    if wanted.policy.endswith(".zip"):
        _trusted(wanted)
    plan = Plan(
        seconds=wanted.seconds,
        steps=wanted.steps,
        episodes=wanted.episodes,
        seed=wanted.seed,
        arguments=dict(_pairs(wanted.arguments)),
        components=tuple(key.strip() for key in wanted.components.split(",") if key.strip()),
        metric=wanted.metric,
        shaping=wanted.shaping,
        automaton=wanted.automaton,
        cheat=wanted.cheat,
        policy=os.path.abspath(wanted.policy) if wanted.policy.endswith(".zip") else wanted.policy,
        policy_algorithm=wanted.algorithm,
        trust_pickle=wanted.trust_pickle,
    )
    within_bounds(plan, "--")
    return plan, _hyper_parameters(wanted)


def _trusted(wanted: Wanted) -> None:
    if not wanted.trust_pickle:
        raise UsageError(
            f"{wanted.policy} holds a pickle, which can run any code when it is loaded. If you trust it, add "
            "--trust-pickle; otherwise give module:policy or --returns FILE."
        )
    if not wanted.algorithm:
        raise UsageError(f"Loading {wanted.policy} needs the algorithm that it was trained with: add --algorithm PPO.")
    if not os.path.isfile(wanted.policy):
        raise UsageError(f"There is no file {wanted.policy}.")


def _pairs(arguments: Iterable[str]) -> Iterable[tuple[str, Any]]:
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--arg takes NAME=VALUE, such as --arg render_mode=rgb_array, not '{text}'.")
        yield name.strip(), plain(value.strip())


def _hyper_parameters(wanted: Wanted) -> dict[str, Any] | None:
    given = dict(read(wanted.config).config.raw) if wanted.config else {}
    if wanted.algorithm:
        given["algorithm"] = wanted.algorithm.rpartition(":")[2]
    if wanted.total_steps:
        given["total_steps"] = wanted.total_steps
    return given or None


def shown(result: Preflight, format: Format, out: Output, fail_on: FailOn, *, everything: bool) -> int:
    """Writes the result; the exit code."""
    diagnosis = result.diagnosis if everything else result.shown
    if format is Format.JSON:
        from weaklink.views.survey_data import line

        out.write(line(diagnosis, result.survey, result.checklist))
    elif format is Format.MARKDOWN:
        from weaklink.views import survey_markdown

        out.write(survey_markdown.report(diagnosis, result.survey, result.checklist))
    else:
        from weaklink.views.survey_terminal import report

        out.show(report(diagnosis, result.survey, result.checklist, out.page()))
    worst = result.diagnosis.worst
    if fail_on is FailOn.NEVER or worst is None:
        return 0
    return FINDINGS if worst >= Level[fail_on.name] else 0
