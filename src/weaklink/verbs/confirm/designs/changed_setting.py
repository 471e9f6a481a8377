"""One setting changed: trainings as configured beside trainings with the change that the rule's page names."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.proving import FALLS, LATE, RISES, Change, Intervention, Promise
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.deciding import (
    MORE_TIME,
    Decision,
    decide_cure,
    decide_recurrence,
    find_difference,
    match_seeds,
)
from weaklink.verbs.confirm.designs.again import NOT_OF_THIS_PROJECT, train_arm
from weaklink.verbs.confirm.experiment import Answer, Experiment, ExperimentArm, ExperimentVerdict
from weaklink.verbs.confirm.job import TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext

RANK = 2
KIND = "one setting changed"
WAYS = {FALLS: "fall", RISES: "rise"}


def designed(rule: Rule) -> Experiment | None:
    """For rules that declare an intervention."""
    declared = rule.experiment
    return _build_experiment(rule, declared, declared.change) if isinstance(declared, Intervention) else None


def unfit(found: TargetParts) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and this experiment trains"


def _build_experiment(rule: Rule, declared: Intervention, change: Change) -> Experiment:
    promise = declared.promise
    way = WAYS.get(promise.then, "react")
    to = "" if promise.level is None else f" {'below' if promise.then == FALLS else 'above'} {promise.level:g}"
    measured = promise.metrics[0] if promise.measure == LATE else f"the {promise.measure} of {promise.metrics[0]}"
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question=f"With {change.words} and nothing else changed, does {measured} {way}{to}?",
        changed=change.words,
        measured=f"{measured}, and whether the rule still fires",
        if_confirmed=declared.if_confirmed,
        if_refuted=declared.if_refuted,
        change=change,
        promise=promise,
    )


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Trains as configured; where the finding is there, trains with the change as well and compares."""
    declared = rule.experiment
    assert isinstance(declared, Intervention)
    measures = _list_measures(declared)
    configured = train_arm(experiment, given, measures)
    back = decide_recurrence(configured) if rule.on in (Run, Config) else None
    if given.stopped or not configured.whole or (back is not None and back.verdict is ExperimentVerdict.REFUTED):
        return _answer_without_change(experiment, given, configured, back)
    change = _size_change(declared, configured)
    experiment = _build_experiment(rule, declared, change)
    changed = train_arm(experiment, given, measures, change=change, like=configured)
    return _answer_with_change(experiment, declared, given, configured, changed, back)


def _list_measures(declared: Intervention) -> tuple[tuple[str, str], ...]:
    wanted = {metric: promise.measure for promise in (*declared.also, declared.promise) for metric in promise.metrics}
    return tuple(wanted.items())


def _size_change(declared: Intervention, configured: ExperimentArm) -> Change:
    """The change by the size that the finding names: rewards divided by theirs, a rate moved towards its range."""
    named = next((one.evidence[0] for one in configured.judged if one.evidence), None)
    change = declared.change
    if not declared.sized_by_finding or named is None:
        return change
    _, value, limit = named
    if change.setting == "reward_scale":
        return msgspec.structs.replace(change, times=1.0 / abs(value)) if value else change
    if value <= 0:
        return Change(setting=change.setting, to=3e-4)
    return msgspec.structs.replace(change, times=10.0 if limit is not None and value < limit else 0.1)


def _answer_without_change(
    experiment: Experiment, given: ExperimentContext, configured: ExperimentArm, back: Decision | None
) -> Answer:
    decided = back or decide_recurrence(configured)
    if given.stopped and decided.verdict is ExperimentVerdict.CONFIRMED:
        decided = Decision(ExperimentVerdict.UNDECIDED, decided.says, "The other arm was not trained.")
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=NOT_OF_THIS_PROJECT if decided.verdict is ExperimentVerdict.REFUTED else "",
        decides=decided.decides,
        arms=(configured,),
        steps=given.steps,
    )


def _answer_with_change(
    experiment: Experiment,
    declared: Intervention,
    given: ExperimentContext,
    configured: ExperimentArm,
    changed: ExperimentArm,
    back: Decision | None,
) -> Answer:
    before, after = match_seeds(configured, changed)
    decided, main = decide_cure(before, after, declared.promise)
    others = [find_difference(before, after, promise) for promise in declared.also]
    verdict, decides = decided.verdict, decided.decides
    if back is not None and back.verdict is ExperimentVerdict.UNDECIDED:
        verdict, decides = ExperimentVerdict.UNDECIDED, back.decides
    elif not after.whole:
        verdict, decides = ExperimentVerdict.UNDECIDED, MORE_TIME
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=verdict,
        says=" ".join(part for part in (_describe_recurrence(back), decided.says) if part),
        means=experiment.means(verdict),
        decides=decides,
        arms=(configured, changed),
        differences=tuple(one for one in (main, *others) if one is not None),
        steps=given.steps,
        notes=(*_list_unmatched(configured, changed, before), *_list_side_effects(before, after, declared.also)),
    )


def _list_unmatched(configured: ExperimentArm, changed: ExperimentArm, matched: ExperimentArm) -> tuple[str, ...]:
    """The seeds that are compared with nothing, and why."""
    ended = changed.lengths
    return tuple(
        f"Seed {seed} is left out of the comparison: with the change "
        + (f"it made {ended[seed]:,} of {steps:,} steps." if seed in ended else "it did not come to its end.")
        for seed, steps in configured.lengths.items()
        if seed not in matched.lengths
    )


def _describe_recurrence(back: Decision | None) -> str:
    return "" if back is None else back.says


def _list_side_effects(configured: ExperimentArm, changed: ExperimentArm, also: tuple[Promise, ...]) -> tuple[str, ...]:
    """What got worse beyond chance beside what was promised."""
    told = []
    for promise in also:
        turned = msgspec.structs.replace(promise, then=FALLS if promise.then == RISES else RISES)
        found = find_difference(configured, changed, turned)
        if found is not None and found.beyond_chance:
            told.append(f"{found.metric} moves the wrong way: from {found.configured:.3g} to {found.changed:.3g}.")
    return tuple(told)
