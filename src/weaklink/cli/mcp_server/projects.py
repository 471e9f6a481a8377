"""Tools for what was or is being trained: logs, runs that grow, whole projects, and the proof of a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from weaklink.cli.mcp_server.parameters import (
    Algorithm,
    Environment,
    Everything,
    Ignore,
    Seed,
    Select,
    Settings,
    Target,
    Thresholds,
    Words,
)
from weaklink.cli.mcp_server.results import ConfirmResult, DebugResult, DiagnoseResult
from weaklink.cli.mcp_server.work import WorkProgress, carry_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weaklink.verbs.debug.case import StageResult
    from weaklink.verbs.targets import Counted, Step


async def diagnose(
    context: Context,
    paths: Annotated[Words, Field(description="Logs, run folders or trees of runs.", min_length=1)],
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> DiagnoseResult:
    """Which link of a training loop broke first? Reads the logs of nearly any framework; runs nothing."""

    def read(progress: WorkProgress) -> DiagnoseResult:
        from weaklink.cli.mcp_server.answers import answer_diagnose
        from weaklink.cli.settings import gather_names, gather_settings
        from weaklink.verbs.diagnose import DiagnoseOptions
        from weaklink.verbs.diagnose import diagnose as diagnose_logs

        def around(steps: Counted[Step], /) -> Iterator[Step]:
            for place, step in enumerate(steps):
                progress.tell(f"{place + 1} of {len(steps)}")
                yield step

        settings = gather_settings(select, ignore, thresholds, None)[0]
        options = DiagnoseOptions(paths=tuple(paths), settings=settings, names=gather_names(()))
        return answer_diagnose(diagnose_logs(options, around=around))

    return await carry_out(read, context, alone=False)


class _StageTeller:
    """Tells the client of the stages of a case."""

    def __init__(self, progress: WorkProgress) -> None:
        self._progress, self._stage = progress, ""

    def begins(self, stage: str, seconds: float) -> None:
        self._stage = stage
        self._progress.tell(stage)

    def doing(self, what: str) -> None:
        self._progress.tell(f"{self._stage}: {what}" if self._stage else what)

    def ended(self, result: StageResult) -> None:
        self._progress.tell(f"{result.stage} {result.state}: {result.why}")


async def debug(
    context: Context,
    target: Target = "",
    algorithm: Algorithm = "",
    environment: Environment = "",
    settings: Settings = (),
    case: Annotated[str, Field(description="The folder to keep it in; weaklink-case/NAME if left out.")] = "",
    seconds: Annotated[float, Field(description="How long the stages may take together.", ge=10)] = 100.0,
    steps: Annotated[int, Field(description="Steps to watch; 0: the target's, or 50000.", ge=0)] = 0,
    seed: Seed = 0,
    everything: Everything = False,
    fresh: Annotated[bool, Field(description="Repeat stages that were finished before.")] = False,
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> DebugResult:
    """The whole procedure on a project, up to its first broken link: begin here where there is code.

    Preflight, probe, a short watched training, diagnosis, then reward and task. It takes up to about two and a half
    minutes and may be called again: finished stages are kept in the case and not repeated. Give target, or algorithm
    and environment.
    """

    def walk(progress: WorkProgress) -> DebugResult:
        from weaklink.cli.keeping import keep_case
        from weaklink.cli.mcp_server.answers import answer_debug
        from weaklink.cli.settings import gather_settings
        from weaklink.verbs.debug.debugging import debug as walk_stages
        from weaklink.verbs.debug.options import DebugOptions
        from weaklink.verbs.debug.target import parse_target

        options = DebugOptions(
            target=parse_target(target, algorithm=algorithm, environment=environment, settings=settings),
            folder=case,
            seconds=seconds,
            steps=steps,
            seed=seed,
            everything=everything,
            fresh=fresh,
            settings=gather_settings(select, ignore, thresholds, None)[0],
        )
        found = walk_stages(options, _StageTeller(progress))
        keep_case(found)
        return answer_debug(found)

    return await carry_out(walk, context, seconds=seconds)


async def confirm(
    context: Context,
    code: Annotated[str, Field(description="The finding: a code such as POL303, or its name.")],
    target: Annotated[str, Field(description="As for debug, or the folder of a case.")] = "",
    algorithm: Algorithm = "",
    environment: Environment = "",
    settings: Settings = (),
    seeds: Annotated[int, Field(description="Seeds of each arm.", ge=2)] = 5,
    seed: Annotated[int, Field(description="The first of them.", ge=0)] = 1,
    steps: Annotated[int, Field(description="Steps of each run; 0: as in the case or target.", ge=0)] = 0,
    seconds: Annotated[float, Field(description="How long the whole may take.", ge=10)] = 300.0,
) -> ConfirmResult:
    """Carries out the experiment that proves a finding, or not: one variable changed, several seeds, a test."""

    def prove(progress: WorkProgress) -> ConfirmResult:
        from weaklink.cli.mcp_server.answers import answer_confirm
        from weaklink.verbs.confirm.experimenting import ConfirmOptions
        from weaklink.verbs.confirm.experimenting import confirm as carry_out_experiment
        from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject

        options = ConfirmOptions(
            code=code,
            subject=parse_subject(target, algorithm=algorithm, environment=environment, hyper_parameters=settings),
            plan=ExperimentPlan(seeds=seeds, first_seed=seed, steps=steps, seconds=seconds),
        )
        progress.tell(f"loading {target or algorithm}")
        return answer_confirm(
            carry_out_experiment(options, lambda what, done, whole: progress.tell(f"{what}, {done} of {whole} done"))
        )

    return await carry_out(prove, context, seconds=seconds)
