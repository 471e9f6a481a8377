"""The critic alone: with the policy frozen and one fixed rollout, can it learn the returns?"""

from __future__ import annotations

from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.critic import explain_fit, judge_fit
from weaklink.verbs.confirm.deciding import decide_recurrence
from weaklink.verbs.confirm.experiment import Answer, Experiment, ExperimentVerdict
from weaklink.verbs.confirm.job import CRITIC, ExperimentJob, TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext

RANK = 1
KIND = "the critic alone"
FITTING = 20.0
"""Seconds that the fits after a training may take together."""


def designed(rule: Rule) -> Experiment | None:
    """For critics that do not follow the returns."""
    if rule.experiment != KIND:
        return None
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question="With the policy frozen, can the critic alone learn the returns of one fixed rollout?",
        changed="the policy stands still, and so do the targets",
        measured="the share of the returns' variance that the critic's copy comes to explain, beside a fresh network, "
        "a line and a table",
        if_confirmed="The break is in the critic: its network, its input, its loss or what training did to it.",
        if_refuted="The critic is sound: in training its targets or the policy move faster than it follows. Look at "
        "the learning rate, the targets and the size of the rewards.",
    )


def unfit(found: TargetParts) -> str:
    """Why the design cannot be carried out with a target; empty where it can."""
    return "" if found.trains else "it has neither make_model nor train, and this experiment trains"


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Trains with each seed, then fits."""
    rounds = -(-given.plan.seeds // given.runner.room)
    seconds = max(given.share(rounds) - FITTING, 5.0)
    jobs = [
        ExperimentJob(kind=CRITIC, target=given.target, code=rule.code, steps=given.steps, seed=seed, seconds=seconds)
        for seed in given.plan.numbers
    ]
    replies = given.replies(jobs, KIND)
    arm = given.put_together(KIND, replies)
    decided = decide_recurrence(arm, "A critic that cannot fit")
    fits = [reply.critic for _, reply in replies if reply.critic is not None]
    told = experiment.means(decided.verdict)
    if decided.verdict is not ExperimentVerdict.UNDECIDED and fits:
        cannot = decided.verdict is ExperimentVerdict.CONFIRMED
        told = explain_fit(next((fit for fit in fits if judge_fit(fit)[0] is cannot), fits[0]), cannot)
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=told,
        decides=decided.decides,
        arms=(arm,),
        steps=given.steps,
    )
