"""A learning rate of 0: nothing moves, so whatever still differs was computed wrongly."""

from __future__ import annotations

import msgspec

from weaklink.base.proving import LATE, Change
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.deciding import decide_recurrence
from weaklink.verbs.confirm.designs.again import train_arm
from weaklink.verbs.confirm.experiment import Answer, Experiment
from weaklink.verbs.confirm.job import TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext

RANK = 2
KIND = "a learning rate of 0"
METRIC = "policy.kl"
ROUNDING = 1e-5
"""What is left of a KL of 0 in 32-bit numbers."""


def designed(rule: Rule) -> Experiment | None:
    """For ratios that are not 1 before anything was learned."""
    if rule.experiment != KIND:
        return None
    change = Change(setting="learning_rate", to=0.0)
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question="With a learning rate of 0, is the KL of an update exactly 0?",
        changed=change.words,
        measured=f"{METRIC}, which is 0 where the same policy is asked twice about the same actions",
        if_confirmed="Stored and recomputed log-probabilities differ although nothing was learned: look at how actions "
        "are stored (clipped, squashed, shifted), at dropout, at statistics that move, at masks.",
        if_refuted="The same policy gives the same log-probabilities: the ratios differ because something was learned.",
        change=change,
    )


def unfit(found: TargetParts) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and this experiment trains"


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Trains without learning and looks at the KL."""
    arm = train_arm(experiment, given, ((METRIC, LATE),), change=experiment.change)
    judged = tuple(
        msgspec.structs.replace(one, fired=abs(one.values[METRIC]) > ROUNDING)
        if METRIC in one.values
        else msgspec.structs.replace(one, fired=None, told=f"it lacked {METRIC}")
        for one in arm.tried
    )
    arm = msgspec.structs.replace(arm, tried=judged)
    decided = decide_recurrence(arm, f"A {METRIC} other than 0")
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=experiment.means(decided.verdict),
        decides=decided.decides,
        arms=(arm,),
        steps=given.steps,
    )
