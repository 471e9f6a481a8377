"""What is done inside a process of an experiment: load the target, change one thing, train, measure, ask the rule."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from weaklink.base.errors import ReadError, UsageError
from weaklink.base.evidence.run import Run
from weaklink.base.proving import LOWEST, MEAN, SPREAD
from weaklink.base.stats.level import Array, level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.confirm.altered import MadeParts, alter_target
from weaklink.verbs.confirm.critic import ROWS, fit_agent_critic, fit_model_critic, judge_fit
from weaklink.verbs.confirm.experiment import SeedResult
from weaklink.verbs.confirm.job import CRITIC, LOOK, RECORDING, ExperimentJob, JobReply, TargetParts
from weaklink.verbs.debug.request import WATCH, CaseRequest, TrainingEnd, WorkerMessage
from weaklink.verbs.debug.target import PARTS, LoadedTarget, load_target

FEWEST_POINTS = 3
WATCHING = 0.5
"""The share of the time that watching may take: short trainings are made for the sake of what is recorded."""

FITTING = 4.0
"""Seconds that one fit of a critic may take."""


def do_job(job: ExperimentJob, folder: Path) -> JobReply:
    """Does it.

    Raises:
        UsageError: the target cannot be used for it.
    """
    thing = load_target(job.target)
    if job.kind == LOOK:
        return JobReply(found=_list_parts(thing))
    if thing.make_model is None and thing.train is None:
        raise UsageError(
            f"{job.target.word or job.target.name} has neither make_model nor train: this experiment needs something "
            "to train. Add make_model(env), or give --algo sb3:PPO."
        )
    _limit_threads()
    changed, kept = alter_target(thing, job.change, job.seed)
    if job.kind == CRITIC and job.steps == 0:
        return _fit_critic(job, changed, kept, None)
    ended = _train_target(job, changed, folder)
    if kept.unusable:
        raise UsageError(kept.unusable)
    if job.kind == CRITIC:
        return _fit_critic(job, changed, kept, ended)
    return JobReply(tried=_judge_training(job, ended, folder), late=ended.late)


def _list_parts(thing: LoadedTarget) -> TargetParts:
    plain = {str(name): value for name, value in thing.config.items() if isinstance(value, str | float | int | bool)}
    return TargetParts(
        parts=tuple(name for name in PARTS if getattr(thing, name)),
        steps=thing.steps,
        components=thing.components,
        goal_metric=thing.goal_metric,
        config=plain,
    )


def _limit_threads() -> None:
    if "torch" in sys.modules:  # several trainings run side by side
        import_module("weaklink.adapters.torch.threads").use_one_thread()


def _train_target(job: ExperimentJob, thing: LoadedTarget, folder: Path) -> TrainingEnd:
    from weaklink.verbs.debug.watched import train_watched

    told: list[TrainingEnd] = []

    def say(message: WorkerMessage) -> None:
        if message.ended is not None:
            told.append(message.ended)

    request = CaseRequest(
        kind=WATCH,
        target=job.target,
        folder=str(folder / RECORDING),
        steps=job.steps,
        seconds=job.seconds,
        seed=job.seed,
        budget=WATCHING,
    )
    train_watched(thing, request, say)
    return told[-1]


def _judge_training(job: ExperimentJob, ended: TrainingEnd, folder: Path) -> SeedResult:
    try:
        run = read(folder / RECORDING)
    except ReadError as error:
        return _report_loss(job, ended, ended.message or str(error))
    values = {metric: found for metric, how in job.measures if (found := _measure_metric(run, metric, how)) is not None}
    fired, told, evidence = _judge_run(run, job.code)
    if ended.late and not fired:  # what is not there yet may come in the steps that are missing
        fired, told = None, f"its time was up after {ended.steps:,} of {job.steps:,} steps"
    if ended.kind and not fired:
        return _report_loss(job, ended, ended.message)
    return SeedResult(
        seed=job.seed,
        fired=fired,
        told=told,
        values=values,
        evidence=evidence,
        steps=ended.steps,
        seconds=ended.seconds,
        late=ended.late,
    )


def _report_loss(job: ExperimentJob, ended: TrainingEnd, why: str) -> SeedResult:
    return SeedResult(seed=job.seed, failure=why.rstrip("."), steps=ended.steps, seconds=ended.seconds)


def _judge_run(run: Run, code: str) -> tuple[bool | None, str, tuple[tuple[str, float, float | None], ...]]:
    diagnosis = diagnose(run, RuleSettings(frozenset((code,))))
    found = next((finding for finding in diagnosis.findings if finding.code == code), None)
    if found is not None:
        return True, found.message, tuple((one.metric, one.value, one.limit) for one in found.evidence)
    if code in diagnosis.clean:
        return False, "", ()
    return None, f"it lacked {', '.join(diagnosis.blind.get(code, ())) or 'what it needs'}", ()


def _measure_metric(run: Run, metric: str, how: str) -> float | None:
    series = run.get(metric)
    if series is None or len(series) < FEWEST_POINTS:
        return None
    values: Array = series.values
    if how == LOWEST:
        return float(values.min())
    if how == MEAN:
        return float(values.mean())
    if how == SPREAD:
        steps = series.steps - series.steps.mean()
        slope = float(steps @ (values - values.mean())) / max(float(steps @ steps), 1e-300)
        return float(np.std(values - slope * steps))
    return level(values[-max(len(values) // 3, 1) :])


def _fit_critic(job: ExperimentJob, thing: LoadedTarget, kept: MadeParts, ended: TrainingEnd | None) -> JobReply:
    if ended is not None and ended.kind:
        return JobReply(tried=_report_loss(job, ended, ended.message))
    trained = 0 if ended is None else ended.steps
    fitting: dict[str, Any] = {"rows": job.rows or ROWS, "seconds": FITTING, "seed": job.seed, "trained": trained}
    if thing.make_model is not None and thing.train is None:
        model = kept.model if kept.model is not None else thing.model()
        fit = fit_model_critic(model, **fitting)
    elif kept.agent is None:
        raise UsageError("train returns an agent only after training, so its critic needs --steps of at least 1.")
    else:
        fit = fit_agent_critic(kept.agent, thing.make_env, **fitting)
    cannot, says = judge_fit(fit)
    values = {"the critic alone": fit.after, "as it is": fit.before, "anything else": fit.reachable}
    known = {name: value for name, value in values.items() if value is not None}
    seconds = fit.seconds + (0.0 if ended is None else ended.seconds)
    tried = SeedResult(seed=job.seed, fired=cannot, told=says, values=known, steps=trained, seconds=seconds)
    return JobReply(tried=tried, critic=fit)
