"""One setting changed: trainings as configured beside trainings with the change that the rule's page names."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.proving import FALLS, LATE, RISES, Change, Intervention, Promise
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.deciding import Decided, comes_back, cured, difference
from weaklink.verbs.confirm.designs.again import NOT_OF_THIS_PROJECT, trained_as_configured
from weaklink.verbs.confirm.experiment import Answer, Arm, Experiment, Verdict
from weaklink.verbs.confirm.job import Found
from weaklink.verbs.confirm.plan import Given

RANK = 2
KIND = "one setting changed"
WAYS = {FALLS: "fall", RISES: "rise"}


def designed(rule: Rule) -> Experiment | None:
    """For rules that declare an intervention."""
    declared = rule.experiment
    return _experiment(rule, declared, declared.change) if isinstance(declared, Intervention) else None


def unfit(found: Found) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and this experiment trains"


def _experiment(rule: Rule, declared: Intervention, change: Change) -> Experiment:
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


def carried_out(experiment: Experiment, rule: Rule, given: Given) -> Answer:
    """Trains as configured; where the finding is there, trains with the change as well and compares."""
    declared = rule.experiment
    assert isinstance(declared, Intervention)
    measures = _measures(declared)
    configured = trained_as_configured(experiment, given, measures)
    back = comes_back(configured) if rule.on in (Run, Config) else None
    if given.stopped or not configured.whole or (back is not None and back.verdict is Verdict.REFUTED):
        return _not_back(experiment, given, configured, back)
    change = _sized(declared, configured)
    experiment = _experiment(rule, declared, change)
    lasted = min(one.steps for one in configured.whole) or given.steps
    changed = trained_as_configured(experiment, given, measures, change=change, steps=min(given.steps, lasted))
    return _answer(experiment, declared, given, configured, changed, back)


def _measures(declared: Intervention) -> tuple[tuple[str, str], ...]:
    wanted = {metric: promise.measure for promise in (*declared.also, declared.promise) for metric in promise.metrics}
    return tuple(wanted.items())


def _sized(declared: Intervention, configured: Arm) -> Change:
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


def _not_back(experiment: Experiment, given: Given, configured: Arm, back: Decided | None) -> Answer:
    decided = back or comes_back(configured)
    if given.stopped and decided.verdict is Verdict.CONFIRMED:
        decided = Decided(Verdict.UNDECIDED, decided.says, "The other arm was not trained.")
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=NOT_OF_THIS_PROJECT if decided.verdict is Verdict.REFUTED else "",
        decides=decided.decides,
        arms=(configured,),
        steps=given.steps,
    )


def _answer(
    experiment: Experiment, declared: Intervention, given: Given, configured: Arm, changed: Arm, back: Decided | None
) -> Answer:
    decided, main = cured(configured, changed, declared.promise)
    others = [difference(configured, changed, promise) for promise in declared.also]
    verdict, decides = decided.verdict, decided.decides
    if back is not None and back.verdict is Verdict.UNDECIDED:
        verdict, decides = Verdict.UNDECIDED, back.decides
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=verdict,
        says=" ".join(part for part in (_back(back), decided.says) if part),
        means=experiment.means(verdict),
        decides=decides,
        arms=(configured, changed),
        differences=tuple(one for one in (main, *others) if one is not None),
        steps=given.steps,
        notes=_beside(configured, changed, declared.also),
    )


def _back(back: Decided | None) -> str:
    return "" if back is None else back.says


def _beside(configured: Arm, changed: Arm, also: tuple[Promise, ...]) -> tuple[str, ...]:
    """What got worse beyond chance beside what was promised."""
    told = []
    for promise in also:
        turned = msgspec.structs.replace(promise, then=FALLS if promise.then == RISES else RISES)
        found = difference(configured, changed, turned)
        if found is not None and found.beyond_chance:
            told.append(f"{found.metric} moves the wrong way: from {found.configured:.3g} to {found.changed:.3g}.")
    return tuple(told)
