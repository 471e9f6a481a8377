"""Tools for what comes before training: an environment, a trainer, samples and reward functions."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from weaklink.cli.mcp_server.parameters import Everything, Ignore, Seed, Select, Thresholds, Words
from weaklink.cli.mcp_server.results import AuditResult, PreflightResult, ProbeResult
from weaklink.cli.mcp_server.work import WorkProgress, carry_out


async def preflight(
    context: Context,
    environment: Annotated[str, Field(description="A Gymnasium id, or module:factory (file.py:factory).")],
    arguments: Annotated[Words, Field(description="For making the environment, each NAME=VALUE.")] = (),
    config: Annotated[str, Field(description="A JSON or YAML file of the hyper-parameters to train with.")] = "",
    algorithm: Annotated[str, Field(description="The algorithm to train with, such as PPO.")] = "",
    components: Annotated[Words, Field(description="Info keys that are parts of the reward.")] = (),
    metric: Annotated[str, Field(description="The info key that measures the task itself.")] = "",
    seconds: Annotated[float, Field(description="How long the whole may take.", ge=1)] = 60.0,
    seed: Seed = 0,
    everything: Everything = False,
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> PreflightResult:
    """Is the world real? Plays an environment before training and says from outside in what is wrong with it.

    Environment, observation, action, then reward, then task. It runs in a process of its own.
    """

    def look(progress: WorkProgress) -> PreflightResult:
        from weaklink.cli.mcp_server.answers import answer_preflight
        from weaklink.cli.settings import gather_settings, parse_pairs
        from weaklink.collect.survey.plan import SurveyPlan
        from weaklink.verbs.preflight import PreflightOptions, run_preflight

        plan = SurveyPlan(
            arguments=parse_pairs("arguments", arguments, "render_mode=rgb_array"),
            components=tuple(components),
            metric=metric,
            seconds=seconds,
            seed=seed,
        )
        options = PreflightOptions(
            environment=environment,
            plan=plan,
            config=config or None,
            algorithm=algorithm,
            settings=gather_settings(select, ignore, thresholds, None)[0],
        )
        result = run_preflight(options, lambda stage, steps: progress.tell(f"{stage}, {steps:,} steps"))
        return answer_preflight(result, everything=everything)

    return await carry_out(look, context, seconds=seconds)


async def probe(
    context: Context,
    trainer: Annotated[str, Field(description="sb3:PPO, torchrl:SAC, trl:GRPO, or module:train (file.py:train).")] = "",
    command: Annotated[
        str,
        Field(description="A script instead: python train.py --env-id {env} --total-timesteps {steps} --seed {seed}"),
    ] = "",
    kernels: Annotated[str, Field(description="A module or file.py whose GAE, losses and buffers are checked.")] = "",
    only: Annotated[Words, Field(description="Climb only these rungs: codes, names or environments.")] = (),
    seeds: Annotated[int, Field(description="Trainings of each rung.", ge=1)] = 3,
    seed: Seed = 0,
    seconds: Annotated[float, Field(description="After which no further rung is begun; 0: no limit.", ge=0)] = 0.0,
    everything: Everything = False,
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> ProbeResult:
    """Which component of a trainer is broken? Trains it on small problems with known answers, in its own processes.

    Give one of trainer, command and kernels. About a minute for a trainer, seconds for kernels. A rung that is wrong
    has its fault in what it `adds`; nothing above it counts.
    """

    def climb(progress: WorkProgress) -> ProbeResult:
        from weaklink.cli.mcp_server.answers import answer_kernels, answer_probe
        from weaklink.cli.probe_ways import ProbeRequest, check_way
        from weaklink.cli.settings import gather_settings
        from weaklink.collect.probes.plan import ProbePlan
        from weaklink.verbs.kernels import KernelOptions, check_kernels
        from weaklink.verbs.probe import ProbeOptions
        from weaklink.verbs.probe import probe as climb_ladder

        settings = gather_settings(select, ignore, thresholds, None)[0]
        plan = ProbePlan(seeds=seeds, first_seed=seed, only=tuple(only), everything=everything, seconds=seconds)
        check_way(
            ProbeRequest(
                trainer=trainer, command=command, kernels=kernels, plan=plan, settings=settings, given=frozenset()
            )
        )
        if kernels:
            progress.tell(f"checking {kernels}")
            return answer_kernels(check_kernels(KernelOptions(module=kernels, settings=settings)))
        options = ProbeOptions(trainer=trainer, command=command, plan=plan, settings=settings)
        return answer_probe(
            climb_ladder(options, lambda rung, done, begun: progress.tell(f"{rung}, {done} trainings done"))
        )

    return await carry_out(climb, context, seconds=seconds or None)


async def audit(
    context: Context,
    samples: Annotated[str, Field(description="Completions or trajectories: a file or a folder.")] = "",
    verifier: Annotated[str, Field(description="A reward function to attack, module:function.")] = "",
    run: Annotated[str, Field(description="The log of the same training.")] = "",
    baseline: Annotated[str, Field(description="Samples from before training, to compare with.")] = "",
    cases: Annotated[str, Field(description="JSON Lines of prompt and answer to try the reward function on.")] = "",
    seconds: Annotated[float, Field(description="How long trying the reward function may take.", ge=1)] = 60.0,
    seed: Seed = 0,
    select: Select = (),
    ignore: Ignore = (),
    thresholds: Thresholds = (),
) -> AuditResult:
    """What is really paid for? Audits completions or trajectories, and attacks a reward function, before training.

    Give samples, verifier or both.
    """

    def look(progress: WorkProgress) -> AuditResult:
        from weaklink.cli.mcp_server.answers import answer_audit
        from weaklink.cli.settings import gather_settings
        from weaklink.verbs.audit import AuditOptions
        from weaklink.verbs.audit import audit as look_at

        options = AuditOptions(
            samples=samples or None,
            run=run or None,
            baseline=baseline or None,
            verifier=verifier or None,
            cases=cases or None,
            seconds=seconds,
            seed=seed,
            settings=gather_settings(select, ignore, thresholds, None)[0],
        )
        progress.tell("starting")
        return answer_audit(look_at(options, lambda stage, rows: progress.tell(f"reading {stage}, {rows:,} rows")))

    return await carry_out(look, context, seconds=seconds if verifier else None)
