"""A project as a whole: watched while it trains, debugged stage by stage, and its findings proven."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from weaklink._api import Path, Thresholds, format_pairs, make_tuple

if TYPE_CHECKING:
    from weaklink.base.evidence.critic import CriticFit
    from weaklink.base.finding import Finding
    from weaklink.verbs.attach import Monitor
    from weaklink.verbs.confirm.experiment import Answer
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.run.running import Ran


def attach(
    trainer: object,
    folder: Path,
    *,
    config: Mapping[str, object] | None = None,
    name: str = "",
    on_error: str = "continue",
    sinks: Iterable[str | Callable[[Finding], object]] = ("terminal",),
    tracker: object = "auto",
    budget: float = 0.01,
    looks: int = 3,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
    evaluation: Mapping[str, object] | None = None,
    checkpoints: bool | None = None,
) -> Monitor:
    """Watches a training from now on: records, recomputes the first updates, and tells what breaks.

    Args:
        trainer: a model of Stable-Baselines3 or sb3-contrib, or a trainer of TorchRL or TRL, before it learns.
        folder: where the recording is kept.
        config: the hyper-parameters of the training, beside those that the trainer shows.
        name: of the run, where it is not that of the folder.
        on_error: `stop` ends the training at the first alert of level error; `continue` only tells.
        sinks: where alerts go: `terminal`, the name of a tracker, the address of a webhook, or a function of the
            finding.
        tracker: where numbers go besides the recording: `auto` for the tracker in use, `none`, its name, or a
            TensorBoard writer.
        budget: the share of the time that watching may use.
        looks: how many updates are recomputed at the start.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.
        evaluation: how the policy is evaluated, recorded with the run.
        checkpoints: whether to keep the best, the last and the last healthy state; by itself with `on_error="stop"`.

    Returns:
        The monitor. It ends with the program, or with `close()`.
    """
    from weaklink.verbs.attach import attach as watch

    return watch(
        trainer,
        folder,
        config=config,
        name=name,
        on_error=on_error,
        sinks=sinks,
        tracker=tracker,
        budget=budget,
        looks=looks,
        select=select,
        ignore=ignore,
        thresholds=thresholds,
        evaluation=evaluation,
        checkpoints=checkpoints,
    )


def run(
    words: Sequence[str],
    *,
    module: bool = False,
    folder: Path = "",
    on_error: str = "continue",
    budget: float = 0.01,
    survey: bool = True,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Ran:
    """Runs a training script, unchanged, in a process of its own, watches what it trains, and judges it.

    Args:
        words: the script and its arguments, such as `["train.py", "--seed", "1"]`.
        module: the first word is a module, as for `python -m`.
        folder: where recordings go; by itself a new one in `weaklink-runs`.
        on_error: `stop` ends a training at its first alert of level error; `continue` only tells.
        budget: the share of the time that watching may use.
        survey: look at the environment too, by a fork of the script's process beside the training.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.

    Returns:
        The exit code of the script, or minus the signal that it died of, and a diagnosis of each training.
    """
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs.run import running as verb

    return verb.run(
        verb.RunOptions(
            words=make_tuple(words),
            module=module,
            folder=os.fspath(folder),
            on_error=on_error,
            budget=budget,
            survey=survey,
            settings=RuleSettings.of(select, ignore, thresholds),
        )
    )


def debug(
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, object] | None = None,
    folder: Path | None = None,
    seconds: float = 100.0,
    steps: int = 0,
    seed: int = 0,
    everything: bool = False,
    skip: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    fresh: bool = False,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Thresholds | None = None,
) -> Case:
    """Walks a project through the whole procedure: preflight, probe, a watched training, diagnosis, reward and task.

    Args:
        target: `file.py`, `module` or `module:name` with `make_env()` and beside it `make_model(env)` or
            `train(make_env, steps, seed)`, or with `make_model()` alone for a language model; it runs in processes of
            its own.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        folder: where the case is kept; `weaklink-case/NAME` where it is left out.
        seconds: how long the stages may take together.
        steps: of the watched training; 0 leaves it to the target.
        seed: of every random choice.
        everything: go on after a broken link.
        skip: stages to leave out: `preflight`, `probe`, `watch`, `diagnose`, `question`.
        only: stages to carry out alone.
        fresh: repeat stages that were finished before.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.

    Returns:
        The case: verdict, first break, what each stage came to, the checklists and the next experiment.
    """
    from weaklink.judge.diagnosis.settings import RuleSettings
    from weaklink.verbs.debug import debugging as verb
    from weaklink.verbs.debug.options import DebugOptions
    from weaklink.verbs.debug.target import parse_target

    return verb.debug(
        DebugOptions(
            target=parse_target(target, algorithm=algorithm, environment=environment, settings=format_pairs(settings)),
            folder=os.fspath(folder) if folder is not None else "",
            seconds=seconds,
            steps=steps,
            seed=seed,
            everything=everything,
            skip=make_tuple(skip),
            only=make_tuple(only),
            fresh=fresh,
            settings=RuleSettings.of(select, ignore, thresholds),
        )
    )


def confirm(
    code: str,
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, object] | None = None,
    seeds: int = 5,
    first_seed: int = 1,
    steps: int = 0,
    seconds: float = 300.0,
    workers: int = 0,
) -> Answer:
    """Carries out the experiment that proves a finding, or not: one variable changed, several seeds, a test.

    Args:
        code: of the finding, such as `POL303`, or its name.
        target: as for `debug`, or the folder of a case.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        seeds: of each arm.
        first_seed: from which they count up.
        steps: of each training; 0 for as many as the case or the target says.
        seconds: how long the whole may take.
        workers: trainings side by side; 0 for one a core.

    Returns:
        The answer: confirmed, refuted or undecided, why, what follows from it, and every number.
    """
    from weaklink.verbs.confirm import experimenting as verb
    from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject

    given = format_pairs(settings)
    subject = parse_subject(target, algorithm=algorithm, environment=environment, hyper_parameters=given)
    plan = ExperimentPlan(seeds=seeds, first_seed=first_seed, steps=steps, seconds=seconds, workers=workers)
    return verb.confirm(verb.ConfirmOptions(code=code, subject=subject, plan=plan))


def fit_critic(
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, object] | None = None,
    rows: int = 4096,
    steps: int = -1,
    seed: int = 1,
    seconds: float = 120.0,
) -> CriticFit:
    """Freezes the policy of a target, takes one rollout and trains the critic alone on its returns.

    Args:
        target: as for `debug`, or the folder of a case.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        rows: of the rollout.
        steps: to train first; 0 for none, -1 for as many as the case or the target says.
        seed: of every random choice.
        seconds: how long the whole may take.

    Returns:
        How much of the returns the critic explains as it is and alone, beside a fresh network, a line and a table.
    """
    from weaklink.verbs import fit_critic as verb
    from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject

    given = format_pairs(settings)
    subject = parse_subject(target, algorithm=algorithm, environment=environment, hyper_parameters=given)
    plan = ExperimentPlan(steps=steps, first_seed=seed, seconds=seconds)
    return verb.fit_critic(verb.FitCriticOptions(subject=subject, plan=plan, rows=rows))
