"""Again with other seeds: does the finding come back? The honest test of patterns that have no single cause."""

from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.proving import Change
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.deciding import decide_recurrence
from weaklink.verbs.confirm.experiment import Answer, Experiment, ExperimentArm
from weaklink.verbs.confirm.job import TRAIN, ExperimentJob, TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext

RANK = 9
KIND = "again with other seeds"
AS_CONFIGURED = "as configured"
NOT_OF_THIS_PROJECT = (
    "The finding was an accident of its seed, or what caused it has gone since. Nothing is to be mended on its account."
)


def designed(rule: Rule) -> Experiment | None:
    """For every rule that judges a training."""
    if rule.on not in (Run, Rollout) or rule.of:
        return None
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question=f"Does {rule.code} {rule.name} come back in fresh runs?",
        changed="nothing but the seed",
        measured="in how many seeds the rule fires",
        if_confirmed="It is what this project does, whatever the seed: mend it as the page of the rule says.",
        if_refuted=NOT_OF_THIS_PROJECT,
    )


def unfit(found: TargetParts) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and this experiment trains"


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Trains with each seed and counts."""
    arm = train_arm(experiment, given)
    decided = decide_recurrence(arm)
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


def train_arm(
    experiment: Experiment,
    given: ExperimentContext,
    measures: tuple[tuple[str, str], ...] = (),
    *,
    change: Change | None = None,
    like: ExperimentArm | None = None,
) -> ExperimentArm:
    """One arm: every seed trained as the target says, or with one change for as long as each lasted in arm `like`."""
    lengths = dict.fromkeys(given.plan.numbers, given.steps) if like is None else like.lengths
    arms = 2 if change is None and experiment.change is not None else 1
    whole = arms * len(lengths)
    jobs = [
        ExperimentJob(
            kind=TRAIN,
            target=given.target,
            code=experiment.code,
            seed=seed,
            seconds=given.share(-(-whole // given.runner.room)),
            measures=measures,
            change=change,
            steps=steps or given.steps,
        )
        for seed, steps in lengths.items()
    ]
    return given.arm(AS_CONFIGURED if change is None else experiment.changed, jobs, whole)
