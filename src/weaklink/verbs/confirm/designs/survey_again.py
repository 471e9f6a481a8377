"""The environment surveyed again: does the finding come back with other seeds and the rule alone?"""

from __future__ import annotations

import time

from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.survey import Survey
from weaklink.collect.survey.plan import FEWEST_STEPS, SHORTEST, SurveyPlan
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm.deciding import decide_recurrence
from weaklink.verbs.confirm.designs.again import NOT_OF_THIS_PROJECT
from weaklink.verbs.confirm.experiment import Answer, Experiment, ExperimentArm, SeedResult
from weaklink.verbs.confirm.job import TargetParts
from weaklink.verbs.confirm.plan import ExperimentContext
from weaklink.verbs.debug.inside import write_target_file
from weaklink.verbs.preflight import Preflight, PreflightOptions, run_preflight

RANK = 5
KIND = "surveyed again"
SECONDS, WITH_MODEL = 20.0, 60.0
"""How long one survey takes at most, without and with the examination of a model."""


def designed(rule: Rule) -> Experiment | None:
    """For every rule that judges an environment or a model before training."""
    if rule.on not in (Survey, ModelCheck):
        return None
    return Experiment(
        code=rule.code,
        name=rule.name,
        kind=KIND,
        question=f"Does {rule.code} {rule.name} come back when the environment is played with other seeds?",
        changed="nothing but the seed of the survey",
        measured="in how many surveys the rule fires",
        if_confirmed="It is what this environment or model does, whatever the seed: mend it as the page says.",
        if_refuted=NOT_OF_THIS_PROJECT,
    )


def unfit(found: TargetParts) -> str:
    """Every target has an environment."""
    return ""


def carried_out(experiment: Experiment, rule: Rule, given: ExperimentContext) -> Answer:
    """Surveys with each seed and asks the rule alone."""
    tried: list[SeedResult] = []
    notes: dict[str, None] = {}
    for count, seed in enumerate(given.plan.numbers):
        left = given.plan.seeds - count
        if given.stopped or time.monotonic() + SHORTEST > given.deadline:
            break
        given.report(KIND, count, given.plan.seeds)
        began = time.monotonic()
        most = WITH_MODEL if rule.on is ModelCheck else SECONDS
        result = _survey_seed(rule, given, seed, min(most, given.share(left)))
        notes |= dict.fromkeys(result.diagnosis.notes)
        tried.append(_make_seed_result(rule, result, seed, time.monotonic() - began))
    arm = ExperimentArm(name=KIND, tried=tuple(tried))
    decided = decide_recurrence(arm)
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=experiment.means(decided.verdict),
        decides=decided.decides.replace("Longer runs (--steps) let the rule judge.", "The rule lacks what it needs."),
        arms=(arm,),
        steps=given.plan.steps,
        notes=tuple(notes),
    )


def _survey_seed(rule: Rule, given: ExperimentContext, seed: int, seconds: float) -> Preflight:
    found = given.look()
    file = write_target_file(given.target, given.folder)
    plan = SurveyPlan(
        seed=seed,
        seconds=max(seconds, SHORTEST),
        components=found.components,
        metric=found.goal_metric,
        automaton=f"{file}:automaton" if "automaton" in found.parts else "",
        steps=max(given.plan.steps, FEWEST_STEPS) if given.plan.steps else SurveyPlan().steps,
    )
    model = f"{file}:model" if rule.on is ModelCheck and "make_model" in found.parts else None
    result = run_preflight(
        PreflightOptions(
            environment=f"{file}:make_env",
            plan=plan,
            config=dict(found.config),
            model=model,
            settings=RuleSettings(frozenset((rule.code,))),
        )
    )
    given.stopped = given.stopped or result.survey.stopped
    return result


def _make_seed_result(rule: Rule, result: Preflight, seed: int, seconds: float) -> SeedResult:
    diagnosis = result.diagnosis
    finding = next((one for one in diagnosis.findings if one.code == rule.code), None)
    fired: bool | None = True if finding is not None else False if rule.code in diagnosis.clean else None
    lacked = ", ".join(diagnosis.blind.get(rule.code, ())) or "what it needs"
    told = finding.message if finding is not None else "" if fired is False else f"it lacked {lacked}"
    steps = sum(len(play.rewards) for play in result.survey.plays.values())
    return SeedResult(seed=seed, fired=fired, told=told, steps=steps, seconds=seconds)
