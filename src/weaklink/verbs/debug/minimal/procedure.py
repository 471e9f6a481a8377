"""The emergency procedure from beginning to end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import util

from weaklink.base.errors import UsageError
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.minimal.answer import answer_minimal
from weaklink.verbs.debug.minimal.children import AttemptPool, Report
from weaklink.verbs.debug.minimal.easing import AS_IT_IS
from weaklink.verbs.debug.minimal.evidence import Minimal, MinimalLook, TaskVersion, TrainingAttempt
from weaklink.verbs.debug.minimal.judging import find_conflicts, judge_version, measure_effects
from weaklink.verbs.debug.minimal.plan import AttemptJob, MinimalPlan
from weaklink.verbs.debug.options import DebugOptions, check_options
from weaklink.verbs.debug.target import CaseTarget


def minimise(options: DebugOptions, report: Report | None = None) -> Minimal:
    """The emergency procedure on the target of a case, kept in its folder.

    Args:
        options: of these count the target, the folder, the time, the steps and the seed.
        report: told now and then what is being trained and how many steps were made.

    Raises:
        UsageError: the target cannot be used.
    """
    check_options(options)
    folder = CaseFolder.opened(options.place, options.target, fresh=False)
    plan = MinimalPlan(seconds=options.seconds, seed=options.seed, steps=options.steps or MinimalPlan().steps)
    result = run_minimal(options.target, plan, report)
    folder.keep_minimal(result)
    folder.save()
    return result


def run_minimal(target: CaseTarget, plan: MinimalPlan | None = None, report: Report | None = None) -> Minimal:
    """Looks at what the model sees, then trains the smallest agent on every version of the task.

    Args:
        target: what is in trouble.
        plan: how long.
        report: told now and then what is being trained and how many steps were made.

    Returns:
        What was seen and the answer. Ctrl-C ends it early with what was found.

    Raises:
        UsageError: the target cannot be used.
    """
    chosen = plan or MinimalPlan()
    _check_plan(chosen)
    if util.find_spec("stable_baselines3") is None:
        raise UsageError("The smallest agent needs Stable-Baselines3: pip install 'weaklink[sb3]'.")
    began = time.monotonic()
    pool = AttemptPool(target, chosen, report)
    attempts: list[TrainingAttempt] = []
    stopped = False
    try:
        looked = pool.looked()
        tasks = () if looked.failure else order_versions(looked)
        try:
            for attempt in pool.attempts(_list_jobs(tasks, looked, chosen)):
                attempts.append(attempt)
                if report is not None:
                    report(f"{attempt.task}, seed {attempt.seed}", attempt.steps)
        except KeyboardInterrupt:
            stopped = True
    finally:
        pool.close()
    return _conclude(target, looked, tasks, attempts, time.monotonic() - began, stopped=stopped)


def _check_plan(plan: MinimalPlan) -> None:
    for name, least in (("seconds", 10.0), ("steps", 1), ("seeds", 1), ("workers", 1), ("episodes", 3)):
        if getattr(plan, name) < least:
            raise UsageError(
                f"{name} of the emergency procedure must be at least {least:g}, not {getattr(plan, name):g}."
            )


def order_versions(looked: MinimalLook) -> tuple[TaskVersion, ...]:
    """The versions in the order in which they are tried: easier ones, the task as it is, each part alone."""
    parts = (TaskVersion(name=f"{part} alone", told=(f"only {part} is paid",), part=part) for part in looked.parts)
    alone = tuple(parts) if len(looked.parts) > 1 else ()
    return (*looked.tasks, TaskVersion(name=AS_IT_IS), *alone)


def _list_jobs(tasks: Sequence[TaskVersion], looked: MinimalLook, plan: MinimalPlan) -> list[AttemptJob]:
    seconds = plan.for_each(len(tasks) * plan.seeds)
    return [
        AttemptJob(
            task=task,
            algorithm=looked.algorithm,
            gamma=looked.gamma,
            parts=looked.parts,
            seed=plan.seed + place,
            steps=plan.steps,
            seconds=seconds,
            episodes=plan.episodes,
        )
        for task in tasks
        for place in range(plan.seeds)
    ]


def _conclude(
    target: CaseTarget,
    looked: MinimalLook,
    tasks: Sequence[TaskVersion],
    attempts: Sequence[TrainingAttempt],
    seconds: float,
    *,
    stopped: bool,
) -> Minimal:
    by_task = {task.name: [one for one in attempts if one.task == task.name] for task in tasks}
    versions = tuple(judge_version(task, by_task[task.name]) for task in tasks if by_task[task.name])
    found = measure_effects(versions, looked.parts)
    return answer_minimal(
        Minimal(
            target=target,
            looked=looked,
            versions=versions,
            effects=found,
            fights=find_conflicts(found),
            seconds=seconds,
            stopped=stopped,
        )
    )
