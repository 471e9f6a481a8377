"""weaklink finds which link of a reinforcement-learning training loop broke first.

    import weaklink

    diagnosis = weaklink.diagnose("runs/ppo_1")
    print(diagnosis.verdict, diagnosis.first_break)
    print(weaklink.preflight("CartPole-v1").shown.findings)
    print(weaklink.probe("sb3:PPO").diagnosis.verdict)

Names are loaded when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from weaklink._version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from weaklink.base.evidence.run import Run
    from weaklink.base.evidence.samples import Samples
    from weaklink.collect.monitor.alerts import check_alerts
    from weaklink.collect.monitor.guardrail import ppo_guardrail
    from weaklink.collect.readers import read
    from weaklink.judge.diagnosis.diagnosis import Diagnosis
    from weaklink.verbs.attach import Monitor, MonitorOptions
    from weaklink.verbs.audit import Audited
    from weaklink.verbs.compare import Compared
    from weaklink.verbs.confirm.calling import confirm, fit_critic
    from weaklink.verbs.confirm.experiment import Answer
    from weaklink.verbs.debug.calling import debug
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.memory import Estimate
    from weaklink.verbs.preflight import Preflight
    from weaklink.verbs.probe import Probed

__all__ = [
    "Answer",
    "Audited",
    "Case",
    "Compared",
    "Diagnosis",
    "Monitor",
    "PotentialShaping",
    "Preflight",
    "Probed",
    "Run",
    "__version__",
    "attach",
    "audit",
    "check_alerts",
    "compare",
    "confirm",
    "debug",
    "diagnose",
    "evaluation",
    "fit_critic",
    "memory_estimate",
    "ppo_guardrail",
    "preflight",
    "probe",
    "read",
]

_HOMES = {
    "Answer": "weaklink.verbs.confirm.experiment",
    "Audited": "weaklink.verbs.audit",
    "Case": "weaklink.verbs.debug.case",
    "Compared": "weaklink.verbs.compare",
    "Diagnosis": "weaklink.judge.diagnosis.diagnosis",
    "Monitor": "weaklink.verbs.attach",
    "PotentialShaping": "weaklink.adapters.gymnasium.shaping",
    "Preflight": "weaklink.verbs.preflight",
    "Probed": "weaklink.verbs.probe",
    "Run": "weaklink.base.evidence.run",
    "check_alerts": "weaklink.collect.monitor.alerts",
    "confirm": "weaklink.verbs.confirm.calling",
    "debug": "weaklink.verbs.debug.calling",
    "fit_critic": "weaklink.verbs.confirm.calling",
    "ppo_guardrail": "weaklink.collect.monitor.guardrail",
    "read": "weaklink.collect.readers",
}


def attach(trainer: Any, folder: str | os.PathLike[str], **options: Unpack[MonitorOptions]) -> Monitor:
    """Watches a training from now on: records, recomputes the first updates, and tells what breaks.

    Args:
        trainer: a model of Stable-Baselines3 or sb3-contrib, or a trainer of TorchRL or TRL, before it learns.
        folder: where the recording is kept.
        options: those of `Monitor`: `on_error`, `sinks`, `tracker`, `budget`, ...

    Returns:
        The monitor. It ends with the program, or with `close()`.
    """
    from weaklink.verbs.attach import attach as watch

    return watch(trainer, folder, **options)


def diagnose(
    run: Run | str | os.PathLike[str],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> Diagnosis:
    """Judges one training run.

    Args:
        run: a run, or the path of a log or run folder of any known format.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"POL301": {"lasting": 0.4}}`.

    Returns:
        The diagnosis: verdict, first break, findings, and what could not be judged.
    """
    from weaklink.base.evidence.run import Run
    from weaklink.collect.readers import read
    from weaklink.judge.diagnosis.engine import diagnose as judge
    from weaklink.judge.diagnosis.settings import Settings

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return judge(run if isinstance(run, Run) else read(os.fspath(run)), settings)


def memory_estimate(config: Mapping[str, Any] | str | os.PathLike[str] | None = None, **given: Any) -> Estimate:
    """Estimates the accelerator memory that a training needs.

    Args:
        config: the configuration of a Hugging Face model: a mapping, a config.json or the folder of the model.
        given: `parameters`, `layer_sizes` or numbers of the model instead; `device_memory`; and fields of
            `weaklink.verbs.memory.Plan`: `micro_batch`, `precision`, `lora_rank`, `sharding`, ...

    Returns:
        The phases with their parts, the peak, whether it fits, and what to change first where it does not.
    """
    from weaklink.verbs.memory import estimate

    return estimate(config, **given)


def preflight(
    environment: Any,
    *,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    automaton: Any = None,
    cheat: Any = None,
    policy: Any = None,
    model: Any = None,
    isolate: bool = True,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    **plan: Any,
) -> Preflight:
    """Looks at an environment before training.

    Args:
        environment: an environment, a function that makes one, a Gymnasium id, or `module:factory`. The last two are
            surveyed in a process of their own unless `isolate` is False.
        config: the hyper-parameters to train with, or a file that holds them.
        automaton: a policy written by hand: a function of the observation, or `module:name`.
        cheat: a policy that may look at the environment: a function of environment and observation.
        policy: a trained policy: a function of the observation, or an object with `predict`.
        model: the model to train, to be examined too.
        isolate: False surveys in this process.
        select: ask only these rules: codes, families such as `OBS`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"REW102": {"share": 0.1}}`.
        plan: fields of `weaklink.collect.survey.Plan`: `seconds`, `steps`, `episodes`, `seed`, `components`, ...

    Returns:
        The survey, the whole diagnosis, the diagnosis up to its first break (`shown`) and the checklist.
    """
    from weaklink.collect.survey.plan import planned
    from weaklink.judge.diagnosis.settings import Settings
    from weaklink.verbs.preflight import preflight as fly

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    given = {"automaton": automaton, "cheat": cheat, "policy": policy}
    words = {name: thing for name, thing in given.items() if isinstance(thing, str)}
    things = {name: thing for name, thing in given.items() if name not in words}
    return fly(
        environment,
        planned({**plan, **words}),
        config=config,
        policies=things,
        model=model,
        isolate=isolate,
        settings=settings,
    )


def probe(
    trainer: Any,
    *,
    config: Mapping[str, Any] | None = None,
    isolate: bool = True,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    **plan: Any,
) -> Probed:
    """Finds the broken component of a trainer on small environments with known answers.

    Args:
        trainer: a function `train(make_env, steps, seed)` that returns an agent, trained in this process; or a word
            such as `sb3:PPO` or `module:train`, trained in processes of their own unless `isolate` is False.
        config: hyper-parameters instead of those made for the ladder, for trainers given by name.
        isolate: False trains in this process.
        select: ask only these rules: codes, families or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.
        plan: fields of `weaklink.collect.probes.plan.Plan`: `seeds`, `steps`, `only`, `everything`, `actions`, ...

    Returns:
        The outcome, rung by rung, and the diagnosis.
    """
    from weaklink.collect.probes.plan import planned
    from weaklink.judge.diagnosis.settings import Settings
    from weaklink.verbs.probe import probe as climb

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return climb(trainer, planned(plan), hyper_parameters=config, isolate=isolate, settings=settings)


def audit(
    samples: Samples | str | os.PathLike[str] | None = None,
    *,
    run: Run | str | os.PathLike[str] | None = None,
    baseline: Samples | str | os.PathLike[str] | None = None,
    verifier: Any = None,
    cases: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None = None,
    style: str = "auto",
    seconds: float = 60.0,
    seed: int = 0,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> Audited:
    """Looks at completions or trajectories beside what was paid for them, and at the verifier that pays.

    Args:
        samples: a file or folder of samples; it can be left out where a verifier is given.
        run: the log of the same training.
        baseline: samples from before training, to compare with.
        verifier: a reward function to try: `module:function`, tried in a process of its own, or the function itself.
        cases: prompts and answers to try it on: a JSON Lines file, or rows; those that are built in if left out.
        style: how the reward function is called: `auto`, `trl`, `verl` or `plain`.
        seconds: how long trying it may take.
        seed: of every random choice.
        select: ask only these rules: codes, families such as `LLM`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"LLM303": {"limit": 0.3}}`.

    Returns:
        The samples as evidence, the diagnosis, the tables beside it, and what the verifier paid for.
    """
    from weaklink.judge.diagnosis.settings import Settings
    from weaklink.verbs.audit import audit as look

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return look(
        samples,
        run=run,
        baseline=baseline,
        verifier=verifier,
        cases=cases,
        style=style,
        seconds=seconds,
        seed=seed,
        settings=settings,
    )


def compare(
    *paths: str | os.PathLike[str],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    **asked: Any,
) -> Compared:
    """Compares evaluations, runs or groups of seeds, where their protocols allow it.

    Args:
        paths: at least two: evaluations, runs, folders of them, or patterns such as `runs/ppo_*`. The first is what the
            others are compared with.
        select: ask only these rules: codes, families such as `EVA`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"LLM313": {"share": 0.3}}`.
        asked: fields of `weaklink.verbs.compare.Asked`: `train` and `evaluation`, `metric`, `target`, `anyway`,
            `ledger`, `keep`, `seed`.

    Returns:
        The diagnosis, the parties with their protocols, the scores where they may be compared, and the overlap.
    """
    from weaklink.judge.diagnosis.settings import Settings
    from weaklink.verbs import compare as comparing

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return comparing.compare(paths, comparing.asked(asked), settings)


def evaluation(
    folder: str | os.PathLike[str],
    *,
    scores: Any = None,
    ledger: str | os.PathLike[str] | None = None,
    selected: str = "",
    **protocol: Any,
) -> Path:
    """Writes an evaluation down with its protocol, as `weaklink-evaluation.json`, and counts the look at its split.

    Args:
        folder: where it is kept; an older one there is replaced.
        scores: by item or by seed: a mapping, a list in order, or one number; an item may have a list.
        ledger: the file in which looks are counted; by itself the nearest one in or above the folder.
        selected: what is chosen by this evaluation, such as a checkpoint.
        protocol: `task`, `model`, `split`, `seeds`, `temperature`, `top_p`, `max_tokens`, `prompt_template`, `tools`,
            `timeout`, `pass_at_k`, `deterministic`, `env_version`, `episodes`, and whatever else must be alike.

    Returns:
        The file.
    """
    from weaklink.collect.samples.evaluating import evaluation as written

    return written(folder, scores=scores, ledger=ledger, selected=selected, **protocol)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'weaklink' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
