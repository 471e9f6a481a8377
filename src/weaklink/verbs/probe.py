"""`probe`: climbs the ladder with a trainer, judges, and where settings are to blame finds out which."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from weaklink.base.evidence.outcome import RIGHT, WRONG, Outcome, Rung, RungContrast
from weaklink.base.evidence.traits import ACTIONS, CONTINUOUS, Traits
from weaklink.base.viewing import ViewedResult
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.inline import InlineRunner
from weaklink.collect.probes.ladder import LadderClimb, ProbeRunner, Report
from weaklink.collect.probes.plan import AUTO, GROWTH, ProbePlan, ScriptPlan, check_plan
from weaklink.collect.probes.pool import ProbePool
from weaklink.collect.probes.scouting import ScriptSetup, explain_no_room, set_up_script
from weaklink.collect.probes.script import ScriptRunner, assume_script_traits, assume_setup_traits
from weaklink.collect.probes.trainers import find_trainer, read_traits
from weaklink.collect.readers import read_config
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.probing import add_rung_codes, judge_outcome, list_rung_codes
from weaklink.judge.diagnosis.settings import RuleSettings

MOST_LEVELS, MOST_STEPS = 4, 80_000
"""Budgets are tried up to the largest below so many steps, what commands are given too (`USUAL_STEPS`)."""

MOST_TRIED = 10
"""Settings that are changed back one at a time."""


ABOUT_THE_RUN = frozenset(
    ("algorithm", "algo", "env", "env_id", "environment", "total_timesteps", "total_steps", "seed", "policy")
)
"""Keys of a configuration that say nothing of how the trainer learns."""

HyperParameters = Mapping[str, Any] | str | os.PathLike[str]
"""Hyper-parameters, or the file that holds them."""


class ProbeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `weaklink.probe` is asked for.

    `trainer` is `sb3:PPO`, `module:train` or another word, trained in processes of their own, or a function
    `train(make_env, steps, seed)`, trained in this one. `command` is a script instead, with `{env}`, `{steps}`,
    `{seed}` and, where it takes them, `{gamma}` and `{out}`; `script` is a file that trains, with its own `arguments`:
    how it is put on the ladder is found out, unless `setup` says it. `recurrent` says that it has a memory. `config`
    are hyper-parameters instead of those made for the ladder, for trainers given by name.
    """

    trainer: object = ""
    command: str = ""
    script: str = ""
    arguments: tuple[str, ...] = ()
    setup: ScriptSetup | None = None
    recurrent: bool = False
    plan: ProbePlan = ProbePlan()
    config: HyperParameters | None = None
    isolate: bool = True
    settings: RuleSettings = RuleSettings()


class Probed(ViewedResult, msgspec.Struct, frozen=True):
    """What the trainer learned on the ladder, and what follows from it."""

    outcome: Outcome
    diagnosis: Diagnosis


def probe(
    options: ProbeOptions, report: Report | None = None, tell: Callable[[ScriptSetup], None] | None = None
) -> Probed:
    """Climbs the ladder.

    Args:
        options: the trainer, the command or the script, and how it is trained.
        report: called with the rung, the trainings done and those begun.
        tell: called with how a script is put on the ladder, before it is.

    Raises:
        UsageError: the trainer, the command or a number cannot be used.
    """
    options = msgspec.structs.replace(options, plan=resolve_rung_names(options.plan))
    if options.script:
        outcome = _climb_by_script(options, report, tell)
    elif options.command:
        outcome = _climb_by_command(options, report)
    else:
        given = None if options.config is None else read_hyper_parameters(options.config)
        outcome = _climb(options.trainer, options.plan, given, options.isolate, report)
        if given is not None:
            outcome = _contrast_broken_rungs(options.trainer, options.plan, given, outcome, options.isolate)
    return Probed(outcome, judge_outcome(outcome, options.settings))


def read_hyper_parameters(config: HyperParameters) -> dict[str, Any]:
    """Those of a file, under the names that the file gives them, without what is about the run and not the trainer."""
    if isinstance(config, Mapping):
        return dict(config)
    return {name: value for name, value in read_config(os.fspath(config)).raw.items() if name not in ABOUT_THE_RUN}


def _climb_by_command(options: ProbeOptions, report: Report | None) -> Outcome:
    """The ladder, climbed by a script that is started anew for every training."""
    template, plan = options.command, options.plan
    traits = msgspec.structs.replace(assume_script_traits(plan), remembers=options.recurrent)
    outcome = climb(f"--cmd {shlex.quote(template)}", traits, plan, ScriptRunner(template, plan, traits), report)
    if not options.recurrent:
        return outcome
    return msgspec.structs.replace(outcome, options=(*outcome.options, "--recurrent"))


def _climb_by_script(
    options: ProbeOptions, report: Report | None, tell: Callable[[ScriptSetup], None] | None
) -> Outcome:
    """The ladder, climbed by a script as it is: how it takes a probe is found out first."""
    began = time.monotonic()
    setup = options.setup or set_up_script(options.script, options.arguments, options.plan)
    if tell is not None:
        tell(setup)
    plan = _plan_for_script(options.plan, setup, time.monotonic() - began)
    traits = msgspec.structs.replace(assume_setup_traits(setup), remembers=options.recurrent)
    name = " ".join((options.script, *(("--", shlex.join(options.arguments)) if options.arguments else ())))
    runner = ScriptRunner(setup.command, plan, traits, setup=setup)
    unfit = {probe.title: why for probe in ALL_PROBES if (why := explain_no_room(probe, setup))}
    outcome = add_rung_codes(LadderClimb(name, traits, plan, runner, report, unfit).climbed())
    flags = ("--recurrent",) if options.recurrent else ()
    return msgspec.structs.replace(
        outcome,
        options=(*options.plan.options, *flags),
        settings={"command": setup.command, "shaped like": ", ".join(setup.asked) if setup.in_place else ""},
        notes=(*outcome.notes, *setup.notes),
        seconds=time.monotonic() - began,
    )


def _plan_for_script(plan: ProbePlan, setup: ScriptSetup, spent: float) -> ProbePlan:
    """Small budgets first, one seed first: a script brings its own imports and hyper-parameters, which take longer."""
    usual = ProbePlan()
    first = plan.steps or setup.steps
    many = sum(first * GROWTH**level <= MOST_STEPS for level in range(MOST_LEVELS))
    changed = {
        "seeds": 1 if plan.seeds == usual.seeds else plan.seeds,
        "levels": plan.levels if plan.levels != usual.levels else max(many, usual.levels),
        "seconds": max(1.0, plan.seconds - spent) if plan.seconds else 0.0,
        "gamma": plan.gamma if plan.gamma is not None else setup.gamma,
    }
    return ScriptPlan(**{**msgspec.structs.asdict(plan), **changed})


def resolve_rung_names(plan: ProbePlan) -> ProbePlan:
    """The plan, checked, with the names of rungs where the user gave the codes of their rules."""
    named = {code.lower(): name for name, code in list_rung_codes().items()} if plan.only else {}
    only = tuple(named.get(word.lower(), word) for word in plan.only)
    return check_plan(msgspec.structs.replace(plan, only=only))


def climb(name: str, traits: Traits, plan: ProbePlan, runner: ProbeRunner, report: Report | None = None) -> Outcome:
    """One climb, each rung with the code of its rule."""
    return add_rung_codes(LadderClimb(name, traits, plan, runner, report).climbed())


def _climb(
    trainer: object,
    plan: ProbePlan,
    hyper_parameters: Mapping[str, Any] | None,
    isolate: bool = True,
    report: Report | None = None,
) -> Outcome:
    runner, traits = _make_runner(trainer, plan, hyper_parameters, isolate)
    name = trainer if isinstance(trainer, str) else getattr(trainer, "__name__", type(trainer).__name__)
    outcome = climb(name, traits, plan, runner, report)
    if outcome.stopped or not (ACTIONS in traits.guessed and plan.actions == AUTO and _was_refused(outcome)):
        return outcome
    # nobody said which actions it takes: those of the first kind it refuses, so it is asked for the other
    other = msgspec.structs.replace(plan, actions=CONTINUOUS)
    again = climb(name, traits, other, _make_runner(trainer, other, hyper_parameters, isolate)[0], report)
    if _was_refused(again) or not again.rungs:
        return msgspec.structs.replace(outcome, stopped=again.stopped)
    return again


def _was_refused(outcome: Outcome) -> bool:
    """Whether nothing but raising came of it."""
    trials = [trial for rung in outcome.rungs for trial in rung.trials]
    return bool(trials) and all(trial.kind == "raised" for trial in trials)


def _make_runner(
    trainer: object, plan: ProbePlan, hyper_parameters: Mapping[str, Any] | None, isolate: bool
) -> tuple[ProbeRunner, Traits]:
    if isolate and isinstance(trainer, str):
        pool = ProbePool(trainer, plan, hyper_parameters)
        return pool, pool.traits
    train = find_trainer(trainer, hyper_parameters)
    return InlineRunner(train, plan.gamma), read_traits(train)


def _contrast_broken_rungs(
    trainer: object, plan: ProbePlan, given: Mapping[str, Any], outcome: Outcome, isolate: bool
) -> Outcome:
    """The outcome with each broken rung tried again with the ladder's own settings: a bug stays, a setting does not."""
    rungs = (
        _contrast_rung(trainer, plan, given, rung, isolate) if rung.verdict == WRONG else rung for rung in outcome.rungs
    )
    return msgspec.structs.replace(outcome, rungs=tuple(rungs))


def _contrast_rung(trainer: object, plan: ProbePlan, given: Mapping[str, Any], rung: Rung, isolate: bool) -> Rung:
    alone = msgspec.structs.replace(plan, only=(rung.problem,), steps=0, levels=2)

    def holds(settings: Mapping[str, Any] | None) -> bool:
        tried = _climb(trainer, alone, settings, isolate).rungs
        return bool(tried) and tried[0].verdict == RIGHT

    if not holds(None):
        return rung
    return msgspec.structs.replace(rung, contrast=RungContrast(tuple(_find_cures(trainer, given, holds))))


def _find_cures(
    trainer: object, given: Mapping[str, Any], holds: Callable[[Mapping[str, Any]], bool]
) -> list[tuple[str, str, str]]:
    """The single settings that make the rung hold when they are as the ladder has them."""
    own: Mapping[str, Any] = getattr(find_trainer(trainer), "settings", {})
    different = [name for name in own if name in given and given[name] != own[name]]
    return [
        (name, str(given[name]), str(own[name])) for name in different[:MOST_TRIED] if holds({**given, name: own[name]})
    ]
