"""The environment surveyed again: does the finding come back with other seeds and the rule alone?"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from weaklink.case.inside import written
from weaklink.diagnosis.settings import Settings
from weaklink.evidence.model import ModelCheck
from weaklink.evidence.survey import Survey
from weaklink.experiments.deciding import comes_back
from weaklink.experiments.designs.again import NOT_OF_THIS_PROJECT
from weaklink.experiments.experiment import Answer, Arm, Experiment, Tried, Verdict
from weaklink.experiments.job import Found
from weaklink.experiments.plan import Given
from weaklink.rules._registry import Rule
from weaklink.survey.plan import SHORTEST, Plan
from weaklink.survey.preflight import Preflight, preflight

RANK = 5
KIND = "surveyed again"
SECONDS = 20.0
"""How long one survey takes at most."""

MODEL = "weaklink_model.py"
_CONTENT = '''"""The model of a target, made when it is asked for; written by `weaklink confirm`."""

from weaklink.case.inside import Inside

_inside = Inside({told!r})


def make():
    return _inside.loaded.make_model(_inside.make_env())
'''


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


def unfit(found: Found) -> str:
    """Every target has an environment."""
    return ""


def carried_out(experiment: Experiment, rule: Rule, given: Given) -> Answer:
    """Surveys with each seed and asks the rule alone."""
    tried: list[Tried] = []
    for count, seed in enumerate(given.plan.numbers):
        left = given.plan.seeds - count
        if given.stopped or time.monotonic() + SHORTEST > given.deadline:
            break
        given.report(KIND, count, given.plan.seeds)
        tried.append(_surveyed(rule, given, seed, min(SECONDS, given.share(left))))
    arm = Arm(name=KIND, tried=tuple(tried))
    decided = comes_back(arm)
    means = {Verdict.CONFIRMED: experiment.if_confirmed, Verdict.REFUTED: experiment.if_refuted}
    return Answer(
        experiment=experiment,
        target=given.word,
        verdict=decided.verdict,
        says=decided.says,
        means=means.get(decided.verdict, ""),
        decides=decided.decides.replace("Longer runs (--steps) let the rule judge.", "The rule lacks what it needs."),
        arms=(arm,),
        steps=given.plan.steps,
    )


def _surveyed(rule: Rule, given: Given, seed: int, seconds: float) -> Tried:
    found, began = given.look(), time.monotonic()
    file = written(given.target, given.folder)
    plan = Plan(
        seed=seed,
        seconds=max(seconds, SHORTEST),
        components=found.components,
        metric=found.goal_metric,
        automaton=f"{file}:automaton" if "automaton" in found.parts else "",
        steps=given.plan.steps or Plan().steps,
    )
    model = _model(given) if rule.on is ModelCheck and "make_model" in found.parts else None
    result = preflight(
        f"{file}:make_env",
        plan,
        config=dict(found.config) or None,
        model=model,
        settings=Settings(frozenset((rule.code,))),
    )
    given.stopped = given.stopped or result.survey.stopped
    return _tried(rule, result, seed, time.monotonic() - began)


def _model(given: Given) -> str:
    file = Path(given.folder) / MODEL
    file.write_text(_CONTENT.format(told=msgspec.json.encode(given.target).decode()), encoding="utf-8")
    return f"{file}:make"


def _tried(rule: Rule, result: Preflight, seed: int, seconds: float) -> Tried:
    diagnosis = result.diagnosis
    finding = next((one for one in diagnosis.findings if one.code == rule.code), None)
    fired: bool | None = True if finding is not None else False if rule.code in diagnosis.clean else None
    lacked = ", ".join(diagnosis.blind.get(rule.code, ())) or "what it needs"
    told = finding.message if finding is not None else "" if fired is False else f"it lacked {lacked}"
    steps = sum(len(play.rewards) for play in result.survey.plays.values())
    return Tried(seed=seed, fired=fired, told=told, steps=steps, seconds=seconds)
