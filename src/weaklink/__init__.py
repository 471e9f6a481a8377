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
from typing import TYPE_CHECKING, Any

from weaklink._version import __version__

if TYPE_CHECKING:
    from weaklink.diagnosis.diagnosis import Diagnosis
    from weaklink.evidence.run import Run
    from weaklink.monitor.alerts import check_alerts
    from weaklink.monitor.guardrail import ppo_guardrail
    from weaklink.monitor.monitor import Monitor
    from weaklink.probes.probing import Probed
    from weaklink.readers import read
    from weaklink.survey.preflight import Preflight

__all__ = [
    "Diagnosis",
    "Monitor",
    "PotentialShaping",
    "Preflight",
    "Probed",
    "Run",
    "__version__",
    "attach",
    "check_alerts",
    "diagnose",
    "ppo_guardrail",
    "preflight",
    "probe",
    "read",
]

_HOMES = {
    "Diagnosis": "weaklink.diagnosis.diagnosis",
    "Monitor": "weaklink.monitor.monitor",
    "PotentialShaping": "weaklink.adapters.gymnasium.shaping",
    "Preflight": "weaklink.survey.preflight",
    "Probed": "weaklink.probes.probing",
    "Run": "weaklink.evidence.run",
    "check_alerts": "weaklink.monitor.alerts",
    "ppo_guardrail": "weaklink.monitor.guardrail",
    "read": "weaklink.readers",
}


def attach(trainer: Any, folder: str | os.PathLike[str], **options: Any) -> Monitor:
    """Watches a training from now on: records, recomputes the first updates, and tells what breaks.

    Args:
        trainer: a model of Stable-Baselines3 or sb3-contrib, or a trainer of TorchRL or TRL, before it learns.
        folder: where the recording is kept.
        options: those of `Monitor`: `on_error`, `sinks`, `tracker`, `budget`, ...

    Returns:
        The monitor. It ends with the program, or with `close()`.
    """
    from weaklink.monitor.attaching import attach as watch

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
    from weaklink.diagnosis.engine import diagnose as judge
    from weaklink.diagnosis.settings import Settings
    from weaklink.evidence.run import Run
    from weaklink.readers import read

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return judge(run if isinstance(run, Run) else read(os.fspath(run)), settings)


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
        plan: fields of `weaklink.survey.Plan`: `seconds`, `steps`, `episodes`, `seed`, `components`, `metric`, ...

    Returns:
        The survey, the whole diagnosis, the diagnosis up to its first break (`shown`) and the checklist.
    """
    from weaklink.diagnosis.settings import Settings
    from weaklink.survey.plan import planned
    from weaklink.survey.preflight import preflight as fly

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
        plan: fields of `weaklink.probes.plan.Plan`: `seeds`, `steps`, `only`, `everything`, `actions`, `gamma`, ...

    Returns:
        The outcome, rung by rung, and the diagnosis.
    """
    from weaklink.diagnosis.settings import Settings
    from weaklink.probes.plan import planned
    from weaklink.probes.probing import probe as climb

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return climb(trainer, planned(plan), hyper_parameters=config, isolate=isolate, settings=settings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'weaklink' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
