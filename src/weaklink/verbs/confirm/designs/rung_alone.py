"""One rung of the ladder alone: the target's trainer on a problem with a known answer, with more seeds."""

from __future__ import annotations

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RIGHT, UNSEEN, WRONG, Outcome, Rung
from weaklink.base.proving import OneRung
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.plan import ProbePlan
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.experiment import Answer, Experiment, ExperimentArm, ExperimentVerdict, SeedResult
from weaklink.verbs.confirm.job import TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext
from weaklink.verbs.debug.inside import write_target_file
from weaklink.verbs.probe import ProbeOptions, probe

RANK = 1
KIND = "one rung alone"
VERDICTS = {WRONG: ExperimentVerdict.CONFIRMED, RIGHT: ExperimentVerdict.REFUTED}


def designed(rule: Rule) -> Experiment | None:
    """For findings of the ladder, and for rules that declare a rung."""
    rung = _find_rung(rule)
    if not rung:
        return None
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question=f"Does the trainer miss the known answer of the rung {rung} with other seeds too?",
        changed=f"the task: {rung}, a problem with a known answer; a seed that misses gets four times the budget",
        measured="in how many seeds an answer lies outside the band of a right trainer",
        if_confirmed="The trainer is wrong on a problem that anybody can check: mend the part that the rung adds.",
        if_refuted="The trainer solves the problem that needs this part, so the part works: the cause lies in the "
        "environment, the task or the settings.",
    )


def _find_rung(rule: Rule) -> str:
    if isinstance(rule.experiment, OneRung):
        return rule.experiment.rung
    own = rule.on is Outcome and any(each.name == rule.name for each in ALL_PROBES)
    return rule.name if own else ""


def unfit(found: TargetParts) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and a rung needs a trainer"


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Climbs the one rung."""
    trainer = f"{write_target_file(given.target, given.folder)}:train"
    rung = _find_rung(rule)
    plan = ProbePlan(
        seeds=given.plan.seeds,
        more_seeds=0,
        first_seed=given.plan.first_seed,
        steps=given.plan.steps,
        only=(rung,),
        timeout=max(given.share(2), 5.0),
        workers=given.plan.workers,
    )
    outcome = probe(ProbeOptions(trainer=trainer, plan=plan), given.report).outcome
    given.stopped = outcome.stopped
    if not outcome.rungs and outcome.left:
        why = next(iter(outcome.left.values()))
        raise UsageError(f"The rung {rung} cannot be climbed with {given.word}: {why}.")
    arms = tuple(ExperimentArm(name=each.problem, tried=tuple(_list_seed_results(each))) for each in outcome.rungs)
    worst = next((each for each in outcome.rungs if each.verdict == WRONG), outcome.rungs[0] if outcome.rungs else None)
    verdict = ExperimentVerdict.UNDECIDED if worst is None else VERDICTS.get(worst.verdict, ExperimentVerdict.UNDECIDED)
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=verdict,
        says=_describe_rung(worst, rung),
        means=experiment.means(verdict),
        decides="" if verdict is not ExperimentVerdict.UNDECIDED else _suggest_next(worst),
        arms=arms,
        steps=max((trial.steps for each in outcome.rungs for trial in each.trials), default=0),
        notes=tuple(outcome.notes),
    )


def _list_seed_results(rung: Rung) -> list[SeedResult]:
    return [
        SeedResult(
            seed=trial.seed,
            fired=None if trial.holds is None else not trial.holds,
            told="; ".join(
                f"{one.what} {one.where}: {one.measured:.3g}, right {one.right:.3g}" for one in trial.missed
            ),
            values={f"{one.what} {one.where}".strip(): one.measured for one in trial.measures[:1]},
            failure=trial.failure,
            steps=trial.steps,
            seconds=trial.seconds,
        )
        for trial in rung.final
    ]


def _describe_rung(rung: Rung | None, name: str) -> str:
    if rung is None:
        return f"The rung {name} was not climbed."
    final = rung.final
    missed = len(rung.failed)
    told = f"On {rung.problem} {missed} of {len(final)} seeds miss the known answer"
    first = next((one for trial in rung.failed for one in trial.missed), None)
    if first is not None:
        told += f" ({first.what} {first.where} is {first.measured:.3g}, right is {first.low:.3g} to {first.high:.3g})"
    failed = next((trial.failure for trial in rung.failed if trial.failure), "")
    return f"{told}{f': {failed}' if failed and first is None else ''}."


def _suggest_next(rung: Rung | None) -> str:
    if rung is not None and rung.verdict == UNSEEN:
        return "The agent must show what the rung asks for: expose `value` or `q`."
    return "More seeds (--seeds) would decide."
